// Keeps one process running: start, exit seen from the process itself, backoff, and giving up with a visible
// reason when it ends again and again (cases A1 F-52 C7). Knows nothing of what the process is.

import type { ProcessState } from '../contract/app.ts';

/** One started process as its supervisor sees it. */
export type Supervised = {
  pid: number | undefined;
  /** Resolves once it does its work; the supervisor then calls it running. Never rejects. */
  ready: Promise<void>;
  /** Resolves with why it ended, in words, after its whole tree is gone. Never rejects. */
  ended: Promise<string>;
  /** Ends it with its tree; resolves when all of it is gone. */
  stop(): Promise<void>;
};

export type SupervisorOptions = {
  /** Starts it once. A rejection is a failed start: its message becomes the reason. */
  start(): Promise<Supervised>;
  onState(state: ProcessState): void;
  policy?: Partial<BackoffPolicy>;
  now?: () => number;
  random?: () => number;
};

export type BackoffPolicy = {
  first: number;
  longest: number;
  /** Up for this long, and the next failure counts as the first again. */
  healthy: number;
  /** Ended sooner than this is a quick failure. */
  quick: number;
  /** Quick failures in a row before it is left alone. */
  giveUp: number;
};

const POLICY: BackoffPolicy = {
  first: 1_000,
  longest: 300_000,
  healthy: 600_000,
  quick: 60_000,
  giveUp: 5,
};

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #policy: BackoffPolicy;
  readonly #now: () => number;
  #state: ProcessState;
  #wanted = false;
  #child: Supervised | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #quick = 0;
  #startedAt = 0;
  /** Start and stop run one after the other, whoever asks. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#policy = { ...POLICY, ...options.policy };
    this.#now = options.now ?? Date.now;
    this.#state = { state: 'stopped', since: this.#now() };
  }

  get state(): ProcessState {
    return this.#state;
  }

  /** Starts it, now, also out of a backoff or a suspension: the person's word clears what was counted. */
  start(): Promise<void> {
    this.#wanted = true;
    this.#failures = 0;
    this.#quick = 0;
    return this.#inTurn(() => this.#launch());
  }

  /** Stops it and keeps it stopped; resolves when nothing of it is left. Stopping what does not run is fine (A9). */
  stop(reason?: string): Promise<void> {
    this.#wanted = false;
    this.#clearTimer();
    return this.#inTurn(async () => {
      this.#clearTimer();
      const child = this.#child;
      this.#child = null;
      await child?.stop();
      this.#set({ state: 'stopped', ...(reason === undefined ? {} : { reason }) });
    });
  }

  /** Stops it until a person acts, with the reason shown. */
  async suspend(reason: string): Promise<void> {
    await this.stop();
    this.#set({ state: 'suspended', reason });
  }

  async #launch(): Promise<void> {
    this.#clearTimer();
    if (!this.#wanted || this.#child) return;
    this.#startedAt = this.#now();
    this.#set({ state: 'starting' });
    let child: Supervised;
    try {
      child = await this.#options.start();
    } catch (error) {
      this.#failed((error as Error).message);
      return;
    }
    this.#child = child;
    this.#set({ state: 'starting', pid: child.pid });
    void child.ready.then(() => {
      if (this.#child === child) this.#set({ state: 'running', pid: child.pid });
    });
    void child.ended.then(reason => {
      if (this.#child !== child) return;
      this.#child = null;
      if (this.#wanted) this.#failed(reason);
      else this.#set({ state: 'stopped', reason });
    });
  }

  #failed(reason: string): void {
    const uptime = this.#now() - this.#startedAt;
    if (uptime >= this.#policy.healthy) this.#failures = 0;
    this.#failures += 1;
    this.#quick = uptime < this.#policy.quick ? this.#quick + 1 : 0;
    if (this.#quick >= this.#policy.giveUp) {
      this.#wanted = false;
      this.#set({ state: 'suspended', reason: `It ended ${this.#quick} times in a row: ${reason}` });
      return;
    }
    const delay = this.#delay();
    this.#set({ state: 'backing-off', reason, retryAt: this.#now() + delay });
    this.#timer = setTimeout(() => void this.#inTurn(() => this.#launch()), delay);
    this.#timer.unref();
  }

  /** Doubles from `first` to `longest`, with up to a quarter taken off so that many do not start at once. */
  #delay(): number {
    const { first, longest } = this.#policy;
    const full = Math.min(longest, first * 2 ** (this.#failures - 1));
    return Math.round(full * (1 - (this.#options.random ?? Math.random)() / 4));
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(task);
    this.#turn = result.catch(() => {});
    return result;
  }

  #clearTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #set(next: Omit<ProcessState, 'since' | 'pid'> & { pid?: number | undefined }): void {
    const { pid, ...rest } = next;
    const since = next.state === this.#state.state ? this.#state.since : this.#now();
    this.#state = { ...rest, since, ...(pid === undefined ? {} : { pid }) };
    this.#options.onState(this.#state);
  }
}
