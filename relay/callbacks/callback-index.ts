// Which callbacks may want an event, without asking each of them: a callback is filed under its kinds and the values of
// the one condition that narrows most. What is found is tested against the whole filter.

import { type CallbackFilter, callbackMatcher } from '../protocol/callback-filter.ts';
import type { NostrEvent } from '../protocol/event.ts';

/** What planning needs to know of a callback. */
export type Listener = { id: string; owner: string; filter: CallbackFilter; registered_ms: number };
type Filed = Listener & { matches: (event: NostrEvent) => boolean };

const NARROWING = ['#e', '#a', '#p', '#h', 'authors'] as const;
const TAGS: ReadonlySet<string> = new Set(['e', 'a', 'p', 'h']);
const ALL_OF_KIND = '';

export class CallbackIndex {
  readonly #byKind = new Map<number, Map<string, Set<Filed>>>();
  readonly #byId = new Map<string, Filed>();

  get size(): number {
    return this.#byId.size;
  }

  /** Files a callback, in the place of an earlier one with its id. */
  set(listener: Listener): void {
    this.delete(listener.id);
    const filed = { ...listener, matches: callbackMatcher(listener.filter) };
    this.#byId.set(listener.id, filed);
    for (const kind of listener.filter.kinds) {
      const places = this.#byKind.get(kind) ?? new Map<string, Set<Filed>>();
      this.#byKind.set(kind, places);
      for (const place of placesOf(listener.filter)) {
        const there = places.get(place) ?? new Set<Filed>();
        places.set(place, there);
        there.add(filed);
      }
    }
  }

  delete(id: string): void {
    const filed = this.#byId.get(id);
    if (filed === undefined) return;
    this.#byId.delete(id);
    for (const kind of filed.filter.kinds) {
      const places = this.#byKind.get(kind);
      for (const place of placesOf(filed.filter)) {
        const there = places?.get(place);
        there?.delete(filed);
        if (there?.size === 0) places?.delete(place);
      }
      if (places?.size === 0) this.#byKind.delete(kind);
    }
  }

  /** The callbacks whose filter the event matches, each once. */
  matching(event: NostrEvent): Listener[] {
    const places = this.#byKind.get(event.kind);
    if (places === undefined) return [];
    const found = new Set<Filed>();
    const look = (place: string) => {
      for (const filed of places.get(place) ?? []) if (filed.matches(event)) found.add(filed);
    };
    look(ALL_OF_KIND);
    look(`authors:${event.pubkey}`);
    for (const [name = '', value] of event.tags) {
      if (value !== undefined && TAGS.has(name)) look(`#${name}:${value}`);
    }
    return [...found];
  }
}

function placesOf(filter: CallbackFilter): string[] {
  const key = NARROWING.find(name => filter[name] !== undefined);
  return key === undefined ? [ALL_OF_KIND] : (filter[key] ?? []).map(value => `${key}:${value}`);
}
