// browserooms, browseroom and browsethread: the rooms a caller may see and the conversation in them
// (spec/browse-queries.md section 6).

import { z } from 'zod';
import type { Reader, Refusal, RelayContext, RoomRecord } from '../context.ts';
import { type Answer, answer, type Caller, type MethodTable, refuse } from '../management/method.ts';
import { isMainRoom } from '../membership/relay-level.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { KIND, MESSAGE_KINDS } from '../protocol/kinds.ts';
import { isHex64, isRoomId, rootReference, tagValue, tagValues } from '../protocol/tags.ts';
import { cursorOf, limitParam, page, parseCursor, query, readerOf, referring, visible } from './query.ts';

const REPLY_KINDS = [...MESSAGE_KINDS, KIND.comment];

const listParams = z.object({ limit: limitParam, cursor: z.string().optional() });
const roomParams = z.object({ id: z.string().optional(), limit: limitParam, cursor: z.string().optional() });
const threadParams = roomParams.extend({ event: z.string().optional() });

export const roomQueries: MethodTable = {
  browserooms: query('reader', listParams, browseRooms),
  browseroom: query('reader', roomParams, browseRoom),
  browsethread: query('reader', threadParams, browseThread),
};

/** By id, so that a page stays right while rooms come and go; the cursor is the last id. */
function browseRooms(context: RelayContext, caller: Caller, params: z.infer<typeof listParams>): Answer {
  const { cursor = '' } = params;
  if (cursor !== '' && !isRoomId(cursor)) return refuse('invalid: room cursor');
  const reader = readerOf(caller);
  const rooms = context.store.rooms
    .list()
    .filter(room => room.id > cursor && context.visibility.canReadRoom(reader, room.id))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const shown = rooms.slice(0, params.limit);
  const next_cursor = rooms.length > shown.length ? (shown.at(-1)?.id ?? '') : '';
  return answer({ items: shown.map(room => summary(context, caller, room)), next_cursor });
}

function browseRoom(context: RelayContext, caller: Caller, params: z.infer<typeof roomParams>): Answer {
  const room = roomFor(context, caller, params.id);
  if (typeof room === 'string') return refuse(room);
  const after = parseCursor(params.cursor);
  if (after === null) return refuse('invalid: room cursor');
  const reader = readerOf(caller);
  const filter = { kinds: [...MESSAGE_KINDS], '#h': [room.id] };
  const { events, next_cursor } = page(context, reader, filter, { after, limit: params.limit });
  return answer({
    room: summary(context, caller, room),
    members: members(context, reader, room),
    messages: events,
    edits: editsOf(context, reader, room.id, events),
    next_cursor,
  });
}

function browseThread(context: RelayContext, caller: Caller, params: z.infer<typeof threadParams>): Answer {
  const room = roomFor(context, caller, params.id);
  if (typeof room === 'string') return refuse(room);
  const after = parseCursor(params.cursor);
  if (after === null) return refuse('invalid: room cursor');
  if (!isHex64(params.event)) return refuse('invalid: thread event id');
  const reader = readerOf(caller);
  const root = rootOf(context, reader, room.id, params.event);
  if (root === null) return refuse('not found: thread');
  const replies: NostrEvent[] = [];
  let next_cursor = '';
  for (const event of visible(
    context,
    reader,
    { kinds: REPLY_KINDS, '#h': [room.id], '#e': [root.id] },
    after,
  )) {
    if (threadOf(event) !== root.id) continue;
    if (replies.length === params.limit) {
      next_cursor = cursorOf(replies[params.limit - 1] ?? event);
      break;
    }
    replies.push(event);
  }
  const edits = editsOf(context, reader, room.id, [root, ...replies]);
  return answer({ room: summary(context, caller, room), root, replies, edits, next_cursor });
}

/** The room, or the refusal of a caller who may not know of it. */
function roomFor(context: RelayContext, caller: Caller, id: string | undefined): RoomRecord | Refusal {
  const room = isRoomId(id) ? context.store.rooms.get(id) : null;
  if (room === null) return 'not found: room';
  if (context.visibility.canReadRoom(readerOf(caller), room.id)) return room;
  return `${caller.pubkey === '' ? 'auth-required' : 'restricted'}: room ${room.id} is members-only`;
}

function summary(context: RelayContext, caller: Caller, room: RoomRecord) {
  const { id, name, about, picture, access, created_by, created_at, event_id } = room;
  const messages = { kinds: [...MESSAGE_KINDS], '#h': [id] };
  const newest = visible(context, readerOf(caller), messages).next().value;
  const role = caller.pubkey === '' ? '' : context.roles.roomRole(id, caller.pubkey);
  return {
    id,
    name,
    about,
    picture,
    access,
    created_by,
    created_at,
    event_id,
    members: context.store.rooms.memberCount(id),
    last_message_at: newest?.created_at ?? 0,
    role,
  };
}

function members(context: RelayContext, reader: Reader, room: RoomRecord) {
  if (isMainRoom(room) && !context.visibility.maySeeDirectory(reader)) return [];
  return context.store.rooms.members(room.id).map(({ pubkey, role, added_at }) => {
    const agent = context.roles.roleOf(pubkey) === 'agent';
    return { pubkey, role, added_at, ...(agent ? { agent: true } : {}) };
  });
}

/** The newest edit of each message: by its author, in its room, naming it last, not before it. */
function editsOf(
  context: RelayContext,
  reader: Reader,
  room: string,
  messages: readonly NostrEvent[],
): NostrEvent[] {
  const found = referring(context, reader, { kinds: [KIND.edit], ids: messages.map(({ id }) => id) });
  const edits = messages.map(message =>
    found
      .get(message.id)
      ?.find(
        edit =>
          edit.pubkey === message.pubkey &&
          edit.created_at >= message.created_at &&
          tagValue(edit, 'h') === room &&
          tagValues(edit, 'e').at(-1) === message.id,
      ),
  );
  return edits.filter(edit => edit !== undefined);
}

/** The message that opens the thread of the one named; itself when it is no reply. */
function rootOf(context: RelayContext, reader: Reader, room: string, id: string): NostrEvent | null {
  const find = (wanted: string) => {
    const event = context.store.events.get(wanted);
    const here = event !== null && tagValue(event, 'h') === room && REPLY_KINDS.includes(event.kind);
    return here && context.visibility.canRead(reader, event) ? event : null;
  };
  const named = find(id);
  const above = named === null ? undefined : threadOf(named);
  return above === undefined ? named : (find(above) ?? named);
}

/** The root a reply names: the marked `e`, a comment's `E`, or the `e` of the thread-reply kind. */
function threadOf(event: NostrEvent): string | undefined {
  const marked = rootReference(event);
  if (marked !== undefined) return marked;
  if (event.kind === KIND.comment) return tagValue(event, 'E');
  return event.kind === KIND.threadReply ? tagValue(event, 'e') : undefined;
}
