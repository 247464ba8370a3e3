// The rooms of the relay as main knows them now, with what is unread: read through browserooms, kept fresh by what
// arrives live.

import { z } from 'zod';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { KIND, MESSAGE_KINDS } from '../../relay/protocol/kinds.ts';
import { tagValue } from '../../relay/protocol/tags.ts';
import { coalesce } from '../coalesce.ts';
import { nostrEvent } from '../contract/contract.ts';
import { type RoomSummary, roomMember, roomSummary } from '../contract/rooms.ts';
import { type Live, ROOM_EVENT_KINDS, ROOM_RECORD_KINDS } from '../live.ts';
import type { Push } from '../push.ts';
import type { RelayLink } from '../relay-link.ts';
import { RoomOfEvent } from './room-of-event.ts';

/** A room as the queries say it; `event_id` is empty for the main room, which no event made. */
export const relayRoom = roomSummary
  .omit({ unread: true, readTo: true })
  .extend({ event_id: z.string().default('') });
export type RelayRoom = z.infer<typeof relayRoom>;

export const roomDetail = z.object({
  room: relayRoom,
  members: z.array(roomMember),
  messages: z.array(nostrEvent),
  edits: z.array(nostrEvent),
  next_cursor: z.string(),
});
const roomPage = z.object({ items: z.array(relayRoom), next_cursor: z.string() });

/** Created_at up to which the person has read, per room. */
export type ReadPositions = { get(room: string): number; set(room: string, to: number): void };

export type RoomListParts = {
  link: RelayLink;
  live: Live;
  push: Push;
  readTo: ReadPositions;
  failed(error: unknown): void;
};

/** More unread than this is shown as this many. */
const UNREAD_CAP = 100;

export class RoomList {
  /** Where events belong that do not say so themselves. */
  readonly where = new RoomOfEvent();
  readonly #parts: RoomListParts;
  readonly #unread = new Map<string, number>();
  readonly #tell;
  readonly #soon;
  readonly #stops: (() => void)[];
  #rooms = new Map<string, RelayRoom>();
  #loaded = false;
  #wasLive = false;

  constructor(parts: RoomListParts) {
    const { live, push, failed } = parts;
    this.#parts = parts;
    this.#tell = coalesce(50, () => push('rooms.changed', this.list()), failed);
    this.#soon = coalesce(30, () => this.refresh(), failed);
    this.#stops = [
      live.on(ROOM_EVENT_KINDS, event => this.#arrived(event)),
      live.on(ROOM_RECORD_KINDS, () => this.#soon.ask()),
      live.on([KIND.presence, KIND.typing], event => this.#present(event)),
      live.onLive(() => this.#begun()),
    ];
  }

  list(): RoomSummary[] {
    return [...this.#rooms.values()].map(room => this.summary(room));
  }

  /** The list, read first when it never was. Throws CallFailure. */
  async loaded(): Promise<RoomSummary[]> {
    if (!this.#loaded) await this.refresh();
    return this.list();
  }

  summary({ event_id: _, ...room }: RelayRoom): RoomSummary {
    return { ...room, unread: this.#unread.get(room.id) ?? 0, readTo: this.#parts.readTo.get(room.id) };
  }

  /** Takes in a room as a query has just answered it. */
  learn(room: RelayRoom): RoomSummary {
    this.#rooms.set(room.id, room);
    this.#tell.ask();
    return this.summary(room);
  }

  /** Every room as the relay answers it now, page by page. Throws CallFailure. */
  async readAll(): Promise<RelayRoom[]> {
    const found: RelayRoom[] = [];
    let cursor = '';
    do {
      const params = cursor === '' ? {} : { cursor };
      const page = roomPage.parse(await this.#parts.link.call('browserooms', params));
      found.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== '');
    return found;
  }

  async refresh(): Promise<void> {
    const found = await this.readAll();
    this.#rooms = new Map(found.map(room => [room.id, room]));
    await Promise.all(found.map(room => this.#countUnread(room)));
    this.#loaded = true;
    this.#tell.ask();
  }

  /** The room as it is now on the relay, after a change of it. Throws CallFailure. */
  async fresh(id: string): Promise<RoomSummary> {
    const { room } = roomDetail.parse(await this.#parts.link.call('browseroom', { id, limit: 1 }));
    return this.learn(room);
  }

  /** The person has read that far; going back is no reading. */
  read(id: string, to: number): void {
    const { readTo, failed } = this.#parts;
    if (to <= readTo.get(id)) return;
    readTo.set(id, to);
    const room = this.#rooms.get(id);
    if (room) this.#countUnread(room).then(() => this.#tell.ask(), failed);
  }

  close(): void {
    this.#soon.close();
    this.#tell.close();
    for (const stop of this.#stops) stop();
  }

  async #countUnread(room: RelayRoom): Promise<void> {
    const { link, readTo } = this.#parts;
    const since = readTo.get(room.id) + 1;
    if (room.last_message_at < since) {
      this.#unread.set(room.id, 0);
      return;
    }
    const filter = { kinds: [...MESSAGE_KINDS], '#h': [room.id], since, limit: UNREAD_CAP };
    const events = await link.query([filter]);
    this.#unread.set(room.id, events.filter(event => event.pubkey !== link.owner).length);
  }

  #arrived(event: NostrEvent): void {
    const { link, push, readTo } = this.#parts;
    const id = this.where.find(event);
    if (id === undefined) return;
    this.where.learn(event);
    push('rooms.event', { room: id, event });
    const room = this.#rooms.get(id);
    if (!room || !MESSAGE_KINDS.includes(event.kind)) return;
    this.#rooms.set(id, { ...room, last_message_at: Math.max(room.last_message_at, event.created_at) });
    if (event.pubkey !== link.owner && event.created_at > readTo.get(id)) {
      this.#unread.set(id, Math.min(UNREAD_CAP, (this.#unread.get(id) ?? 0) + 1));
    }
    this.#tell.ask();
  }

  #present(event: NostrEvent): void {
    const room = tagValue(event, 'h');
    if (room === undefined) return;
    const { pubkey, kind, content, created_at } = event;
    this.#parts.push('rooms.presence', { room, pubkey, kind, content, at: created_at });
  }

  #begun(): void {
    if (this.#wasLive) this.#parts.push('rooms.stale', {});
    this.#wasLive = true;
    this.#soon.ask();
  }
}
