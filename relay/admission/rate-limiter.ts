// Events a minute of each agent (spec/agent-grants.md section 2): a sliding window in memory, so a restart forgives
// the last minute. Measured with a clock that does not jump.

const WINDOW = 60_000;

export class RateLimiter {
  readonly #taken = new Map<string, number[]>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Takes a slot; false, and none taken, when `rate` of them were taken within the last minute. */
  take(key: string, rate: number): boolean {
    const now = this.#clock();
    const recent = (this.#taken.get(key) ?? []).filter(at => at > now - WINDOW);
    const free = recent.length < rate;
    if (free) recent.push(now);
    this.#taken.set(key, recent);
    return free;
  }
}
