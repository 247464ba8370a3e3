// Rooms and their conversation for the dashboard: read through the browse queries, written as the owner's events,
// live from the one subscription. Reading positions live in the settings.

import { z } from 'zod';
import type { NostrEvent } from '../relay/protocol/event.ts';
import { KIND, MESSAGE_KINDS } from '../relay/protocol/kinds.ts';
import { tagValue } from '../relay/protocol/tags.ts';
import { coalesce } from './coalesce.ts';
import { nostrEvent } from './contract/contract.ts';
import type { Handlers, PushName, PushValue } from './contract/features.ts';
import { type RoomSummary, roomMember, roomSummary } from './contract/rooms.ts';
import { type Live, ROOM_EVENT_KINDS, ROOM_RECORD_KINDS } from './live.ts';
import type { Draft, RelayLink } from './relay-link.ts';
import { RoomOfEvent } from './room-of-event.ts';

export type Push = <N extends PushName>(name: N, value: PushValue<N>) => void;

export type RoomsParts = {
  link: RelayLink;
  live: Live;
  push: Push;
  /** Created_at up to which the person has read, per room. */
  readTo: { get(room: string): number; set(room: string, to: number): void };
  failed(error: unknown): void;
};

export type Rooms = {
  handlers: Handlers<'rooms'>;
  list(): RoomSummary[];
  /** Makes the room `general` when there is no room at all; safe to call at every start. */
  ensureGeneral(): Promise<void>;
  close(): void;
};

const relayRoom = roomSummary
  .omit({ unread: true, readTo: true })
  .extend({ event_id: z.string().default('') });
const roomList = z.object({ items: z.array(relayRoom), next_cursor: z.string() });
const roomDetail = z.object({
  room: relayRoom,
  members: z.array(roomMember),
  messages: z.array(nostrEvent),
  edits: z.array(nostrEvent),
  next_cursor: z.string(),
});
const threadDetail = z.object({
  room: relayRoom,
  root: nostrEvent,
  replies: z.array(nostrEvent),
  edits: z.array(nostrEvent),
  next_cursor: z.string(),
});
type RelayRoom = z.infer<typeof relayRoom>;
/** More unread than this is shown as this many. */
const UNREAD_CAP = 100;
const GENERAL = 'general';

