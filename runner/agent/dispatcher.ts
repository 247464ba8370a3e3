// Gives work to runs: a batch at a time in each room, interrupted runs first, none while the grant does not hold or
// the runner is stopping; and stops them again.

import type { NostrEvent } from '../../relay/protocol/event.ts';
import { jobError, jobProgress, jobRequest, subjectOf } from './job.ts';
import type { ActiveRun, Work } from './journal.ts';
import { resolveRoot } from './mention.ts';
import { Outbox } from './outbox.ts';
import type { Queue } from './queue.ts';
import { accepted, MAX_ATTEMPTS, Run, type RunContext, type Stop } from './run.ts';

/** A retried run needs its request to outlive it by this much, in seconds. */
const MARGIN = 60;
/** A held run is looked at again at least this often, in ms. */
const LONGEST_WAIT = 3_600_000;

export class Dispatcher {
  readonly #context: RunContext;
  readonly #queue: Queue;
  readonly #runs = new Map<string, Run>();
  readonly #starting = new Set<string>();
  readonly #ends = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;
  /** The reason work was last said to be held for. */
  #told = '';
  #allowed = false;

  constructor(context: RunContext, queue: Queue) {
    this.#context = context;
    this.#queue = queue;
  }

  /** Begins whatever may begin; to be called whenever something changed. */
  dispatch(): void {
    clearTimeout(this.#timer);
    if (!this.#allowed) return;
    const { active, pending } = this.#context.journal.state;
    for (const room of new Set([...Object.keys(active), ...Object.keys(pending)])) {
      if (this.#runs.has(room) || this.#starting.has(room)) continue;
      if (this.#overBudget(active, pending)) return;
      const interrupted = active[room];
      if (interrupted !== undefined) this.#retry(interrupted);
      else if (this.#next(room).length > 0) void this.#begin(room);
    }
  }

  /** A spent budget holds the next run, and says so once there is one to hold. */
  #overBudget(active: Record<string, ActiveRun>, pending: Record<string, Work[]>): boolean {
    const held = this.#context.budget.held();
    if (held === null) {
      this.#told = '';
      return false;
    }
    const { reason, until } = held;
    const waits = Object.keys({ ...active, ...pending }).some(
      room => !this.#runs.has(room) && (active[room] !== undefined || this.#next(room).length > 0),
    );
    if (waits && this.#told !== reason) {
      this.#told = reason;
      this.#context.report({ type: 'suspended', kind: 'budget', reason });
    }
    const wait = Math.min(LONGEST_WAIT, Math.max(1_000, until - Date.now()));
    this.#timer = setTimeout(() => this.dispatch(), wait).unref();
    return true;
  }

  #next(room: string): Work[] {
    return this.#queue.next(room, work => this.#context.guard.isHeld(work));
  }

  /** From now on runs may begin. */
  open(): void {
    if (this.#allowed) return;
    this.#allowed = true;
    this.dispatch();
  }

  /** No run begins any more; those under way go on. */
  shut(): void {
    this.#allowed = false;
    clearTimeout(this.#timer);
  }

  /** No run begins any more and those under way stop; they go on at the next open() or the next start. */
  async hold(reason: string): Promise<void> {
    this.shut();
    for (const run of this.#runs.values()) run.stop({ ending: 'interrupted', reason });
    await Promise.all(this.#ends);
  }

  runOf(id: string): Run | undefined {
    return [...this.#runs.values()].find(run => run.active.run === id);
  }

  runIn(room: string): Run | undefined {
    return this.#runs.get(room);
  }

  /** Ends a run by its id, also one that is only in the journal; false when there is none. */
  stop(id: string, stop: Stop): boolean {
    const run = this.runOf(id);
    if (run !== undefined) {
      run.stop(stop);
      return true;
    }
    const left = Object.values(this.#context.journal.state.active).find(active => active.run === id);
    if (left === undefined) return false;
    // Interrupted and not begun again: ended as it would have been.
    const settled = new Run(left, this.#context);
    settled.stop(stop);
    this.#follow(left.room, settled, []);
    return true;
  }

  /** Tries an interrupted run again, once; after that it is settled as what it was. */
  #retry(left: ActiveRun): void {
    const { journal, signer } = this.#context;
    if (left.attempt >= MAX_ATTEMPTS || left.items.every(item => journal.hasAnswered(item.event))) {
      const settled = new Run(left, this.#context);
      settled.stop({ ending: 'failed', reason: 'interrupted twice; ask again if it is still wanted' });
      this.#follow(left.room, settled, []);
      return;
    }
    const own = left.requester === signer.pubkey;
    const needed = Math.floor((Date.now() + this.#context.limits().timeoutMs) / 1000) + MARGIN;
    const lapsed = own && left.expires !== undefined && left.expires < needed;
    const active = { ...left, attempt: left.attempt + 1, startedAt: Date.now() };
    const again = jobProgress(active, 'Interrupted; trying once more', 0);
    // A request of ours that is about to lapse would take no more answers: a new one carries the work on.
    const announce = lapsed ? this.#announce(active, left.items) : [signer.sign(again)];
    this.#start(active, announce, []);
  }

  async #begin(room: string): Promise<void> {
    this.#starting.add(room);
    try {
      await this.#beginNext(room);
    } finally {
      this.#starting.delete(room);
    }
    this.dispatch();
  }

  async #beginNext(room: string): Promise<void> {
    const { budget, guard, query } = this.#context;
    const [first] = this.#next(room);
    if (first === undefined || !(await guard.admit(first))) return;
    // Without the thread's upper part the reference in the event itself is the best root there is.
    const root = first.threaded
      ? await resolveRoot(first.root, room, query).catch(() => first.root)
      : first.root;
    const items = this.#next(room);
    if (!this.#allowed || items[0]?.event !== first.event || budget.held() !== null) return;
    const { active, announce } = this.#runFor(items, root);
    this.#start(active, announce, items);
  }

  #runFor(items: Work[], root: string): { active: ActiveRun; announce: NostrEvent[] } {
    const { pubkey } = this.#context.signer;
    const [first] = items;
    if (first === undefined) throw new Error('a run needs work');
    const active: ActiveRun = {
      run: first.event,
      room: first.room,
      root,
      requester: first.type === 'request' ? first.author : pubkey,
      subject: subjectOf(items),
      ...(first.expires === undefined ? {} : { expires: first.expires }),
      attempt: 1,
      startedAt: Date.now(),
      items,
    };
    const announce =
      first.type === 'request' ? [accepted(active, this.#context.signer)] : this.#announce(active, items);
    return { active, announce };
  }

  /** Our own request for mentions, and that it is accepted; `active` becomes the run of that request. */
  #announce(active: ActiveRun, items: Work[]): NostrEvent[] {
    const { signer, limits } = this.#context;
    const request = signer.sign(
      jobRequest(items, active.root, signer.pubkey, Date.now() + limits().timeoutMs),
    );
    const expiration = request.tags.find(([name]) => name === 'expiration')?.[1];
    active.run = request.id;
    if (expiration !== undefined) active.expires = Number(expiration);
    return [request, accepted(active, signer)];
  }

  #start(active: ActiveRun, announce: NostrEvent[], items: Work[]): void {
    const { journal, outbox } = this.#context;
    const taken = new Set(items.map(item => item.event));
    journal.change(state => {
      state.pending[active.room] = (state.pending[active.room] ?? []).filter(
        ({ event }) => !taken.has(event),
      );
      state.active[active.room] = active;
      Outbox.add(state, announce, active.run);
    });
    this.#context.budget.begun(active.run);
    this.#queue.report();
    outbox.wake();
    this.#follow(active.room, new Run(active, this.#context), announce);
  }

  #follow(room: string, run: Run, announce: NostrEvent[]): void {
    this.#runs.set(room, run);
    const end = run.go(announce).finally(() => {
      this.#runs.delete(room);
      this.#context.budget.ended(run.active.run);
      this.#ends.delete(end);
      this.dispatch();
    });
    this.#ends.add(end);
  }
}

/** That a request of a person was not taken, or was cancelled before it began. */
export function turnedAway(work: Work, message: string) {
  return jobError({ run: work.event, room: work.room, requester: work.author }, message);
}
