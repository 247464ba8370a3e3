// The dullest relay there can be: a list of events and rules written out one by one, without an index, a cache or a
// clever thought. What the real one answers must be the same.

import type { Filter, NostrEvent } from '../../../relay/protocol/event.ts';

export class NaiveStore {
  #events: NostrEvent[] = [];
  readonly #deletions: NostrEvent[] = [];

  add(event: NostrEvent): void {
    if (this.#events.some(held => held.id === event.id)) return;
    if (event.kind >= 20_000 && event.kind < 30_000) return;
    if (this.#deletions.some(deletion => deletes(deletion, event))) return;
    const slot = slotOf(event);
    const rival = slot === null ? undefined : this.#events.find(held => slotOf(held) === slot);
    if (rival !== undefined && !wins(event, rival)) return;
    this.#events = this.#events.filter(held => held !== rival);
    this.#events.push(event);
    if (event.kind !== 5) return;
    this.#deletions.push(event);
    this.#events = this.#events.filter(held => !deletes(event, held));
  }

  ask(filters: readonly Filter[], now: number): NostrEvent[] {
    const found = new Set<NostrEvent>();
    for (const filter of filters) {
      const matching = this.#events
        .filter(event => fits(filter, event) && !hasEnded(event, now))
        .sort(newestFirst);
      for (const event of matching.slice(0, filter.limit ?? matching.length)) found.add(event);
    }
    return [...found];
  }
}

/** Does the event fit the filter, as NIP-01 says it in words? */
export function fits(filter: Filter, event: NostrEvent): boolean {
  for (const [key, wanted] of Object.entries(filter)) {
    if (key === 'limit') continue;
    if (key === 'since' && event.created_at < Number(wanted)) return false;
    if (key === 'until' && event.created_at > Number(wanted)) return false;
    if (key === 'ids' && !(wanted as string[]).includes(event.id)) return false;
    if (key === 'authors' && !(wanted as string[]).includes(event.pubkey)) return false;
    if (key === 'kinds' && !(wanted as number[]).includes(event.kind)) return false;
    if (!key.startsWith('#')) continue;
    const values = event.tags.filter(tag => tag[0] === key[1]).map(tag => tag[1]);
    if (!values.some(value => value !== undefined && (wanted as string[]).includes(value))) return false;
  }
  return true;
}

export function newestFirst(a: NostrEvent, b: NostrEvent): number {
  if (a.created_at !== b.created_at) return b.created_at - a.created_at;
  return a.id < b.id ? -1 : 1;
}

function hasEnded(event: NostrEvent, now: number): boolean {
  const expiration = event.tags.find(tag => tag[0] === 'expiration')?.[1];
  return expiration !== undefined && Number(expiration) <= now;
}

function slotOf(event: NostrEvent): string | null {
  const { kind, pubkey } = event;
  if (kind === 0 || kind === 3 || (kind >= 10_000 && kind < 20_000)) return `${kind}:${pubkey}:`;
  if (kind < 30_000 || kind >= 40_000) return null;
  return `${kind}:${pubkey}:${event.tags.find(tag => tag[0] === 'd')?.[1] ?? ''}`;
}

function wins(event: NostrEvent, rival: NostrEvent): boolean {
  return (
    event.created_at > rival.created_at || (event.created_at === rival.created_at && event.id < rival.id)
  );
}

function deletes(deletion: NostrEvent, event: NostrEvent): boolean {
  if (deletion.pubkey !== event.pubkey || event.kind === 5) return false;
  const slot = slotOf(event);
  return deletion.tags.some(([name, value]) => {
    if (name === 'e') return value === event.id;
    return name === 'a' && value === slot && event.created_at <= deletion.created_at;
  });
}
