// What the parts of the callbacks share: the relay's doors they go through, their own tables, and what one of them
// asks of another.

import type { Database } from 'better-sqlite3';
import type { Logger, Reader, Role } from '../context.ts';
import type { NostrEvent } from '../protocol/event.ts';
import type { SqliteStore } from '../store/store.ts';
import { CallbackIndex } from './callback-index.ts';
import { type Callback, CallbackRows } from './callback-rows.ts';
import { JobRows } from './job-rows.ts';
import type { Resolver, TargetRule } from './target.ts';

/** What the policy says of callbacks: `callbacks` per key (0 closes them), and where they may go. */
export type CallbackPolicy = { callbacks: number; callbackTargets: TargetRule };

export type CallbackParts = {
  db: Database;
  store: SqliteStore;
  policy(): Partial<CallbackPolicy>;
  roles: { roleOf(pubkey: string): Role };
  visibility: { canRead(reader: Reader, event: NostrEvent): boolean };
  /** Public key of the relay: the actor of pauses nobody ordered. */
  self: string;
  /** The relay's public URL, named in every POST. */
  url: string;
  /** From callbackSealKey. */
  sealKey: Uint8Array;
  log: Logger;
  resolve?: Resolver;
  /** PEM of authorities trusted besides the usual ones. */
  ca?: string;
  /** Wall clock in milliseconds. */
  now?: () => number;
  /** Waits before the second and the third attempt, in milliseconds. */
  retryDelays?: readonly number[];
  /** Waits before each attempt at planning that failed in the event's transaction. */
  planDelays?: readonly number[];
};

const MINUTE = 60_000;
const DEFAULTS: CallbackPolicy = { callbacks: 4, callbackTargets: 'public' };

export class CallbackDesk {
  readonly parts: CallbackParts;
  readonly rows: CallbackRows;
  readonly jobs: JobRows;
  /** The callbacks that are not paused. Always what the disk says: changed after a commit only. */
  readonly index = new CallbackIndex();
  readonly retryDelays: readonly number[];
  readonly planDelays: readonly number[];
  /** Told after a commit that there is work for a callback; the courier listens. */
  onWork: (callback: string) => void = () => {};

  readonly #started: { wall: number; steady: number };

  constructor(parts: CallbackParts) {
    this.parts = parts;
    this.#started = { wall: parts.now?.() ?? Date.now(), steady: performance.now() };
    this.rows = new CallbackRows(parts.db);
    this.jobs = new JobRows(parts.db);
    this.retryDelays = parts.retryDelays ?? [MINUTE, 5 * MINUTE];
    this.planDelays = parts.planDelays ?? [MINUTE / 2, 2 * MINUTE, 10 * MINUTE];
    for (const callback of this.rows.list()) this.#file(callback);
  }

  /** Milliseconds that only ever go on: wall time at the start, and since then whatever the clock is set to. */
  steady(): number {
    return Math.round(this.#started.wall + performance.now() - this.#started.steady);
  }

  /** Wall time in seconds. */
  seconds(): number {
    return Math.floor((this.parts.now?.() ?? Date.now()) / 1000);
  }

  policy(): CallbackPolicy {
    const { callbacks, callbackTargets } = this.parts.policy();
    return {
      callbacks: callbacks ?? DEFAULTS.callbacks,
      callbackTargets: callbackTargets ?? DEFAULTS.callbackTargets,
    };
  }

  /** Writes a callback inside the running transaction. */
  put(callback: Callback): void {
    this.rows.put(callback);
    this.parts.store.afterCommit(() => this.#file(callback));
  }

  /** Removes a callback with all that belongs to it, inside the running transaction. */
  remove(id: string): void {
    this.rows.remove(id);
    this.jobs.removeCallback(id);
    this.parts.store.afterCommit(() => this.index.delete(id));
  }

  /** Pauses inside the running transaction: what waits is dropped, and why is kept as the status. */
  pause(callback: Callback, actor: string, reason?: string): void {
    this.put({ ...callback, paused: true, last_status: reason ?? callback.last_status });
    this.jobs.dropWaiting(callback.id);
    const detail = reason ?? callback.host;
    this.parts.store.audit.add({ actor, action: 'pausecallback', target: callback.id, detail });
  }

  #file(callback: Callback): void {
    if (callback.paused) this.index.delete(callback.id);
    else this.index.set(callback);
  }
}
