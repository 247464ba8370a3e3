// The one way in for events (spec/http-surface.md section 13): parse, cheap refusals, id, signature once on another
// thread, then everything that is ready in one transaction, and only after its commit the answers, and after them the
// live readers.

import type { Logger, Origin, Outcome } from '../context.ts';
import { LIMITS } from '../limits.ts';
import type { Newsroom } from '../news.ts';
import { parseEvent } from '../protocol/parse-event.ts';
import { StoreFailure } from '../store/refusal.ts';
import type { SignaturePool } from '../verify/signature-pool.ts';
import { hasOwnId, type VerifiedEvent, verified } from '../verify/verified-event.ts';
import { ALREADY_HELD, admit, firstRefusal } from './admit.ts';
import { BEFORE_SIGNATURE } from './order.ts';
import type { Candidate, Desk } from './rule.ts';

type Done = (outcome: Outcome) => void;
/** `verified`: an event, the refusal of one, or null while its signature is looked at. */
type Waiting = { candidate: Candidate; done: Done; verified: VerifiedEvent | string | null };

/** Events one transaction takes: enough to share the cost of a sync, few enough not to hold up the sockets. */
const GROUP = 128;
const BAD_SIGNATURE = 'invalid: the signature is not that of the author';

export type AdmissionParts = {
  desk: Desk;
  pool: SignaturePool;
  log: Logger;
  news: Newsroom;
};

export class Admission {
  readonly #parts: AdmissionParts;
  /** In the order they came: what a client sends in a row is also judged in a row. */
  readonly #queue: Waiting[] = [];
  #scheduled = false;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  publish(event: unknown, origin: Origin): Promise<Outcome> {
    return new Promise(resolve => this.submit(event, origin, resolve));
  }

  /** As publish; `done` is called before any live reader hears of the event. */
  submit(input: unknown, origin: Origin, done: Done): void {
    const early = this.#enqueue(input, origin, done);
    if (early !== null) done(early);
  }

  /** Takes no more events and waits until those under way are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#queue.length > 0) await new Promise<void>(resolve => this.#idle.push(resolve));
  }

  /** The outcome when it is known at once; otherwise the event waits for its signature. */
  #enqueue(input: unknown, origin: Origin, done: Done): Outcome | null {
    if (this.#closed) return refused('error: the relay is closing');
    const { desk, pool } = this.#parts;
    const parsed = parseEvent(input, LIMITS);
    if (!parsed.ok) return refused(parsed.refusal);
    const event = parsed.value;
    const candidate = { event, origin };
    const refusal = firstRefusal(BEFORE_SIGNATURE, candidate, desk);
    if (refusal !== null) return refused(refusal);
    if (!hasOwnId(event)) return refused('invalid: the id is not that of the event');
    if (desk.store.events.get(event.id) !== null) return ALREADY_HELD;
    const waiting: Waiting = { candidate, done, verified: null };
    this.#queue.push(waiting);
    verified(event, pool).then(
      result => this.#settle(waiting, result ?? BAD_SIGNATURE),
      () => this.#settle(waiting, 'error: the signature could not be checked'),
    );
    return null;
  }

  #settle(waiting: Waiting, result: VerifiedEvent | string): void {
    waiting.verified = result;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    let ready = 0;
    const waits = (waiting: Waiting | undefined) => waiting === undefined || waiting.verified === null;
    while (ready < GROUP && !waits(this.#queue[ready])) ready += 1;
    if (ready > 0) this.#admitAll(this.#queue.splice(0, ready));
    if (!waits(this.#queue[0])) this.#schedule();
    if (this.#queue.length === 0) for (const tell of this.#idle.splice(0)) tell();
  }

  #admitAll(group: readonly Waiting[]): void {
    const { desk, log } = this.#parts;
    try {
      desk.store.transact(() => {
        for (const waiting of group) this.#admitOne(waiting);
      });
    } catch (error) {
      if (error instanceof StoreFailure) {
        log.error({ reason: error.reason, events: group.length }, 'Events could not be stored');
        for (const { done } of group) done(refused(error.reason));
      } else if (group.length > 1) {
        // One of them hit a fault of ours: the others must not suffer for it.
        for (const waiting of group) this.#admitAll([waiting]);
      } else {
        log.error({ error: String(error), id: group[0]?.candidate.event.id }, 'An event could not be judged');
        group[0]?.done(refused('error: the relay could not judge this event'));
      }
    }
  }

  #admitOne({ candidate, done, verified }: Waiting): void {
    const { desk, news } = this.#parts;
    if (verified !== null && typeof verified !== 'string') {
      admit(verified, candidate, desk, { done, news });
    } else {
      desk.store.afterCommit(() => done(refused(verified ?? BAD_SIGNATURE)));
    }
  }
}

function refused(message: string): Outcome {
  return { accepted: false, message };
}
