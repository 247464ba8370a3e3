// How much one connection may ask for, so that a client gone wild cannot take the relay from the others. Far above
// what any client needs; measured with a clock that does not jump.

import { LIMITS } from '../limits.ts';
import type { ClientMessage } from './messages.ts';

type Rate = { burst: number; perSecond: number };

/** So many at once, and so many a second in the long run. */
class Allowance {
  readonly #rate: Rate;
  #left: number;
  #at = performance.now();

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#left = rate.burst;
  }

  take(): boolean {
    const now = performance.now();
    const { burst, perSecond } = this.#rate;
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1000) * perSecond);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

export class ConnectionRates {
  readonly #events = new Allowance(LIMITS.rates.events);
  readonly #queries = new Allowance(LIMITS.rates.queries);
  readonly #proofs = new Allowance(LIMITS.rates.proofs);
  readonly #faults = new Allowance(LIMITS.rates.faults);

  /** The answer to a message that is one too many; null when it is not. Ending things is always free. */
  refusal(message: ClientMessage): readonly unknown[] | null {
    const { verb, id } = message;
    switch (verb) {
      case 'EVENT':
        return this.#events.take() ? null : ['OK', id, false, 'rate-limited: too many events'];
      case 'AUTH':
        return this.#proofs.take() ? null : ['OK', id, false, 'rate-limited: too many proofs'];
      case 'REQ':
      case 'COUNT':
        return this.#queries.take() ? null : ['CLOSED', id, 'rate-limited: too many queries'];
      case 'NEG-OPEN':
      case 'NEG-MSG':
        return this.#queries.take() ? null : ['NEG-ERR', id, 'rate-limited: too many queries'];
      default:
        return null;
    }
  }

  /** May a client that sent something unreadable go on? */
  toleratesFault(): boolean {
    return this.#faults.take();
  }
}
