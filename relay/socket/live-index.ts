// Which subscriptions may want an event: each filter is filed under the values of the one condition that narrows it
// most, so that an event meets only those that name something of it, however many there are.

import type { Filter, NostrEvent } from '../protocol/event.ts';
import { type Matcher, tagConditions } from '../protocol/filter.ts';
import type { Delivery } from './delivery.ts';
import type { Subscription } from './subscription.ts';

type Entry = { subscription: Subscription; matches: Matcher };

/** A filter without a condition to file it under. */
const ANY = '*';
/** A condition with more values than this is only used when there is no shorter one. */
const MANY = 200;

export class LiveIndex {
  readonly #entries = new Map<string, Set<Entry>>();
  readonly #filed = new Map<Subscription, { key: string; entry: Entry }[]>();

  /** Number of open subscriptions. */
  get size(): number {
    return this.#filed.size;
  }

  add(subscription: Subscription): void {
    const filed: { key: string; entry: Entry }[] = [];
    subscription.filters.forEach((filter, index) => {
      const matches = subscription.matchers[index];
      if (matches === undefined) return;
      const entry = { subscription, matches };
      for (const key of filingKeys(filter)) {
        const entries = this.#entries.get(key);
        if (entries === undefined) this.#entries.set(key, new Set([entry]));
        else entries.add(entry);
        filed.push({ key, entry });
      }
    });
    this.#filed.set(subscription, filed);
  }

  remove(subscription: Subscription): void {
    for (const { key, entry } of this.#filed.get(subscription) ?? []) {
      const entries = this.#entries.get(key);
      entries?.delete(entry);
      if (entries?.size === 0) this.#entries.delete(key);
    }
    this.#filed.delete(subscription);
  }

  /** Subscriptions with a filter that matches, each once. The caller still asks whether its reader may see it. */
  *interested(delivery: Delivery): Generator<Subscription, void, void> {
    const { event } = delivery;
    for (const key of eventKeys(event)) {
      for (const { subscription, matches } of this.#entries.get(key) ?? []) {
        if (subscription.lastSeen === delivery || !matches(event)) continue;
        subscription.lastSeen = delivery;
        yield subscription;
      }
    }
  }
}

/** How many index places a filter takes: what one connection may hold is bounded by it. */
export function filingSize(filter: Filter): number {
  return filingKeys(filter).length;
}

function filingKeys(filter: Filter): string[] {
  const lists: string[][] = [];
  if (filter.ids !== undefined) lists.push(filter.ids.map(id => `id:${id}`));
  for (const [name, values] of tagConditions(filter)) lists.push(values.map(value => `#${name}:${value}`));
  if (filter.authors !== undefined) lists.push(filter.authors.map(author => `by:${author}`));
  if (filter.kinds !== undefined) lists.push(filter.kinds.map(kind => `kind:${kind}`));
  const narrow = lists.find(list => list.length <= MANY);
  if (narrow !== undefined) return narrow;
  return lists.sort((a, b) => a.length - b.length)[0] ?? [ANY];
}

function* eventKeys(event: NostrEvent): Generator<string, void, void> {
  yield ANY;
  yield `id:${event.id}`;
  yield `by:${event.pubkey}`;
  yield `kind:${event.kind}`;
  for (const [name, value] of event.tags) {
    if (name?.length === 1 && value !== undefined) yield `#${name}:${value}`;
  }
}
