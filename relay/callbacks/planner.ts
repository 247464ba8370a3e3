// Which callbacks an event is sent to. Planned in the transaction that takes the event in, so that neither is there
// without the other; when that fails the event is taken all the same and planning is tried again in the background.

import type { NostrEvent } from '../protocol/event.ts';
import { kindClass } from '../protocol/kinds.ts';
import type { Listener } from './callback-index.ts';
import type { CallbackDesk } from './desk.ts';
import type { OwedPlan } from './job-rows.ts';
import { asStatus, eventToSend, standingRefusal } from './standing.ts';

/** Events that may wait for one callback; more than that and it is paused rather than fed. */
const MOST_WAITING = 10_000;
/** A due time further away was written by a clock that has been set since. */
const LONGEST_WAIT_MS = 900_000;

export class Planner {
  readonly #desk: CallbackDesk;
  readonly #waiting: Map<string, number>;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(desk: CallbackDesk) {
    this.#desk = desk;
    this.#waiting = desk.jobs.waiting();
  }

  /** Plans for an event inside its transaction. Throws only what undoes the transaction anyway. */
  plan({ event, json }: { event: NostrEvent; json: string }): void {
    if (this.#desk.index.size === 0) return;
    const listeners = this.#desk.index.matching(event);
    if (listeners.length === 0) return;
    const source = { event_id: event.id, json: kindClass(event.kind) === 'ephemeral' ? json : null };
    try {
      this.#addJobs(event, source, listeners);
    } catch (error) {
      if (!this.#desk.parts.db.inTransaction) throw error;
      this.#owe(source, error);
    }
  }

  /** Takes up planning that an earlier run of the relay owed. */
  start(): void {
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** A job of the callback is done or dropped. */
  settled(callback: string): void {
    const left = (this.#waiting.get(callback) ?? 0) - 1;
    if (left > 0) this.#waiting.set(callback, left);
    else this.#waiting.delete(callback);
  }

  /** Nothing waits for the callback any more. */
  emptied(callback: string): void {
    this.#waiting.delete(callback);
  }

  #addJobs(event: NostrEvent, source: Source, listeners: readonly Listener[]): void {
    const { jobs, parts } = this.#desk;
    const now = this.#desk.steady();
    for (const { id, owner, filter } of listeners) {
      const refusal = standingRefusal(this.#desk, owner, filter);
      const full = (this.#waiting.get(id) ?? 0) >= MOST_WAITING;
      if (refusal !== null || full) {
        this.#pause(id, refusal === null ? `paused: ${MOST_WAITING} events are waiting` : asStatus(refusal));
      } else if (parts.visibility.canRead({ keys: [owner] }, event)) {
        jobs.add(id, source.event_id, source.json, now);
        parts.store.afterCommit(() => {
          this.#waiting.set(id, (this.#waiting.get(id) ?? 0) + 1);
          this.#desk.onWork(id);
        });
      }
    }
  }

  #pause(id: string, status: string): void {
    const { rows, parts } = this.#desk;
    const callback = rows.get(id);
    if (callback === null || callback.paused) return;
    this.#desk.pause(callback, parts.self, status);
    parts.store.afterCommit(() => this.emptied(id));
  }

  #owe(source: Source, error: unknown): void {
    const { jobs, parts } = this.#desk;
    const accepted_ms = this.#desk.steady();
    jobs.owe({ ...source, accepted_ms, attempts: 0, due_ms: accepted_ms + this.#delay(0) });
    parts.log.warn({ event: source.event_id, error: String(error) }, 'Callbacks are planned later');
    parts.store.afterCommit(() => this.#schedule());
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const next = this.#closed ? undefined : this.#desk.jobs.owed()[0];
    if (next === undefined) return;
    const wait = Math.min(Math.max(0, next.due_ms - this.#desk.steady()), LONGEST_WAIT_MS);
    this.#timer = setTimeout(() => this.#payDue(), wait);
    this.#timer.unref();
  }

  #payDue(): void {
    for (const owed of this.#desk.jobs.owed()) if (owed.due_ms <= this.#desk.steady()) this.#pay(owed);
    this.#schedule();
  }

  #pay(owed: OwedPlan): void {
    const { jobs, parts } = this.#desk;
    try {
      parts.store.transact(() => {
        this.#planOwed(owed);
        jobs.settle(owed.event_id);
      });
    } catch (error) {
      this.#putOff(owed, error);
    }
  }

  /** Only for callbacks that were there before the event; what was planned for them already stays as it is. */
  #planOwed(owed: OwedPlan): void {
    const { parts, index } = this.#desk;
    const event: NostrEvent | null =
      owed.json === null ? parts.store.events.get(owed.event_id) : JSON.parse(owed.json);
    if (event === null) return;
    const listeners = index.matching(event).filter(listener => {
      const source = eventToSend(this.#desk, listener.owner, owed);
      return listener.registered_ms < owed.accepted_ms && 'event' in source;
    });
    this.#addJobs(event, owed, listeners);
  }

  #putOff(owed: OwedPlan, error: unknown): void {
    const { jobs, parts, planDelays } = this.#desk;
    const attempts = owed.attempts + 1;
    const fields = { event: owed.event_id, attempts, error: String(error) };
    try {
      if (attempts >= planDelays.length) {
        parts.log.error(fields, 'Callbacks could not be planned');
        jobs.settle(owed.event_id);
      } else {
        parts.log.warn(fields, 'Callbacks are planned later');
        jobs.owe({ ...owed, attempts, due_ms: this.#desk.steady() + this.#delay(attempts) });
      }
    } catch (failure) {
      // A disk that takes nothing: the row stays as it is and comes up again at the next start.
      parts.log.error({ ...fields, failure: String(failure) }, 'Callbacks could not be planned');
    }
  }

  #delay(attempts: number): number {
    return this.#desk.planDelays[attempts] ?? 0;
  }
}

type Source = { event_id: string; json: string | null };
