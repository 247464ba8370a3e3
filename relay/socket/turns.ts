// Sharing the thread among queries: in one turn of the event loop all of them together take only so long, and a long
// one steps back after a while, so that a short one is soon answered however many long ones there are (case F-17).

/** Work until about that time (of performance.now), then come back for more if there is more. */
export type Work = (until: number) => void;

/** What all queries may take of one turn of the event loop, and one query at a stretch, ms. */
const TURN = 8;
const STRETCH = 3;

export class Turns {
  readonly #waiting: Work[] = [];
  /** When the queries of this turn have had their share; 0 when none has run in it. */
  #deadline = 0;

  /** Runs new work at once when this turn has time left, else before the work that has already begun. */
  begin(work: Work): void {
    if (this.#waiting.length === 0 && this.#hasTime()) work(this.#stretch());
    else this.#waiting.unshift(work);
  }

  /** Runs work again in a later turn, behind what waits. */
  resume(work: Work): void {
    this.#waiting.push(work);
    this.#hasTime();
  }

  /** Opens the turn at its first question. */
  #hasTime(): boolean {
    const now = performance.now();
    if (this.#deadline === 0) {
      this.#deadline = now + TURN;
      setImmediate(() => this.#next());
    }
    return now < this.#deadline;
  }

  #next(): void {
    this.#deadline = 0;
    while (this.#waiting.length > 0 && this.#hasTime()) this.#waiting.shift()?.(this.#stretch());
  }

  #stretch(): number {
    return Math.min(this.#deadline, performance.now() + STRETCH);
  }
}
