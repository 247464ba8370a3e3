// What all browse queries share (spec/browse-queries.md section 1): one object as parameter, limits, cursors, and reading
// newest first through the one visibility function.

import { z } from 'zod';
import type { EventCursor, Reader, RelayContext } from '../context.ts';
import { type Answer, type Audience, type Caller, type Method, method } from '../management/method.ts';
import type { Filter, NostrEvent } from '../protocol/event.ts';
import { isHex64 } from '../protocol/tags.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** A limit outside its range counts as the default. */
export const limitParam = z
  .number()
  .optional()
  .transform(limit => {
    const usable = limit !== undefined && Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT;
    return usable ? limit : DEFAULT_LIMIT;
  });

/** A method whose one parameter is an object; none counts as `{}`. */
export function query<T>(
  who: Audience,
  params: z.ZodType<T>,
  run: (context: RelayContext, caller: Caller, params: T) => Answer,
): Method {
  const tuple = z.preprocess(
    input => (Array.isArray(input) && input[0] !== undefined && input[0] !== null ? input[0] : {}),
    params,
  );
  return method(who, tuple, run);
}

/** The caller as a reader: its key, or nobody. */
export function readerOf(caller: Caller): Reader {
  return { keys: caller.pubkey === '' ? [] : [caller.pubkey] };
}

/** `<created_at>:<id>` of the last item of a page; null when the text is no cursor, undefined without one. */
export function parseCursor(text: string | undefined): EventCursor | null | undefined {
  if (text === undefined || text === '') return undefined;
  const match = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text);
  return match === null ? null : { created_at: Number(match[1]), id: match[2] ?? '' };
}

export function cursorOf(event: Pick<NostrEvent, 'created_at' | 'id'>): string {
  return `${event.created_at}:${event.id}`;
}

/** Is the event after that place in the newest-first order? */
export function isAfter(event: NostrEvent, cursor: EventCursor | undefined): boolean {
  if (cursor === undefined) return true;
  if (event.created_at !== cursor.created_at) return event.created_at < cursor.created_at;
  return event.id > cursor.id;
}

/**
 * May the reader see the event, or might it have until its expiration passed? For what tells people that a thing has
 * lapsed; every other read asks visibility itself.
 */
export function couldRead(context: RelayContext, reader: Reader, event: NostrEvent): boolean {
  const tags = event.tags.filter(tag => tag[0] !== 'expiration');
  return context.visibility.canRead(reader, { ...event, tags });
}

/** Visible events of a filter, newest first, lazily. */
export function* visible(
  context: RelayContext,
  reader: Reader,
  filter: Filter,
  after?: EventCursor,
): Generator<NostrEvent, void, void> {
  for (const event of context.store.events.scan(filter, after)) {
    if (context.visibility.canRead(reader, event)) yield event;
  }
}

/** The first events of a lazy read; the rest is never looked for. */
export function first(events: Iterable<NostrEvent>, count: number): NostrEvent[] {
  const found: NostrEvent[] = [];
  for (const event of events) {
    found.push(event);
    if (found.length >= count) break;
  }
  return found;
}

/** The first `limit` visible events after the cursor, with the cursor of the next page, '' at the end. */
export function page(
  context: RelayContext,
  reader: Reader,
  filter: Filter,
  { after, limit }: { after: EventCursor | undefined; limit: number },
): { events: NostrEvent[]; next_cursor: string } {
  const events: NostrEvent[] = [];
  for (const event of visible(context, reader, filter, after)) {
    if (events.length === limit) return { events, next_cursor: cursorOf(events[limit - 1] ?? event) };
    events.push(event);
  }
  return { events, next_cursor: '' };
}

/** Ids asked for at once: more would make one filter of too many ranges. */
const BATCH = 100;

/**
 * Visible events of those kinds that name one of the ids in an `e` tag, newest first, by that id. An event that names
 * several is filed under each.
 */
export function referring(
  context: RelayContext,
  reader: Reader,
  { kinds, ids }: { kinds: readonly number[]; ids: readonly string[] },
): Map<string, NostrEvent[]> {
  const found = new Map<string, NostrEvent[]>(ids.map(id => [id, []]));
  for (let start = 0; start < ids.length; start += BATCH) {
    const filter: Filter = { kinds: [...kinds], '#e': ids.slice(start, start + BATCH) };
    for (const event of visible(context, reader, filter)) {
      const named = new Set(event.tags.filter(tag => tag[0] === 'e').map(tag => tag[1] ?? ''));
      for (const id of named) found.get(id)?.push(event);
    }
  }
  return found;
}

/** An id or key given as parameter under either of two names. */
export function idParam(params: { id?: string | undefined; event?: string | undefined }): string | null {
  const id = params.id ?? params.event;
  return isHex64(id) ? id : null;
}
