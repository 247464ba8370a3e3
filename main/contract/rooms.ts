// Rooms and the conversation in them.

import { z } from 'zod';
import { feature, hex64, nostrEvent, nothing, roomId, seconds } from './contract.ts';

export const roomSummary = z.object({
  id: z.string(),
  name: z.string(),
  about: z.string(),
  picture: z.string(),
  access: z.enum(['open', 'members']),
  created_by: z.string(),
  created_at: seconds,
  members: z.number().int(),
  last_message_at: seconds,
  /** The owner's role in it, or empty. */
  role: z.enum(['owner', 'admin', 'member', '']),
  unread: z.number().int().nonnegative(),
  /** Created_at up to which the person has read. */
  readTo: seconds,
});
export type RoomSummary = z.infer<typeof roomSummary>;

export const roomMember = z.object({
  pubkey: hex64,
  role: z.enum(['owner', 'admin', 'member']),
  added_at: seconds,
  agent: z.boolean().optional(),
});
export type RoomMember = z.infer<typeof roomMember>;

/** Messages newest first; `edits` and `reactions` belong to them; `replies` counts a thread by its root. */
export const roomPage = z.object({
  room: roomSummary,
  members: z.array(roomMember),
  messages: z.array(nostrEvent),
  edits: z.array(nostrEvent),
  reactions: z.array(nostrEvent),
  /** Job requests of the room, newest first, with their answers beside them in `jobs`. */
  next_cursor: z.string(),
});
export type RoomPage = z.infer<typeof roomPage>;

export const threadPage = z.object({
  room: roomSummary,
  root: nostrEvent,
  replies: z.array(nostrEvent),
  edits: z.array(nostrEvent),
  reactions: z.array(nostrEvent),
  next_cursor: z.string(),
});
export type ThreadPage = z.infer<typeof threadPage>;

const one = z.object({ id: roomId });
const content = z.string().trim().min(1, 'Write something').max(64_000);

export const rooms = feature({
  calls: {
    list: { args: nothing, result: z.array(roomSummary) },
    open: {
      args: z.object({
        id: roomId,
        cursor: z.string().optional(),
        limit: z.number().int().min(1).max(100).optional(),
      }),
      result: roomPage,
    },
    thread: {
      args: z.object({ id: roomId, event: hex64, cursor: z.string().optional() }),
      result: threadPage,
    },
    /** Kind 9; with `root` a reply in that thread. Answers the stored event. */
    send: {
      args: z.object({
        id: roomId,
        content,
        mentions: z.array(hex64).max(16),
        root: hex64.optional(),
        parent: hex64.optional(),
      }),
      result: nostrEvent,
    },
    /** Kind 40003 by the message's author. */
    edit: { args: z.object({ id: roomId, event: hex64, content }), result: nostrEvent },
    react: {
      args: z.object({ id: roomId, event: hex64, author: hex64, content: z.string().min(1).max(64) }),
      result: nostrEvent,
    },
    /** Kind 5 for one's own, kind 9005 for another's. */
    remove: { args: z.object({ id: roomId, event: hex64, author: hex64 }), result: nothing },
    create: {
      args: z.object({
        id: roomId,
        name: z.string().max(200),
        about: z.string().max(2000),
        access: z.enum(['open', 'members']),
      }),
      result: roomSummary,
    },
    change: {
      args: z.object({
        id: roomId,
        name: z.string().max(200),
        about: z.string().max(2000),
        access: z.enum(['open', 'members']),
      }),
      result: roomSummary,
    },
    addMember: {
      args: z.object({ id: roomId, pubkey: hex64, role: z.enum(['member', 'admin', 'owner']) }),
      result: nothing,
    },
    removeMember: { args: z.object({ id: roomId, pubkey: hex64 }), result: nothing },
    leave: { args: one, result: nothing },
    delete: { args: one, result: nothing },
    typing: { args: z.object({ id: roomId, state: z.enum(['start', 'stop']) }), result: nothing },
    read: { args: z.object({ id: roomId, to: seconds }), result: nothing },
  },
  pushes: {
    /** The list or one of its rows changed. */
    changed: z.array(roomSummary),
    /** Any stored event of a room as it arrives: messages, edits, reactions, deletions, jobs. */
    event: z.object({ room: z.string(), event: nostrEvent }),
    /** Presence (20001) and typing (20002), never stored. */
    presence: z.object({
      room: z.string(),
      pubkey: hex64,
      kind: z.number().int(),
      content: z.string(),
      at: seconds,
    }),
    /** The connection came back: what is on screen may be stale. */
    stale: nothing,
  },
});
