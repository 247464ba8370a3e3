// Who really asked for a job: for one an agent opened on a mention (its `e` tags marked `mention`), the author of that
// message; for any other, its requester.

import type { NostrEvent } from '../../relay/protocol/event.ts';
import type { RelayLink } from '../relay-link.ts';

const REMEMBERED = 2_000;

export class Askers {
  readonly #link: Pick<RelayLink, 'query'>;
  readonly #authors = new Map<string, string>();

  constructor(link: Pick<RelayLink, 'query'>) {
    this.#link = link;
  }

  /** The jobs with `asker` where it is somebody else than the requester and known. */
  async named<T extends { requester: string; event: NostrEvent }>(
    jobs: readonly T[],
  ): Promise<(T & { asker?: string })[]> {
    const unknown = new Set(jobs.map(({ event }) => mentionOf(event)).filter(id => id !== undefined));
    for (const id of unknown) if (this.#authors.has(id)) unknown.delete(id);
    if (unknown.size > 0) {
      // Without the message the job says what it can: that its agent asked.
      const events = await this.#link.query([{ ids: [...unknown] }]).catch(() => []);
      for (const { id, pubkey } of events) this.#remember(id, pubkey);
    }
    return jobs.map(job => {
      const asker = this.#authors.get(mentionOf(job.event) ?? '');
      return asker === undefined || asker === job.requester ? job : { ...job, asker };
    });
  }

  #remember(id: string, author: string): void {
    this.#authors.set(id, author);
    if (this.#authors.size <= REMEMBERED) return;
    for (const oldest of this.#authors.keys()) if (this.#authors.delete(oldest)) break;
  }
}

function mentionOf(job: NostrEvent): string | undefined {
  return job.tags.find(tag => tag[0] === 'e' && tag[3] === 'mention')?.[1];
}
