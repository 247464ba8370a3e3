// Makes the POSTs that are planned: one at a time for each callback, at once for what is new, later for what failed.
// Every POST is checked anew, and what came of it is stored before the next.

import type { Callback } from './callback-rows.ts';
import { type Delivery, deliver } from './deliver.ts';
import type { CallbackDesk } from './desk.ts';
import type { Job } from './job-rows.ts';
import type { Planner } from './planner.ts';
import { openSecret } from './sealed-secret.ts';
import { asStatus, eventToSend, standingRefusal } from './standing.ts';

/** POSTs under way at once, over all callbacks. */
const AT_ONCE = 32;
const FAILURES_THAT_PAUSE = 20;
/** After a fault of ours, such as a full disk, before the callback is looked at again. */
const FAULT_PAUSE_MS = 30_000;
/** How long a finished job keeps its event from being planned again. */
const REMEMBER_MS = 3_600_000;
const FINISHED_BETWEEN_CLEANINGS = 500;

/** `again`: woken while it ran, so it must look once more before it rests. */
type Lane = { running: boolean; again: boolean; timer?: NodeJS.Timeout };

export class Courier {
  readonly #desk: CallbackDesk;
  readonly #planner: Planner;
  readonly #lanes = new Map<string, Lane>();
  readonly #stop = new AbortController();
  readonly #queue: (() => void)[] = [];
  #free = AT_ONCE;
  #finished = 0;
  #running = new Set<Promise<void>>();

  constructor(desk: CallbackDesk, planner: Planner) {
    this.#desk = desk;
    this.#planner = planner;
    desk.onWork = callback => this.wake(callback);
  }

