// Rooms and their conversation for the dashboard: read through the browse queries, written as the owner's events.

import { z } from 'zod';
import type { NostrEvent } from '../relay/protocol/event.ts';
import { KIND } from '../relay/protocol/kinds.ts';
import { nostrEvent } from './contract/contract.ts';
import type { Handlers } from './contract/features.ts';
import type { RoomSummary } from './contract/rooms.ts';
import type { Draft } from './relay-link.ts';
import * as drafts from './rooms/room-drafts.ts';
import { RoomList, type RoomListParts, relayRoom, roomDetail } from './rooms/room-list.ts';

export type Rooms = {
  handlers: Handlers<'rooms'>;
  list(): RoomSummary[];
  /** Makes the room `general` when there is no room at all; safe to call at every start. */
  ensureGeneral(): Promise<void>;
  close(): void;
};

const threadDetail = z.object({
  room: relayRoom,
  root: nostrEvent,
  replies: z.array(nostrEvent),
  edits: z.array(nostrEvent),
  next_cursor: z.string(),
});
const GENERAL = 'general';
const MOST_REACTIONS = 500;

/** Opens the feature; its list fills itself once the relay answers. */
export function createRooms(parts: RoomListParts): Rooms {
  const list = new RoomList(parts);
  return {
    handlers: { ...reading(parts, list), ...writing(parts, list), ...managing(parts, list) },
    list: () => list.list(),
    async ensureGeneral() {
      const rooms = await list.readAll();
      // The main room is the relay itself: it is always there, no event made it, and it does not count.
      if (rooms.some(room => room.id === GENERAL || room.event_id !== '')) return;
      const fields = { name: GENERAL, about: 'Where you and your agents talk', access: 'open' as const };
      await parts.link.publish(drafts.createDraft(GENERAL, fields));
      await list.refresh();
    },
    close: () => list.close(),
  };
}

type Reading = 'list' | 'open' | 'thread' | 'read';

function reading({ link }: RoomListParts, list: RoomList): Pick<Handlers<'rooms'>, Reading> {
  async function reactionsTo(events: NostrEvent[]): Promise<NostrEvent[]> {
    for (const event of events) list.where.learn(event);
    if (events.length === 0) return [];
    const ids = events.map(event => event.id);
    return link.query([{ kinds: [KIND.reaction], '#e': ids, limit: MOST_REACTIONS }]);
  }
  return {
    list: () => list.loaded(),
    async open({ id, cursor, limit }) {
      const page = roomDetail.parse(await link.call('browseroom', given({ id, cursor, limit })));
      return { ...page, room: list.learn(page.room), reactions: await reactionsTo(page.messages) };
    },
    async thread({ id, event, cursor }) {
      const page = threadDetail.parse(await link.call('browsethread', given({ id, event, cursor })));
      const reactions = await reactionsTo([page.root, ...page.replies]);
      return { ...page, room: list.summary(page.room), reactions };
    },
    read({ id, to }) {
      list.read(id, to);
      return {};
    },
  };
}

type Writing = 'send' | 'edit' | 'react' | 'remove' | 'typing';

function writing({ link }: RoomListParts, list: RoomList): Pick<Handlers<'rooms'>, Writing> {
  async function publish(draft: Draft): Promise<NostrEvent> {
    const event = await link.publish(draft);
    list.where.learn(event);
    return event;
  }
  return {
    send({ id, content, mentions, root, parent }) {
      return publish(drafts.messageDraft(id, { content, mentions, ...given({ root, parent }) }));
    },
    edit: ({ id, event, content }) => publish(drafts.editDraft(id, event, content)),
    react: ({ id, event, author, content }) => publish(drafts.reactionDraft(id, { event, author }, content)),
    async remove({ id, event, author }) {
      await publish(drafts.removalDraft(id, event, author === link.owner));
      return {};
    },
    async typing({ id, state }) {
      await link.publish(drafts.roomDraft(KIND.typing, id, state));
      return {};
    },
  };
}

type Managing = 'create' | 'change' | 'addMember' | 'removeMember' | 'leave' | 'delete';

function managing({ link }: RoomListParts, list: RoomList): Pick<Handlers<'rooms'>, Managing> {
  return {
    async create({ id, ...fields }) {
      await link.publish(drafts.createDraft(id, fields));
      return list.fresh(id);
    },
    async change({ id, ...fields }) {
      await link.publish(drafts.changeDraft(id, fields));
      return list.fresh(id);
    },
    async addMember({ id, pubkey, role }) {
      await link.publish(drafts.putUserDraft(id, pubkey, role));
      await list.fresh(id);
      return {};
    },
    async removeMember({ id, pubkey }) {
      await link.publish(drafts.removeUserDraft(id, pubkey));
      await list.fresh(id);
      return {};
    },
    async leave({ id }) {
      await link.publish(drafts.roomDraft(KIND.leaveRequest, id));
      await list.refresh();
      return {};
    },
    async delete({ id }) {
      await link.publish(drafts.roomDraft(KIND.deleteRoom, id));
      await list.refresh();
      return {};
    },
  };
}

/** The object without what is undefined: the queries refuse unknown values. */
function given<T extends Record<string, unknown>>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
