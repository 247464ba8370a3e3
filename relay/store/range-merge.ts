// Several ordered ranges read as one: a heap of the ranges by their next row.

import type { Place, Range } from './range.ts';

type Head = { place: Place; range: Range };

export class RangeMerge {
  readonly #heap: Head[] = [];

  add(range: Range): void {
    const place = range.next();
    if (place === undefined) return;
    this.#heap.push({ place, range });
    this.#up(this.#heap.length - 1);
  }

  /** The row that comes next of all ranges; one row in two ranges comes twice, one after the other. */
  next(): Place | undefined {
    const head = this.#heap[0];
    if (head === undefined) return undefined;
    const found = head.place;
    const place = head.range.next();
    if (place !== undefined) {
      head.place = place;
      this.#down(0);
      return found;
    }
    const last = this.#heap.pop();
    if (last !== undefined && last !== head) {
      this.#heap[0] = last;
      this.#down(0);
    }
    return found;
  }

  #up(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#before(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #down(start: number): void {
    let index = start;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      let least = index;
      if (left < this.#heap.length && this.#before(left, least)) least = left;
      if (right < this.#heap.length && this.#before(right, least)) least = right;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #before(one: number, other: number): boolean {
    const a = this.#heap[one]!.place;
    const b = this.#heap[other]!.place;
    if (a.created_at !== b.created_at) return a.created_at > b.created_at;
    return a.rank !== b.rank ? a.rank < b.rank : a.seq < b.seq;
  }

  #swap(one: number, other: number): void {
    const head = this.#heap[one]!;
    this.#heap[one] = this.#heap[other]!;
    this.#heap[other] = head;
  }
}
