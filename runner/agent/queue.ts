// The queue of a runner: first in, first out in each room, one batch at a time, at most 32 waiting in a room
// (spec/tinyagent-connector.md B3). All of it lives in the journal.

import type { Report } from '../status.ts';
import type { ActiveRun, Journal, Work } from './journal.ts';

export type Offer = 'queued' | 'duplicate' | 'full';

export class Queue {
  readonly #journal: Journal;
  readonly #limit: number;
  readonly #report: Report;
  /** Requests that failed before anything was done and may be taken in once more. */
  readonly #released: Set<string>;

  constructor(journal: Journal, limit: number, report: Report) {
    this.#journal = journal;
    this.#limit = limit;
    this.#report = report;
    const { released } = journal.state;
    // Only a new start may fare better: taking it in again at once would be a storm of retries (case B4).
    this.#released = new Set(Object.keys(released).filter(id => (released[id] ?? 0) < MAX_RELEASES));
  }

  /** Takes work in; when it answers `queued` that is on the disk. */
  offer(work: Work): Offer {
    const { state } = this.#journal;
    if (this.#journal.hasAnswered(work.event)) return 'duplicate';
    if (this.#journal.hasSeen(work.event) && !this.#released.has(work.event)) return 'duplicate';
    // What is turned away is not remembered either, so that it may come again (case I11).
    if ((state.pending[work.room] ?? []).length >= this.#limit) return 'full';
    this.#released.delete(work.event);
    this.#journal.change(() => {
      this.#journal.see(work.event);
      state.watermark = Math.max(state.watermark, work.created_at);
      state.pending[work.room] = [...(state.pending[work.room] ?? []), work];
    });
    this.report();
    return 'queued';
  }

  /** Marks requests as taken in although this journal did not do it. */
  markTaken(ids: string[]): void {
    const unknown = ids.filter(id => !this.#journal.hasSeen(id));
    if (unknown.length > 0) {
      this.#journal.change(() => {
        for (const id of unknown) this.#journal.see(id);
      });
    }
  }

  /** The next batch of a room: the first waiting mention and those right behind it in the same thread. Work that is `passedOver` keeps its place. */
  next(room: string, passedOver: (work: Work) => boolean = () => false): Work[] {
    const pending = (this.#journal.state.pending[room] ?? []).filter(work => !passedOver(work));
    const [first] = pending;
    if (first === undefined) return [];
    if (first.type === 'request') return [first];
    const end = pending.findIndex(work => work.type !== 'mention' || work.root !== first.root);
    return pending.slice(0, end < 0 ? undefined : end);
  }

  /** Takes work of somebody out of a room's queue; answers what was taken. */
  drop(room: string, wanted: (work: Work) => boolean): Work[] {
    const pending = this.#journal.state.pending[room] ?? [];
    const dropped = pending.filter(wanted);
    if (dropped.length === 0) return dropped;
    this.#journal.change(state => {
      state.pending[room] = pending.filter(work => !dropped.includes(work));
    });
    this.report();
    return dropped;
  }

  /** Puts the work of a run that did not happen back to the front; inside a journal change. */
  static putBack(pending: Record<string, Work[]>, run: Pick<ActiveRun, 'room' | 'items'>): void {
    pending[run.room] = [...run.items, ...(pending[run.room] ?? [])];
  }

  report(): void {
    const waiting = Object.values(this.#journal.state.pending)
      .flat()
      .map(({ room, event, author, since, prompt }) => ({ room, event, author, since, prompt }));
    this.#report({ type: 'queue', waiting });
  }
}

const MAX_RELEASES = 3;
