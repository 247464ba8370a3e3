// Taking a key into a room and out of it, with the notice the relay signs for each (kinds 44100 and 44101).

import { JOB_KINDS, KIND, MESSAGE_KINDS } from '../../protocol/kinds.ts';
import { type RoomRole, roomOf } from '../../protocol/room.ts';
import type { Candidate, Desk } from '../rule.ts';

/** Puts the key into the room, or gives it another role there. */
export function admit(room: string, pubkey: string, role: RoomRole, desk: Desk): void {
  const { store, now, publishOwn, accessChanged } = desk;
  const held = store.rooms.member(room, pubkey);
  store.rooms.putMember(room, { pubkey, role, added_at: held?.added_at ?? now() });
  if (held !== null) return;
  publishOwn([
    {
      kind: KIND.roomMemberAdded,
      tags: [
        ['h', room],
        ['p', pubkey],
      ],
      content: '',
    },
  ]);
  // Who could read the room before sees nothing new.
  if (store.rooms.get(room)?.access === 'members') {
    accessChanged({ keys: [pubkey], reason: `you were added to room ${room}` });
  }
}

/** Takes the key out of the room. */
export function dismiss(room: string, pubkey: string, desk: Desk): void {
  if (!desk.store.rooms.removeMember(room, pubkey)) return;
  announceDismissal(room, pubkey, desk);
}

/** Says that the key is out of the room, when the row has gone already. */
export function announceDismissal(
  room: string,
  pubkey: string,
  { publishOwn, accessChanged }: Pick<Desk, 'publishOwn' | 'accessChanged'>,
): void {
  publishOwn([
    {
      kind: KIND.roomMemberRemoved,
      tags: [
        ['h', room],
        ['p', pubkey],
      ],
      content: '',
    },
  ]);
  accessChanged({ keys: [pubkey], reason: `you were removed from room ${room}` });
}

const JOINING = new Set<number>([...MESSAGE_KINDS, ...JOB_KINDS, KIND.comment]);

/** The first message of a relay member in an open room makes it a member of the room. */
export function joinByWriting({ event }: Candidate, desk: Desk): void {
  const room = JOINING.has(event.kind) ? roomOf(event) : undefined;
  if (room === undefined || desk.store.rooms.get(room)?.access !== 'open') return;
  if (desk.store.rooms.member(room, event.pubkey) !== null || !desk.roles.isMember(event.pubkey)) return;
  admit(room, event.pubkey, 'member', desk);
}
