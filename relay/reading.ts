// Whole queries at once, for those who answer over HTTP: each event passes the one visibility function.

import type { Reader } from './context.ts';
import { LIMITS } from './limits.ts';
import type { Filter, NostrEvent } from './protocol/event.ts';
import type { SqliteEvents } from './store/events.ts';
import type { Visibility } from './visibility/visibility.ts';

export type ReadingParts = { events: SqliteEvents; visibility: Visibility };

/** Visible events of every filter up to its limit, newest first (a search: the best first), each once. */
export function readEvents(parts: ReadingParts, reader: Reader, filters: readonly Filter[]): NostrEvent[] {
  const found = new Map<string, NostrEvent>();
  for (const filter of filters) {
    const limit = Math.min(filter.limit ?? LIMITS.defaultLimit, LIMITS.filterLimit);
    let taken = 0;
    for (const event of visible(parts, reader, filter)) {
      if (taken === limit) break;
      taken += 1;
      found.set(event.id, event);
    }
  }
  // A search answers in its own order, the best first (NIP-50).
  if (filters.some(filter => filter.search !== undefined)) return [...found.values()];
  return [...found.values()].sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1));
}

/** Number of visible events that match at least one filter. */
export function countEvents(parts: ReadingParts, reader: Reader, filters: readonly Filter[]): number {
  const found = new Set<string>();
  for (const filter of filters) for (const event of visible(parts, reader, filter)) found.add(event.id);
  return found.size;
}

function* visible(
  { events, visibility }: ReadingParts,
  reader: Reader,
  filter: Filter,
): Generator<NostrEvent, void, void> {
  for (const event of events.scan(filter)) if (visibility.canRead(reader, event)) yield event;
}
