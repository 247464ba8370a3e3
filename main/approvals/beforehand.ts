// Questions that a permission given beforehand answered: the runner went on, and here the person's yes is put on record
// with what it rests on, so that history is true. Such a question never waits and raises no banner.

import type { NostrEvent } from '../../relay/protocol/event.ts';
import { tagValue } from '../../relay/protocol/tags.ts';
import type { RelayLink } from '../relay-link.ts';
import { reactionTo } from './answer-drafts.ts';

export type BeforehandParts = {
  link: RelayLink;
  /** What allows it, in words; null when nothing does. */
  words(asker: string, rule: string): string | null;
  /** The answer is on the relay. */
  answered(request: string, answer: { id: string; words: string }): void;
  failed(error: unknown): void;
};

const REMEMBERED = 500;

export class Beforehand {
  readonly #parts: BeforehandParts;
  /** Requests the runner went on with, or whose answer is on its way: never answered twice. */
  readonly #confirmed = new Set<string>();
  readonly #answered = new Set<string>();

  constructor(parts: BeforehandParts) {
    this.#parts = parts;
  }

  /** The runner says that it went on; the question itself may not have been seen yet. */
  confirmed(request: string): void {
    remember(this.#confirmed, request);
  }

  isConfirmed(request: string): boolean {
    return this.#confirmed.has(request);
  }

  /** Takes a question that was allowed beforehand and answers it; false for one that waits for a person. */
  take(event: NostrEvent): boolean {
    const rule = tagValue(event, 'rule');
    if (rule === undefined) return false;
    const known = this.#parts.words(event.pubkey, rule);
    if (known === null && !this.#confirmed.has(event.id)) return false;
    if (this.#answered.has(event.id)) return true;
    remember(this.#answered, event.id);
    const words = known ?? 'you had allowed it beforehand';
    this.#answer(event, rule, words).catch(error => {
      this.#answered.delete(event.id);
      this.#parts.failed(error);
    });
    return true;
  }

  async #answer(event: NostrEvent, rule: string, words: string): Promise<void> {
    const room = tagValue(event, 'h');
    const { id, kind, pubkey: asker, created_at } = event;
    const draft = reactionTo(
      { id, kind, asker, created_at, ...(room === undefined ? {} : { room }) },
      'approve',
    );
    const answer = await this.#parts.link.publish({ ...draft, tags: [...draft.tags, ['rule', rule]] });
    this.#parts.answered(id, { id: answer.id, words });
  }
}

function remember(set: Set<string>, id: string): void {
  set.add(id);
  if (set.size > REMEMBERED) for (const oldest of set) if (set.delete(oldest)) break;
}
