// One ordered range of an index, read in pages that grow: most readers want the first few rows, some want them all.

import type { Statement } from 'better-sqlite3';

/** A row of an index: where it stands in the newest-first order, and which event it is. */
export type Place = { seq: number; created_at: number; rank: number };

/** Both inclusive, Unix seconds. */
export type RangeBounds = { since: number; until: number };

const LARGEST_PAGE = 512;

export class Range {
  readonly #statement: Statement<unknown[], Place>;
  readonly #key: readonly unknown[];
  readonly #bounds: RangeBounds;
  #page: Place[] = [];
  #index = 0;
  #size: number;
  #done = false;

  constructor(
    statement: Statement<unknown[], Place>,
    key: readonly unknown[],
    bounds: RangeBounds,
    page: number,
  ) {
    this.#statement = statement;
    this.#key = key;
    this.#bounds = bounds;
    this.#size = page;
  }

  /** The next row, or undefined at the end. */
  next(): Place | undefined {
    if (this.#index >= this.#page.length) {
      if (this.#done) return undefined;
      this.#fetch();
    }
    const place = this.#page[this.#index];
    this.#index += 1;
    return place;
  }

  #fetch(): void {
    const last = this.#page.at(-1);
    const until = last?.created_at ?? this.#bounds.until;
    // Without a last row every rank passes: a range starts before the first one of its newest second.
    const rank = last?.rank ?? -1;
    const seq = last?.seq ?? -1;
    this.#page = this.#statement.all(
      ...this.#key,
      this.#bounds.since,
      until,
      until,
      rank,
      rank,
      seq,
      this.#size,
    );
    this.#index = 0;
    this.#done = this.#page.length < this.#size;
    this.#size = Math.min(LARGEST_PAGE, this.#size * 2);
  }
}
