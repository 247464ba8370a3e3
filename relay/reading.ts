// Whole queries at once, for those who answer over HTTP: each event passes the one visibility function, the thread is
// shared with the queries of the sockets, and an answer has a largest size.

import type { Reader, Refusal, StoredEvent } from './context.ts';
import { LIMITS } from './limits.ts';
import type { Filter, NostrEvent } from './protocol/event.ts';
import { type ReplayParts, type Steps, walkInSlices } from './socket/replay.ts';

export type Reading = { events: NostrEvent[] } | { refusal: Refusal };

/** Visible events of every filter up to its limit, newest first (a search: the best first), each once. */
export async function readEvents(
  parts: ReplayParts,
  reader: Reader,
  filters: readonly Filter[],
): Promise<Reading> {
  const found = await run(readSteps(parts, reader, filters));
  if (found === null) return { refusal: 'invalid: the answer would be too large, ask for less at once' };
  // A search answers in its own order, the best first (NIP-50).
  if (filters.some(filter => filter.search !== undefined)) return { events: found };
  const newestFirst = found.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1));
  return { events: newestFirst };
}

/** Number of visible events that match at least one filter. */
export function countEvents(parts: ReplayParts, reader: Reader, filters: readonly Filter[]): Promise<number> {
  return run(countSteps(parts, reader, filters));
}

/** Null when the events are more than one answer may hold. */
function* readSteps(
  parts: ReplayParts,
  reader: Reader,
  filters: readonly Filter[],
): Steps<NostrEvent[] | null> {
  const upTo = parts.events.lastSeq;
  const found = new Map<number, NostrEvent>();
  let characters = 0;
  for (const filter of filters) {
    const limit = Math.min(filter.limit ?? LIMITS.defaultLimit, LIMITS.filterLimit);
    if (limit === 0) continue;
    let taken = 0;
    for (const stored of visible(parts, reader, filter, upTo)) {
      if (stored === undefined) {
        yield 'pause';
        continue;
      }
      if (!found.has(stored.seq)) characters += stored.json.length;
      if (characters > LIMITS.answerCharacters) return null;
      found.set(stored.seq, stored.event);
      taken += 1;
      if (taken === limit) break;
    }
  }
  return [...found.values()];
}

function* countSteps(parts: ReplayParts, reader: Reader, filters: readonly Filter[]): Steps<number> {
  const upTo = parts.events.lastSeq;
  const seen = filters.length > 1 ? new Set<number>() : undefined;
  let total = 0;
  for (const filter of filters) {
    for (const stored of visible(parts, reader, filter, upTo)) {
      if (stored === undefined) {
        yield 'pause';
        continue;
      }
      if (seen?.has(stored.seq)) continue;
      seen?.add(stored.seq);
      total += 1;
    }
  }
  return total;
}

/** Events the reader may see; `undefined` where the query may pause. */
function* visible(
  { events, visibility }: ReplayParts,
  reader: Reader,
  filter: Filter,
  upTo: number,
): Generator<StoredEvent | undefined, void, void> {
  for (const stored of events.walk(filter, { upTo })) {
    if (stored === undefined || visibility.canRead(reader, stored.event)) yield stored;
  }
}

function run<T>(steps: Steps<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    walkInSlices(steps, { isOpen: () => true, whenRead: tell => tell(), done: resolve, failed: reject });
  });
}
