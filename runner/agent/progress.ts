// What a run says while it goes on, thinned out: lines for the room at most one in two seconds (the newest wins),
// steps and output for the supervisor at most ten batches a second, however fast the program talks.

import type { Activity } from '../program.ts';
import type { Report } from '../status.ts';

/** Calls `send` with the newest line, at once and then at most every `ms`. */
export class Progress {
  readonly #ms: number;
  readonly #send: (line: string) => void;
  #waiting: string | null = null;
  #last = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, send: (line: string) => void) {
    this.#ms = ms;
    this.#send = send;
  }

  say(line: string): void {
    const text = line.trim();
    if (text === '' || text === this.#last) return;
    this.#waiting = text;
    if (this.#timer === undefined) this.#flush();
  }

  /** Nothing more is sent; the result says the rest. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = null;
  }

  #flush(): void {
    this.#timer = undefined;
    const line = this.#waiting;
    if (line === null) return;
    this.#waiting = null;
    this.#last = line;
    this.#timer = setTimeout(() => this.#flush(), this.#ms);
    this.#send(line);
  }
}

const FEED_MS = 100;
const MAX_STEPS = 200;

/** Reports the steps and the output of one run. */
export class Feed {
  readonly #run: string;
  readonly #report: Report;
  readonly #steps = new Map<string, Activity>();
  #bytes = 0;
  #left = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: string, report: Report) {
    this.#run = run;
    this.#report = report;
  }

  step(activity: Activity): void {
    if (this.#steps.size >= MAX_STEPS && !this.#steps.has(activity.id)) this.#left += 1;
    else this.#steps.set(activity.id, activity);
    this.#timer ??= setTimeout(() => this.flush(), FEED_MS);
  }

  output(bytes: number): void {
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.flush(), FEED_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const activity of this.#steps.values())
      this.#report({ type: 'activity', run: this.#run, ...activity });
    this.#steps.clear();
    if (this.#left > 0) {
      const text = `${this.#left} steps left out: the program reports too many at once`;
      this.#report({ type: 'log', level: 'warn', source: 'runner', text });
      this.#left = 0;
    }
    if (this.#bytes > 0) this.#report({ type: 'output', run: this.#run, bytes: this.#bytes });
    this.#bytes = 0;
  }
}
