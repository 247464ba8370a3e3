// Tools for conversation in rooms: messages, threads, reactions, comments, and making a room (spec/mcp-tools.md
// section 2, NIP-25, NIP-22, NIP-29).

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import type { Caller } from '../management/method.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { KIND } from '../protocol/kinds.ts';
import { isHex64, rootReference, tagValue } from '../protocol/tags.ts';
import { content, hex, room } from './fields.ts';
import type { Tool } from './tool.ts';
import { writeTool } from './write-tool.ts';

const mentions = z.array(hex('a mention')).max(32).optional().describe('Public keys to mention');

const postMessage = writeTool({
  name: 'post_message',
  title: 'Post a message',
  description: 'A message in a room.',
  kinds: [KIND.chat],
  membersOnly: true,
  fields: z.strictObject({ room, content, mentions }),
  tags: ['h'],
  build: (_context, _caller, given) => ({
    kind: KIND.chat,
    tags: [['h', given.room], ...[...new Set(given.mentions)].map(key => ['p', key])],
    content: given.content,
  }),
});

const startThread = writeTool({
  name: 'start_thread',
  title: 'Start a thread',
  description: 'A message that opens a thread in a room.',
  kinds: [KIND.thread],
  membersOnly: true,
  fields: z.strictObject({ room, content, title: z.string().max(200).optional() }),
  tags: ['h'],
  build: (_context, _caller, { room: id, content: text, title }) => ({
    kind: KIND.thread,
    tags: [['h', id], ...(title === undefined || title === '' ? [] : [['title', title]])],
    content: text,
  }),
});

const replyInThread = writeTool({
  name: 'reply_in_thread',
  title: 'Reply in a thread',
  description: 'A reply to a message of a thread.',
  kinds: [KIND.threadReply],
  membersOnly: true,
  fields: z.strictObject({ room, event: hex('event').describe('Id of the message replied to'), content }),
  tags: ['h', 'e'],
  eventField: event => event.tags.findLast(tag => tag[0] === 'e')?.[1],
  build(context, caller, { room: id, event, content: text }) {
    const parent = held(context, caller, event);
    if (parent === null || tagValue(parent, 'h') !== id)
      return { refusal: `not found: message in room ${id}` };
    const root = rootOf(parent);
    return {
      kind: KIND.threadReply,
      tags: [
        ['h', id],
        ['e', root, '', 'root'],
        ...(root === parent.id ? [] : [['e', parent.id, '', 'reply']]),
        ...(parent.pubkey === caller.pubkey ? [] : [['p', parent.pubkey]]),
      ],
      content: text,
    };
  },
});

const react = writeTool({
  name: 'react',
  title: 'React',
  description: 'A reaction to an event: + or - decides a request, an emoji is an ordinary reaction.',
  kinds: [KIND.reaction],
  fields: z.strictObject({
    event: hex('event').describe('Id of the event reacted to'),
    pubkey: hex('pubkey').describe('Its author'),
    content: z.string({ error: 'content is required' }).max(64).describe('+, - or an emoji'),
    room: room.optional(),
  }),
  tags: ['e', 'p'],
  eventField: event => tagValue(event, 'e'),
  build(context, caller, { event, pubkey, content: text, room: id }) {
    const target = held(context, caller, event);
    return {
      kind: KIND.reaction,
      tags: [
        ...(id === undefined ? [] : [['h', id]]),
        ['e', event],
        ['p', pubkey],
        ...(target === null ? [] : [['k', String(target.kind)]]),
      ],
      content: text,
    };
  },
});

const kind = z.number().int().min(0).max(65_535);
const line = z.number().int().min(1).optional();

const comment = writeTool({
  name: 'comment',
  title: 'Comment',
  description:
    'A comment on an event, or on a line of a patch or pull request with file, line and side together.',
  kinds: [KIND.comment],
  fields: z.strictObject({
    root: hex('root').describe('Id of the event the conversation is about'),
    root_kind: kind,
    root_pubkey: hex('root_pubkey').describe('Its author'),
    parent: hex('parent').optional().describe('Id of the comment answered; the root without it'),
    parent_kind: kind.optional(),
    parent_pubkey: hex('parent_pubkey').optional(),
    content,
    room: room.optional().describe('Room of the root, when it is in one'),
    file: z.string().max(4096).optional(),
    line,
    side: z.enum(['old', 'new']).optional(),
  }),
  tags: ['E', 'K', 'P', 'e', 'k', 'p'],
  build(_context, _caller, given) {
    const { root, root_kind, root_pubkey, parent = root, file, side } = given;
    const answersRoot = parent === root;
    const parentKind = given.parent_kind ?? (answersRoot ? root_kind : KIND.comment);
    const parentAuthor = given.parent_pubkey ?? (answersRoot ? root_pubkey : undefined);
    if (parentAuthor === undefined) return { refusal: 'invalid: parent_pubkey is required with parent' };
    const place = [file, given.line, side].filter(value => value !== undefined);
    if (place.length > 0 && place.length < 3) return { refusal: 'invalid: file, line and side go together' };
    return {
      kind: KIND.comment,
      tags: [
        ...(given.room === undefined ? [] : [['h', given.room]]),
        ['E', root, '', root_pubkey],
        ['K', String(root_kind)],
        ['P', root_pubkey],
        ['e', parent, '', parentAuthor],
        ['k', String(parentKind)],
        ['p', parentAuthor],
        ...(place.length === 3
          ? [
              ['file', String(file)],
              ['line', String(given.line), String(side)],
            ]
          : []),
      ],
      content: given.content,
    };
  },
});

const createRoom = writeTool({
  name: 'create_room',
  title: 'Create a room',
  description: 'A new room; you become its owner.',
  kinds: [KIND.createRoom],
  membersOnly: true,
  fields: z.strictObject({
    id: room.describe('Id of the new room: a-z, 0-9, _ and -'),
    name: z.string({ error: 'name is required' }).trim().min(1, 'name is required').max(200),
    about: z.string().max(2000).optional(),
    visibility: z.enum(['open', 'members']).optional().describe('Who may read and write; open without it'),
  }),
  tags: ['h', 'name'],
  closed: ({ policy }) => (policy().rooms === 0 ? 'restricted: room creation is switched off' : null),
  build: (_context, _caller, { id, name, about, visibility }) => ({
    kind: KIND.createRoom,
    tags: [
      ['h', id],
      ['name', name],
      ...(about === undefined || about === '' ? [] : [['about', about]]),
      ...(visibility === undefined ? [] : [['access', visibility]]),
    ],
    content: '',
  }),
});

export const messageTools: readonly Tool[] = [
  postMessage,
  startThread,
  replyInThread,
  react,
  comment,
  createRoom,
];

/** An event the caller may read, or null. */
export function held(context: RelayContext, caller: Caller, id: string): NostrEvent | null {
  const event = context.store.events.get(id);
  return event !== null && context.visibility.canRead({ keys: [caller.pubkey] }, event) ? event : null;
}

/** The root of the thread a message is in; itself when it opens one. */
function rootOf(message: NostrEvent): string {
  const marked = rootReference(message);
  const named = message.kind === KIND.threadReply ? tagValue(message, 'e') : undefined;
  const root = marked ?? named;
  return isHex64(root) ? root : message.id;
}
