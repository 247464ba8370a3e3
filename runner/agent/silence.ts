// The silence limit of a run: a program that says nothing, waits for nobody and does not work either is not waited for
// until the hard limit. It is shown after a minute at the latest, long before it strikes; a machine that slept does not
// count, and neither does a question that waits for a person (cases B3 C2).

export type SilenceParts = {
  /** ms of silence after which the run is stopped. */
  limitMs: number;
  /** Has the program, or anything it started, worked since it was asked last? */
  busy(): Promise<boolean>;
  /** From when on it is silent (ms since 1970) and when the limit strikes; null when it speaks again. */
  changed(silent: { since: number; until: number } | null): void;
  strike(): void;
};

const SHOWN_AFTER_MS = 60_000;

export class Silence {
  readonly #parts: SilenceParts;
  readonly #tickMs: number;
  readonly #timer: NodeJS.Timeout;
  #heardAt = Date.now();
  #tickedAt = Date.now();
  #waiting = 0;
  #shown = false;
  #looking = false;

  constructor(parts: SilenceParts) {
    this.#parts = parts;
    this.#tickMs = Math.max(20, Math.min(15_000, parts.limitMs / 20));
    this.#timer = setInterval(() => void this.#tick(), this.#tickMs);
  }

  /** The program gave a sign of life. */
  heard(): void {
    this.#heardAt = Date.now();
    if (!this.#shown) return;
    this.#shown = false;
    this.#parts.changed(null);
  }

  /** How many questions wait for a person now. */
  waiting(count: number): void {
    this.#waiting = count;
    this.heard();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #tick(): Promise<void> {
    const now = Date.now();
    const gap = now - this.#tickedAt;
    this.#tickedAt = now;
    if (this.#waiting > 0) return this.heard();
    // The machine slept, or this process did not get to run: nobody could be heard.
    if (gap > this.#tickMs * 4 + 1_000) return this.heard();
    const { limitMs, changed, strike } = this.#parts;
    const silent = now - this.#heardAt;
    if (silent < Math.min(limitMs / 2, SHOWN_AFTER_MS) || this.#looking) return;
    this.#looking = true;
    const busy = await this.#parts.busy().catch(() => false); // A system that does not tell counts as no work.
    this.#looking = false;
    if (busy) return this.heard();
    if (silent >= limitMs) {
      this.end();
      strike();
    } else if (!this.#shown) {
      this.#shown = true;
      changed({ since: this.#heardAt, until: this.#heardAt + limitMs });
    }
  }
}