/** Opens the feature; its list fills itself once the relay answers. */
export function createRooms(parts: RoomsParts): Rooms {
  const { link, live, push, readTo } = parts;
  let rooms = new Map<string, RelayRoom>();
  const unread = new Map<string, number>();
  const where = new RoomOfEvent();
  let loaded = false;
  let wasLive = false;

  const summary = ({ event_id: _, ...room }: RelayRoom): RoomSummary => ({
    ...room,
    unread: unread.get(room.id) ?? 0,
    readTo: readTo.get(room.id),
  });
  const list = () => [...rooms.values()].map(summary);
  const tell = coalesce(50, () => push('rooms.changed', list()), parts.failed);

  async function countUnread(room: RelayRoom): Promise<void> {
    const since = readTo.get(room.id) + 1;
    if (room.last_message_at < since) {
      unread.set(room.id, 0);
      return;
    }
    const filter = { kinds: [...MESSAGE_KINDS], '#h': [room.id], since, limit: UNREAD_CAP };
    const events = await link.query([filter]);
    unread.set(room.id, events.filter(event => event.pubkey !== link.owner).length);
  }
  async function refresh(): Promise<void> {
    const found: RelayRoom[] = [];
    let cursor = '';
    do {
      const page = roomList.parse(await link.call('browserooms', cursor === '' ? {} : { cursor }));
      found.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== '');
    rooms = new Map(found.map(room => [room.id, room]));
    await Promise.all(found.map(countUnread));
    loaded = true;
    tell.ask();
  }
  const soon = coalesce(30, refresh, parts.failed);
  /** The room as it is now on the relay, after a change of it. */
  async function fresh(id: string): Promise<RoomSummary> {
    const { room } = roomDetail.parse(await link.call('browseroom', { id, limit: 1 }));
    rooms.set(id, room);
    tell.ask();
    return summary(room);
  }
  async function reactionsTo(events: NostrEvent[]): Promise<NostrEvent[]> {
    for (const event of events) where.learn(event);
    if (events.length === 0) return [];
    return link.query([{ kinds: [KIND.reaction], '#e': events.map(event => event.id), limit: 500 }]);
  }
  async function publish(draft: Draft): Promise<NostrEvent> {
    const event = await link.publish(draft);
    where.learn(event);
    return event;
  }

  function arrived(event: NostrEvent): void {
    const room = where.find(event);
    if (room === undefined) return;
    where.learn(event);
    push('rooms.event', { room, event });
    const known = rooms.get(room);
    if (!known || !MESSAGE_KINDS.includes(event.kind)) return;
    rooms.set(room, { ...known, last_message_at: Math.max(known.last_message_at, event.created_at) });
    if (event.pubkey !== link.owner && event.created_at > readTo.get(room)) {
      unread.set(room, Math.min(UNREAD_CAP, (unread.get(room) ?? 0) + 1));
    }
    tell.ask();
  }
  const stops = [
    live.on(ROOM_EVENT_KINDS, arrived),
    live.on(ROOM_RECORD_KINDS, () => soon.ask()),
    live.on([KIND.presence, KIND.typing], event => {
      const room = tagValue(event, 'h');
      if (room === undefined) return;
      const { pubkey, kind, content, created_at } = event;
      push('rooms.presence', { room, pubkey, kind, content, at: created_at });
    }),
    live.onLive(() => {
      if (wasLive) push('rooms.stale', {});
      wasLive = true;
      soon.ask();
    }),
  ];

  const handlers: Handlers<'rooms'> = {
    list: async () => {
      if (!loaded) await refresh();
      return list();
    },
    async open({ id, cursor, limit }) {
      const answer = await link.call('browseroom', { id, ...optional({ cursor, limit }) });
      const page = roomDetail.parse(answer);
      rooms.set(id, page.room);
      const reactions = await reactionsTo(page.messages);
      return { ...page, room: summary(page.room), reactions };
    },
    async thread({ id, event, cursor }) {
      const answer = await link.call('browsethread', { id, event, ...optional({ cursor }) });
      const page = threadDetail.parse(answer);
      const reactions = await reactionsTo([page.root, ...page.replies]);
      return { ...page, room: summary(page.room), reactions };
    },
    send({ id, content, mentions, root, parent }) {
      const tags = [['h', id]];
      if (root !== undefined) tags.push(['e', root, '', 'root']);
      if (parent !== undefined && parent !== root) tags.push(['e', parent, '', 'reply']);
      for (const pubkey of new Set(mentions)) tags.push(['p', pubkey]);
      return publish({ kind: KIND.chat, tags, content });
    },
    edit: ({ id, event, content }) =>
      publish({
        kind: KIND.edit,
        tags: [
          ['h', id],
          ['e', event],
        ],
        content,
      }),
    react({ id, event, author, content }) {
      return publish({
        kind: KIND.reaction,
        tags: [
          ['h', id],
          ['e', event],
          ['p', author],
        ],
        content,
      });
    },
    async remove({ id, event, author }) {
      const kind = author === link.owner ? KIND.deletion : KIND.deleteEvent;
      await publish({
        kind,
        tags: [
          ['h', id],
          ['e', event],
        ],
        content: '',
      });
      return {};
    },
    async create({ id, name, about, access }) {
      await link.publish({ kind: KIND.createRoom, tags: roomTags(id, { name, about, access }), content: '' });
      return fresh(id);
    },
    async change({ id, name, about, access }) {
      await link.publish({
        kind: KIND.editMetadata,
        tags: roomTags(id, { name, about, access }),
        content: '',
      });
      return fresh(id);
    },
    async addMember({ id, pubkey, role }) {
      const p = role === 'member' ? ['p', pubkey] : ['p', pubkey, role];
      await link.publish({ kind: KIND.putUser, tags: [['h', id], p], content: '' });
      await fresh(id);
      return {};
    },
    async removeMember({ id, pubkey }) {
      await link.publish({
        kind: KIND.removeUser,
        tags: [
          ['h', id],
          ['p', pubkey],
        ],
        content: '',
      });
      await fresh(id);
      return {};
    },
    async leave({ id }) {
      await link.publish({ kind: KIND.leaveRequest, tags: [['h', id]], content: '' });
      await refresh();
      return {};
    },
    async delete({ id }) {
      await link.publish({ kind: KIND.deleteRoom, tags: [['h', id]], content: '' });
      await refresh();
      return {};
    },
    async typing({ id, state }) {
      await link.publish({ kind: KIND.typing, tags: [['h', id]], content: state });
      return {};
    },
    read({ id, to }) {
      if (to <= readTo.get(id)) return {};
      readTo.set(id, to);
      const room = rooms.get(id);
      if (room) void countUnread(room).then(() => tell.ask(), parts.failed);
      return {};
    },
  };

  return {
    handlers,
    list,
    async ensureGeneral() {
      const { items } = roomList.parse(await link.call('browserooms', {}));
      // The main room is the relay itself: it is always there, no event made it, and it does not count.
      if (items.some(room => room.id === GENERAL || room.event_id !== '')) return;
      const fields = { name: GENERAL, about: 'Where you and your agents talk', access: 'open' };
      await link.publish({ kind: KIND.createRoom, tags: roomTags(GENERAL, fields), content: '' });
      await refresh();
    },
    close() {
      soon.close();
      tell.close();
      for (const stop of stops) stop();
    },
  };
}

function roomTags(id: string, fields: { name: string; about: string; access: string }): string[][] {
  const { name, about, access } = fields;
  return [
    ['h', id],
    ['name', name],
    ['about', about],
    ['access', access],
  ];
}

/** The object without what is undefined: the queries refuse unknown values. */
function optional<T extends Record<string, unknown>>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
