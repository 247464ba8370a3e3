// Registering callbacks and having a say over them (spec/callbacks.md section 1). Every change and its audit row are
// one transaction.

import { randomBytes } from 'node:crypto';
import type { Role } from '../context.ts';
import { type CallbackFilter, parseCallbackFilter } from '../protocol/callback-filter.ts';
import type { Parsed } from '../protocol/reasons.ts';
import type { Callback } from './callback-rows.ts';
import type { CallbackDesk } from './desk.ts';
import type { LogEntry } from './job-rows.ts';
import { sealSecret } from './sealed-secret.ts';
import { eventToSend, standingRefusal } from './standing.ts';
import { parseTarget } from './target.ts';

/** A callback as it is shown; without `url` when it is another key's. `created` and `lastDelivery` in Unix seconds. */
export type CallbackSummary = {
  id: string;
  owner: string;
  url?: string;
  host: string;
  filter: CallbackFilter;
  created: number;
  /** 0 before the first POST. */
  lastDelivery: number;
  lastStatus: string;
  failures: number;
  paused: boolean;
};

export type CallbackCaller = { pubkey: string; role: Role };

/** Not checked yet. */
export type Registration = { url?: unknown; filter?: unknown; secret?: unknown };

const OPERATORS: readonly Role[] = ['owner', 'moderator'];
const SECRET = /^[!-~]{16,128}$/;

export class Registrations {
  readonly #desk: CallbackDesk;
  /** Told after a commit that nothing waits for a callback any more. */
  readonly #onEmptied: (callback: string) => void;

  constructor(desk: CallbackDesk, onEmptied: (callback: string) => void) {
    this.#desk = desk;
    this.#onEmptied = onEmptied;
  }

