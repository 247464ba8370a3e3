// Every event the runner must publish is in the journal before it is sent, and is sent again until the relay takes it
// or refuses it for good (case C5). One at a time and in order: an answer never overtakes the request it names.

import type { RelayConnection } from '../../relay/client/connection.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import type { Report } from '../status.ts';
import type { Journal, JournalState, Outgoing } from './journal.ts';

export type Delivery = { ok: true } | { ok: false; reason: string };

export type OutboxHooks = {
  /** The relay refused an event because of the grant; answers whether it may be accepted later. */
  grantRefused(reason: string): Promise<'later' | 'never'>;
  settled(event: NostrEvent, run: string | undefined, delivery: Delivery): void;
};

const MIN_PAUSE = 1_000;
const MAX_PAUSE = 30_000;

export class Outbox {
  readonly #journal: Journal;
  readonly #connection: Pick<RelayConnection, 'publish' | 'state' | 'onState'>;
  readonly #hooks: OutboxHooks;
  readonly #report: Report;
  readonly #waiters = new Map<string, ((delivery: Delivery) => void)[]>();
  #sending = false;
  #held = false;
  #timer: NodeJS.Timeout | undefined;
  #pause = MIN_PAUSE;
  #closed = false;
  #last = '';

  constructor(
    journal: Journal,
    connection: Pick<RelayConnection, 'publish' | 'state' | 'onState'>,
    hooks: OutboxHooks,
    report: Report,
  ) {
    this.#journal = journal;
    this.#connection = connection;
    this.#hooks = hooks;
    this.#report = report;
    connection.onState(({ state }) => {
      if (state === 'online') this.wake();
    });
  }

  /** Adds events inside a journal change, so that they and what they tell become durable together. */
  static add(state: JournalState, events: NostrEvent[], run?: string): void {
    for (const event of events) {
      if (event.kind === KIND.jobProgress) dropOlderProgress(state, event);
      state.outbox.push({ event, attempts: 0, ...(run === undefined ? {} : { run }) });
    }
  }

  /** Journals events and begins to send them. */
  send(events: NostrEvent[], run?: string): void {
    this.#journal.change(state => Outbox.add(state, events, run));
    this.wake();
  }

  /** What became of an event; at once when it is no longer waiting. */
  settled(id: string): Promise<Delivery> {
    if (!this.#journal.state.outbox.some(({ event }) => event.id === id)) {
      const refused = this.#journal.state.refused.find(({ event }) => event === id);
      return Promise.resolve(refused === undefined ? { ok: true } : { ok: false, reason: refused.reason });
    }
    return new Promise(resolve => this.#waiters.set(id, [...(this.#waiters.get(id) ?? []), resolve]));
  }

  /** While held nothing is sent: the grant is paused and everything would be refused. */
  hold(held: boolean): void {
    this.#held = held;
    if (!held) this.wake();
  }

  wake(): void {
    this.#pause = MIN_PAUSE;
    clearTimeout(this.#timer);
    void this.#drain();
  }

  /** Waits until everything is out, or the time is over. */
  async flush(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (this.#journal.state.outbox.length > 0 && performance.now() < end) {
      const next = this.#journal.state.outbox[0];
      if (next === undefined || this.#held || this.#connection.state.state !== 'online') return;
      const rest = end - performance.now();
      await Promise.race([this.settled(next.event.id), new Promise(resolve => setTimeout(resolve, rest))]);
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  report(): void {
    const { outbox, refused } = this.#journal.state;
    const line = JSON.stringify([outbox.length, refused.map(({ event }) => event)]);
    if (line === this.#last) return;
    this.#last = line;
    this.#report({ type: 'outbox', undelivered: outbox.length, refused });
  }

  async #drain(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      for (;;) {
        const next = this.#journal.state.outbox[0];
        if (next === undefined || this.#closed || this.#held) break;
        if (this.#connection.state.state === 'offline') break;
        if (!(await this.#attempt(next))) break;
      }
    } finally {
      this.#sending = false;
      if (!this.#closed) this.report();
    }
  }

  /** Sends the first event; false when it has to wait. */
  async #attempt(next: Outgoing): Promise<boolean> {
    const { ok, reason } = await this.#connection.publish(next.event);
    if (this.#closed) return false;
    if (ok || reason.startsWith('duplicate:')) {
      this.#settle(next, { ok: true });
      return true;
    }
    if (await this.#isFinal(reason)) {
      this.#settle(next, { ok: false, reason });
      return true;
    }
    next.attempts += 1;
    next.lastError = reason;
    if (this.#connection.state.state === 'online' && !this.#held) {
      this.#timer = setTimeout(() => void this.#drain(), this.#pause);
      this.#pause = Math.min(MAX_PAUSE, this.#pause * 2);
    }
    return false;
  }

  async #isFinal(reason: string): Promise<boolean> {
    if (/^(error|auth-required|rate-limited):/.test(reason)) return false;
    if (/events per minute/.test(reason)) return false;
    if (/^restricted: agent grant/.test(reason)) return (await this.#hooks.grantRefused(reason)) === 'never';
    return true;
  }

  #settle(sent: Outgoing, delivery: Delivery): void {
    const { id, kind } = sent.event;
    this.#pause = MIN_PAUSE;
    this.#journal.change(state => {
      state.outbox = state.outbox.filter(({ event }) => event.id !== id);
      if (!delivery.ok) state.refused.push({ event: id, kind, reason: delivery.reason });
    });
    if (!delivery.ok) {
      const text = `the relay refused a kind ${kind} event: ${delivery.reason}`;
      this.#report({ type: 'log', level: 'error', source: 'runner', text });
    }
    this.report();
    for (const tell of this.#waiters.get(id) ?? []) tell(delivery);
    this.#waiters.delete(id);
    this.#hooks.settled(sent.event, sent.run, delivery);
  }
}

/** Of the progress of one run only the newest is worth sending late. */
function dropOlderProgress(state: JournalState, event: NostrEvent): void {
  const request = event.tags.find(([name]) => name === 'e')?.[1];
  state.outbox = state.outbox.filter(
    ({ event: older, attempts }) =>
      older.kind !== KIND.jobProgress ||
      attempts > 0 ||
      older.tags.find(([name]) => name === 'e')?.[1] !== request,
  );
}
