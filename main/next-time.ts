// One timer for the next of many moments, instead of one that looks again and again.

/** setTimeout takes no more than this many milliseconds. */
const LONGEST = 2_147_000_000;

export class NextTime {
  readonly #reached: () => void;
  #timer: NodeJS.Timeout | null = null;

  /** `reached` is called when the next moment is there; it sets what comes after. */
  constructor(reached: () => void) {
    this.#reached = reached;
  }

  /** Waits for the earliest of these moments that is still to come, in ms since 1970. */
  set(moments: number[]): void {
    this.clear();
    const now = Date.now();
    const next = Math.min(...moments.filter(moment => moment > now));
    if (!Number.isFinite(next)) return;
    this.#timer = setTimeout(this.#reached, Math.min(next - now, LONGEST));
    this.#timer.unref();
  }

  clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
