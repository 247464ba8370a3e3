// NIP-29 events that are about the relay as a whole: they name no room, or the main one, which is the relay itself.

import type { RoomRecord, RoomStore } from '../context.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { roomAssignments } from '../protocol/room.ts';
import { tagValue } from '../protocol/tags.ts';

/** No event made the main room: it is there because the relay is. */
export function isMainRoom(room: Pick<RoomRecord, 'event_id'> | null): boolean {
  return room?.event_id === '';
}

/** Is an event that could change a room about the relay instead? */
export function isRelayLevel(event: Pick<NostrEvent, 'tags'>, rooms: Pick<RoomStore, 'get'>): boolean {
  const room = tagValue(event, 'h');
  return room === undefined || isMainRoom(rooms.get(room));
}

export type RelayAssignment = { pubkey: string; role: 'owner' | 'moderator' | 'member' };

/** Who a put-user (9000) gives which role on the relay. */
export function relayAssignments(event: Pick<NostrEvent, 'tags'>): RelayAssignment[] {
  return roomAssignments(event).map(({ pubkey, role }) => ({
    pubkey,
    role: role === 'admin' ? 'moderator' : role,
  }));
}
