// Negentropy sessions a client has open (NIP-77): one message out, one back, until the asking side has nothing left to
// say.

import type { Filter } from '../protocol/event.ts';
import type { Wire } from './publications.ts';

/** What to do after an answer: send a message, or end, with a refusal when the answer was no good. */
export type NegotiationStep = { send: string } | { end: string | null };

export type Negotiation = {
  /** The first message, hex. */
  first: string;
  /** `answer` is unchecked. */
  next(answer: unknown): NegotiationStep;
};

type Open = {
  negotiation: Negotiation;
  timeoutMs: number;
  timer: NodeJS.Timeout;
  resolve(refusal: string | null): void;
};

export class Negotiations {
  readonly #wire: Pick<Wire, 'send'>;
  readonly #open = new Map<string, Open>();
  #count = 0;

  constructor(wire: Pick<Wire, 'send'>) {
    this.#wire = wire;
  }

  /** Runs one to its end; answers null or the refusal. `timeoutMs` is for each answer. Never rejects. */
  run(filter: Filter, negotiation: Negotiation, timeoutMs: number): Promise<string | null> {
    this.#count += 1;
    const id = `neg-${this.#count}`;
    return new Promise(resolve => {
      this.#open.set(id, { negotiation, timeoutMs, timer: this.#wait(id, timeoutMs), resolve });
      if (!this.#wire.send(['NEG-OPEN', id, filter, negotiation.first]))
        this.#settle(id, 'error: not connected');
    });
  }

  answered(id: string, message: unknown): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    clearTimeout(open.timer);
    const step = open.negotiation.next(message);
    if ('end' in step) {
      this.#wire.send(['NEG-CLOSE', id]);
      this.#settle(id, step.end);
    } else {
      open.timer = this.#wait(id, open.timeoutMs);
      this.#wire.send(['NEG-MSG', id, step.send]);
    }
  }

  /** The relay's NEG-ERR: the session is over on its side. */
  refused(id: string, reason: string): void {
    this.#settle(id, reason);
  }

  disconnected(): void {
    for (const id of [...this.#open.keys()]) this.#settle(id, 'error: connection lost');
  }

  #wait(id: string, timeoutMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#wire.send(['NEG-CLOSE', id]);
      this.#settle(id, 'error: no answer in time');
    }, timeoutMs);
  }

  #settle(id: string, refusal: string | null): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    clearTimeout(open.timer);
    this.#open.delete(id);
    open.resolve(refusal);
  }
}