  /** Takes up what an earlier run of the relay left. */
  start(): void {
    const { jobs, retryDelays, parts } = this.#desk;
    parts.store.transact(() => {
      // No retry waits longer than this, however the clock was set meanwhile.
      jobs.bringForward(this.#desk.steady() + Math.max(...retryDelays));
      jobs.forgetFinished(this.#desk.steady() - REMEMBER_MS);
    });
    for (const callback of jobs.waiting().keys()) this.wake(callback);
  }

  /** There is work for the callback, or there may be. */
  wake(id: string): void {
    if (this.#stop.signal.aborted) return;
    const lane = this.#lanes.get(id) ?? { running: false, again: false };
    this.#lanes.set(id, lane);
    if (lane.running) {
      lane.again = true;
      return;
    }
    clearTimeout(lane.timer);
    lane.running = true;
    lane.again = false;
    const run = this.#run(id, lane).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  /** Breaks off what is under way (it is sent again after the next start) and waits until all is still. */
  async close(): Promise<void> {
    this.#stop.abort();
    for (const lane of this.#lanes.values()) clearTimeout(lane.timer);
    for (const go of this.#queue.splice(0)) go();
    await Promise.all(this.#running);
  }

  async #run(id: string, lane: Lane): Promise<void> {
    let wait: number | null = null;
    try {
      wait = await this.#workThrough(id);
    } catch (error) {
      this.#desk.parts.log.error({ callback: id, error: String(error) }, 'A callback could not be served');
      wait = FAULT_PAUSE_MS;
    }
    lane.running = false;
    if (this.#stop.signal.aborted) return;
    if (lane.again) {
      this.wake(id);
    } else if (wait === null) {
      this.#lanes.delete(id);
    } else {
      lane.timer = setTimeout(() => this.wake(id), wait);
      lane.timer.unref();
    }
  }

  /** Serves everything that is due; answers the milliseconds until more is, or null when nothing waits. */
  async #workThrough(id: string): Promise<number | null> {
    while (!this.#stop.signal.aborted) {
      const job = this.#desk.jobs.next(id);
      if (job === null) return null;
      const wait = job.due_ms - this.#desk.steady();
      if (wait > 0) return wait;
      await this.#slot();
      try {
        await this.#serve(job);
      } finally {
        this.#leaveSlot();
      }
    }
    return null;
  }

  async #serve(job: Job): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { rows, parts } = this.#desk;
    const callback = rows.get(job.callback);
    if (callback === null || callback.paused) return this.#drop(job, null);
    const refusal = standingRefusal(this.#desk, callback.owner, callback.filter);
    if (refusal !== null) return this.#pause(callback, asStatus(refusal));
    const source = eventToSend(this.#desk, callback.owner, job);
    if ('reason' in source) return this.#drop(job, source.reason);
    const secret = openSecret(parts.sealKey, callback.id, callback.secret);
    if (secret === null)
      return this.#pause(callback, 'paused: its secret cannot be opened, register it again');
    const attempt = job.attempts + 1;
    const post = { url: callback.url, callback: callback.id, secret, relay: parts.url, attempt };
    const delivery = await deliver({ ...post, eventId: job.event_id, body: source.json }, this.#options());
    // Broken off by the end of the relay: as if it had not been tried.
    if (this.#stop.signal.aborted && !delivery.ok) return;
    this.#record(job, delivery);
  }

  #options() {
    const { resolve, ca } = this.#desk.parts;
    return {
      rule: this.#desk.policy().callbackTargets,
      signal: this.#stop.signal,
      ...(resolve === undefined ? {} : { resolve }),
      ...(ca === undefined ? {} : { ca }),
    };
  }

  #record(job: Job, { ok, status, reason, milliseconds }: Delivery): void {
    const { rows, jobs, parts, retryDelays } = this.#desk;
    const at = this.#desk.seconds();
    parts.store.transact(() => {
      // Removed while the POST was under way: nothing is kept of it.
      const callback = rows.get(job.callback);
      if (callback === null) return;
      const entry = {
        event_id: job.event_id,
        attempt: job.attempts + 1,
        at,
        status,
        outcome: reason,
        milliseconds,
      };
      jobs.log(callback.id, entry);
      const delay = ok ? undefined : retryDelays[job.attempts];
      if (delay === undefined) this.#finish(job);
      else jobs.retryAt(job.id, this.#desk.steady() + delay);
      const failures = ok ? 0 : callback.failures + 1;
      const next = { ...callback, failures, last_delivery: at, last_status: ok ? `HTTP ${status}` : reason };
      if (failures >= FAILURES_THAT_PAUSE && !callback.paused) {
        this.#pauseIn(next, `paused: ${failures} failures in a row, the last: ${reason}`);
      } else if (!callback.paused) {
        this.#desk.put(next);
      }
    });
  }

  #drop(job: Job, reason: string | null): void {
    const { jobs, parts } = this.#desk;
    parts.store.transact(() => {
      this.#finish(job);
      if (reason === null) return;
      const at = this.#desk.seconds();
      const entry = { event_id: job.event_id, attempt: job.attempts + 1, at, status: 0, milliseconds: 0 };
      jobs.log(job.callback, { ...entry, outcome: `not sent: ${reason}` });
    });
  }

  #finish(job: Job): void {
    const now = this.#desk.steady();
    this.#desk.jobs.finish(job.id, now);
    this.#finished += 1;
    if (this.#finished % FINISHED_BETWEEN_CLEANINGS === 0) this.#desk.jobs.forgetFinished(now - REMEMBER_MS);
    this.#desk.parts.store.afterCommit(() => this.#planner.settled(job.callback));
  }

  #pause(callback: Callback, status: string): void {
    this.#desk.parts.store.transact(() => this.#pauseIn(callback, status));
  }

  #pauseIn(callback: Callback, status: string): void {
    const { parts } = this.#desk;
    this.#desk.pause(callback, parts.self, status);
    parts.store.afterCommit(() => this.#planner.emptied(callback.id));
  }

  async #slot(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>(resolve => this.#queue.push(resolve));
  }

  #leaveSlot(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
