// Negentropy sessions of one client (NIP-77): each holds the ids its client could read when it was opened, and answers
// about them. How many ids are held is bounded per session and over all clients (cases F-23, B-08).

import type { Reader } from '../context.ts';
import { LIMITS } from '../limits.ts';
import type { Policy } from '../policy.ts';
import type { Filter } from '../protocol/event.ts';
import { answerNegentropy } from '../protocol/negentropy.ts';
import type { NegentropyItems } from '../protocol/negentropy-items.ts';
import { type RecordBudget, snapshot } from './negentropy-snapshot.ts';
import type { ReplayParts } from './replay.ts';

export type NegentropyParts = ReplayParts & {
  budget: RecordBudget;
  policy: () => Pick<Policy, 'features'>;
  /** Ids of one session, and the silence that ends it; the relay's limits unless a test needs others. */
  negentropy?: { records: number; idleMs: number };
};

/** The client whose sessions they are. */
export type NegentropyClient = {
  reader(): Reader;
  readonly isOpen: boolean;
  send(message: readonly unknown[]): void;
  failed(error: unknown): void;
};

/** `items` is null while they are being collected. */
type Session = {
  items: NegentropyItems | null;
  isOpen: boolean;
  /** Ids taken from the budget. */
  held: number;
  idle: NodeJS.Timeout | undefined;
};

const TERMS = { records: LIMITS.negentropyRecords, idleMs: LIMITS.negentropyIdleMs };

export class NegentropySessions {
  readonly #parts: NegentropyParts;
  readonly #client: NegentropyClient;
  readonly #terms: { records: number; idleMs: number };
  readonly #sessions = new Map<string, Session>();

  constructor(parts: NegentropyParts, client: NegentropyClient) {
    this.#parts = parts;
    this.#client = client;
    this.#terms = parts.negentropy ?? TERMS;
  }

  /** Opens a session in the place of an earlier one of that id, and answers its first message. */
  open(id: string, filter: Filter, message: unknown): void {
    this.close(id);
    const refusal = this.#refusal(filter);
    if (refusal === null) this.#collect(id, filter, message);
    else this.#say(id, refusal);
  }

  message(id: string, message: unknown): void {
    const session = this.#sessions.get(id);
    if (session === undefined) this.#say(id, 'closed: no session of that id is open');
    else if (session.items !== null) this.#answer(id, session, message);
    else this.#end(id, 'invalid: a message came before the answer to the first');
  }

  /** False when there was none of that id. */
  close(id: string): boolean {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    this.#sessions.delete(id);
    session.isOpen = false;
    clearTimeout(session.idle);
    this.#parts.budget.give(session.held);
    session.items = null;
    return true;
  }

  /** Ends every session, with a reason when there is somebody to hear it. */
  closeAll(reason?: string): void {
    for (const id of [...this.#sessions.keys()]) {
      if (reason === undefined) this.close(id);
      else this.#end(id, reason);
    }
  }

  #collect(id: string, filter: Filter, message: unknown): void {
    const session: Session = { items: null, isOpen: true, held: 0, idle: undefined };
    this.#sessions.set(id, session);
    snapshot(this.#parts, filter, {
      reader: this.#client.reader(),
      isOpen: () => session.isOpen && this.#client.isOpen,
      take: () => this.#take(session),
      full: () => this.#endFull(id),
      busy: () => this.#end(id, 'error: too many events are being reconciled, try again later'),
      done: items => {
        session.items = items;
        this.#answer(id, session, message);
      },
      failed: error => {
        this.#client.failed(error);
        this.#end(id, 'error: stored events could not be read');
      },
    });
  }

  #refusal(filter: Filter): string | null {
    if (!this.#parts.policy().features.sync) {
      return 'unsupported: reconciling is switched off on this relay';
    }
    if (this.#sessions.size >= LIMITS.negentropySessions) {
      return `rate-limited: more than ${LIMITS.negentropySessions} negentropy sessions on one connection`;
    }
    return this.#parts.visibility.mayQuery(this.#client.reader(), [filter]);
  }

  #take(session: Session): 'taken' | 'full' | 'busy' {
    if (session.held >= this.#terms.records) return 'full';
    if (!this.#parts.budget.take()) return 'busy';
    session.held += 1;
    return 'taken';
  }

  #answer(id: string, session: Session, message: unknown): void {
    if (session.items === null) return;
    const answer = answerNegentropy(session.items, message);
    if (!answer.ok) {
      this.#end(id, `invalid: negentropy ${answer.fault.text}`);
      return;
    }
    this.#client.send(['NEG-MSG', id, answer.reply]);
    const { idleMs } = this.#terms;
    clearTimeout(session.idle);
    session.idle = setTimeout(() => this.#end(id, 'closed: nothing was said for too long'), idleMs);
    session.idle.unref();
  }

  #endFull(id: string): void {
    const { records } = this.#terms;
    this.#end(id, `blocked: more than ${records} events match, narrow the filter`, records);
  }

  #end(id: string, reason: string, most?: number): void {
    if (this.close(id)) this.#say(id, reason, most);
  }

  #say(id: string, reason: string, most?: number): void {
    this.#client.send(['NEG-ERR', id, reason, ...(most === undefined ? [] : [most])]);
  }
}
