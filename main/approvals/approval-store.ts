// Every request that asks the person, kept in main so that no view can lose one (case D8), and on disk so that a
// withdrawn one stays in the history (D12). One timer, set for the next expiry.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Coalesced, coalesce } from '../coalesce.ts';
import { type ApprovalView, approvalView } from '../contract/approvals.ts';
import { writeWhole } from '../home.ts';
import { NextTime } from '../next-time.ts';

const KEPT = 1_000;

export type StoreParts = {
  file: string;
  /** Told of every change, with the view before it. */
  changed(view: ApprovalView, before: ApprovalView | undefined): void;
  /** Its time is over: the relay is to be asked once more. */
  expired(id: string): void;
  failed(error: unknown): void;
};

export type Page = { items: ApprovalView[]; next_cursor: string };
export type Counts = { open: number; answered: number; expired: number };

export class ApprovalStore {
  readonly #parts: StoreParts;
  readonly #views = new Map<string, ApprovalView>();
  readonly #save: Coalesced;
  readonly #expiry = new NextTime(() => this.#expire());

  constructor(parts: StoreParts) {
    this.#parts = parts;
    for (const view of load(parts.file)) this.#views.set(view.id, view);
    this.#save = coalesce(
      200,
      () => writeWhole(parts.file, JSON.stringify([...this.#views.values()])),
      parts.failed,
    );
    this.#expire();
  }

  get(id: string): ApprovalView | undefined {
    return this.#views.get(id);
  }

  /** Open ones, newest first. */
  open(): ApprovalView[] {
    return [...this.#views.values()].filter(view => view.state === 'open').sort(newestFirst);
  }

  /** Takes a view in. What was withdrawn or answered stays so: the relay may still show an older picture. */
  put(view: ApprovalView): ApprovalView {
    const before = this.#views.get(view.id);
    if (before && before.state !== 'open' && view.state === 'open') return before;
    if (before && JSON.stringify(before) === JSON.stringify(view)) return before;
    this.#views.set(view.id, view);
    this.#trim();
    this.#save.ask();
    this.#setTimer();
    this.#parts.changed(view, before);
    return view;
  }

  page(state: 'open' | 'answered' | 'expired' | 'all', cursor: string | undefined, limit: number): Page {
    const all = [...this.#views.values()]
      .filter(view => state === 'all' || countedAs(view) === state)
      .sort(newestFirst);
    const from = cursor === undefined ? 0 : all.findIndex(view => cursorOf(view) === cursor) + 1;
    const items = all.slice(from, from + limit);
    const last = items.at(-1);
    return { items, next_cursor: last && from + limit < all.length ? cursorOf(last) : '' };
  }

  counts(): Counts {
    const counts: Counts = { open: 0, answered: 0, expired: 0 };
    for (const view of this.#views.values()) counts[countedAs(view)] += 1;
    return counts;
  }

  async close(): Promise<void> {
    this.#expiry.clear();
    await this.#save.settle();
    this.#save.close();
  }

  #setTimer(): void {
    this.#expiry.set(this.open().flatMap(view => (view.expires === undefined ? [] : view.expires * 1000)));
  }

  #expire(): void {
    const now = Math.floor(Date.now() / 1000);
    const over = this.open().filter(view => view.expires !== undefined && view.expires <= now);
    for (const view of over) {
      this.put({ ...view, state: 'expired', reason: 'Nobody answered in time' });
      this.#parts.expired(view.id);
    }
    this.#setTimer();
  }

  /** History is bounded; what waits is never dropped. */
  #trim(): void {
    if (this.#views.size <= KEPT) return;
    const settled = [...this.#views.values()].filter(view => view.state !== 'open').sort(newestFirst);
    for (const view of settled.reverse().slice(0, this.#views.size - KEPT)) this.#views.delete(view.id);
  }
}

function countedAs(view: ApprovalView): keyof Counts {
  return view.state === 'withdrawn' ? 'expired' : view.state;
}

function cursorOf(view: ApprovalView): string {
  return `${view.created_at}:${view.id}`;
}

function newestFirst(a: ApprovalView, b: ApprovalView): number {
  return b.created_at - a.created_at || (a.id < b.id ? -1 : 1);
}

function load(file: string): ApprovalView[] {
  try {
    return z.array(approvalView).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // None yet, or of another version: what the relay holds is read again anyway.
    return [];
  }
}