  /** Registers for the caller's own key; the answer alone holds the secret. */
  add(caller: CallbackCaller, input: Registration): Parsed<CallbackSummary & { secret: string }> {
    const target = parseTarget(input.url, this.#desk.policy().callbackTargets);
    if (!target.ok) return target;
    const filter = parseCallbackFilter(input.filter);
    if (!filter.ok) return filter;
    const secret = secretOf(input.secret);
    if (!secret.ok) return secret;
    const refusal = standingRefusal(this.#desk, caller.pubkey, filter.value) ?? this.#fullRefusal(caller);
    if (refusal !== null) return { ok: false, refusal };
    const callback = this.#made(caller.pubkey, target.value, filter.value, secret.value);
    this.#change(caller, 'addcallback', callback, () => this.#desk.put(callback));
    return { ok: true, value: { ...summary(callback, caller), secret: secret.value } };
  }

  /** The caller's own, or all of them for the owner and moderators; oldest first. */
  list(caller: CallbackCaller): CallbackSummary[] {
    const mine = this.#desk.rows.list().filter(callback => mayControl(callback, caller));
    return mine.map(callback => summary(callback, caller));
  }

  remove(caller: CallbackCaller, id: string): Parsed<{ removed: string }> {
    const callback = this.#controlled(caller, id);
    if (callback === null) return NOT_FOUND;
    this.#change(caller, 'removecallback', callback, () => this.#desk.remove(id));
    this.#onEmptied(id);
    return { ok: true, value: { removed: id } };
  }

  pause(caller: CallbackCaller, id: string): Parsed<CallbackSummary> {
    const callback = this.#controlled(caller, id);
    if (callback === null) return NOT_FOUND;
    if (!callback.paused) {
      this.#desk.parts.store.transact(() => this.#desk.pause(callback, caller.pubkey));
      this.#onEmptied(id);
    }
    return this.#current(caller, id);
  }

  /** Clears pause, count and status; what was missed is not sent. */
  resume(caller: CallbackCaller, id: string): Parsed<CallbackSummary> {
    const callback = this.#controlled(caller, id);
    if (callback === null) return NOT_FOUND;
    const refusal = standingRefusal(this.#desk, callback.owner, callback.filter);
    if (refusal !== null) return { ok: false, refusal };
    const clear = { ...callback, paused: false, failures: 0, last_status: '' };
    this.#change(caller, 'resumecallback', callback, () => {
      if (callback.paused) this.#desk.jobs.dropWaiting(id);
      this.#desk.put(clear);
    });
    return this.#current(caller, id);
  }

  /** The last 50 POSTs and what came of them, newest first. */
  log(caller: CallbackCaller, id: string): Parsed<LogEntry[]> {
    const callback = this.#controlled(caller, id);
    return callback === null ? NOT_FOUND : { ok: true, value: this.#desk.jobs.logOf(id) };
  }

  /** Sends a stored event once more, with its attempts counted anew. */
  redeliver(caller: CallbackCaller, id: string, eventId: string): Parsed<{ redelivering: string }> {
    const callback = this.#controlled(caller, id);
    if (callback === null) return NOT_FOUND;
    if (callback.paused) return { ok: false, refusal: 'conflict: the callback is paused' };
    const source = eventToSend(this.#desk, callback.owner, { event_id: eventId, json: null });
    if ('reason' in source) return { ok: false, refusal: `not found: ${source.reason}` };
    this.#change(caller, 'redelivercallback', callback, () => {
      this.#desk.jobs.addAgain(id, eventId, null, this.#desk.steady());
      this.#desk.parts.store.afterCommit(() => this.#desk.onWork(id));
    });
    return { ok: true, value: { redelivering: eventId } };
  }

  /** Removes everything of a key that asked to vanish; call inside a transaction. */
  forget(owner: string): void {
    const { store } = this.#desk.parts;
    for (const { id, host } of this.#desk.rows.list().filter(callback => callback.owner === owner)) {
      this.#desk.remove(id);
      store.audit.add({ actor: owner, action: 'removecallback', target: id, detail: host });
      store.afterCommit(() => this.#onEmptied(id));
    }
  }

  /** Pauses those of the keys (all without) that may not be served any more, so that lists tell the truth. */
  review(keys?: readonly string[]): void {
    for (const callback of this.#desk.rows.list()) {
      if (callback.paused || (keys !== undefined && !keys.includes(callback.owner))) continue;
      const refusal = standingRefusal(this.#desk, callback.owner, callback.filter);
      if (refusal === null) continue;
      const status = `paused: ${refusal.replace(/^[a-z-]+: /, '')}`;
      const { store, self } = this.#desk.parts;
      store.transact(() => this.#desk.pause(callback, self, status));
      this.#onEmptied(callback.id);
    }
  }

  #fullRefusal({ pubkey, role }: CallbackCaller): string | null {
    if (role === 'owner') return null;
    const most = this.#desk.policy().callbacks;
    if (most === 0) return 'restricted: this relay takes no callbacks';
    const held = this.#desk.rows.list().filter(callback => callback.owner === pubkey).length;
    return held < most ? null : `restricted: a key may hold ${most} callbacks`;
  }

  #made(
    owner: string,
    target: { url: string; host: string },
    filter: CallbackFilter,
    secret: string,
  ): Callback {
    const id = randomBytes(16).toString('hex');
    return {
      ...{ id, owner, ...target, filter, secret: sealSecret(this.#desk.parts.sealKey, id, secret) },
      ...{ created_at: this.#desk.seconds(), registered_ms: this.#desk.steady() },
      ...{ last_delivery: 0, last_status: '', failures: 0, paused: false },
    };
  }

  #change(caller: CallbackCaller, action: string, { id, host }: Callback, change: () => void): void {
    const { store } = this.#desk.parts;
    store.transact(() => {
      change();
      store.audit.add({ actor: caller.pubkey, action, target: id, detail: host });
    });
  }

  /** Null for one that is not there and for one that is none of the caller's business alike. */
  #controlled(caller: CallbackCaller, id: string): Callback | null {
    const callback = this.#desk.rows.get(id);
    return callback !== null && mayControl(callback, caller) ? callback : null;
  }

  #current(caller: CallbackCaller, id: string): Parsed<CallbackSummary> {
    const callback = this.#desk.rows.get(id);
    return callback === null ? NOT_FOUND : { ok: true, value: summary(callback, caller) };
  }
}

const NOT_FOUND = { ok: false, refusal: 'not found: callback' } as const;

function mayControl(callback: Callback, { pubkey, role }: CallbackCaller): boolean {
  return callback.owner === pubkey || OPERATORS.includes(role);
}

function summary(callback: Callback, caller: CallbackCaller): CallbackSummary {
  const { id, owner, url, host, filter, failures, paused } = callback;
  return {
    ...{ id, owner, ...(owner === caller.pubkey ? { url } : {}), host, filter, created: callback.created_at },
    ...{ lastDelivery: callback.last_delivery, lastStatus: callback.last_status, failures, paused },
  };
}

function secretOf(input: unknown): Parsed<string> {
  if (input === undefined || input === null || (typeof input === 'string' && input.trim() === '')) {
    return { ok: true, value: randomBytes(32).toString('hex') };
  }
  if (typeof input === 'string' && SECRET.test(input)) return { ok: true, value: input };
  return {
    ok: false,
    refusal: 'invalid: callback secret must be 16 to 128 printable characters without spaces',
  };
}
