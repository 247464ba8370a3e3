// What the moderation events of rooms change (NIP-29). The rules have already said that the author may; the signed
// records of a room that changed are made anew before the commit (admission/own-records.ts).

import type { NostrEvent } from '../../protocol/event.ts';
import { KIND } from '../../protocol/kinds.ts';
import { roomAssignments, roomFields, roomOf } from '../../protocol/room.ts';
import { tagValue, tagValues } from '../../protocol/tags.ts';
import type { Candidate, Desk, Effect } from '../rule.ts';
import { admit, dismiss } from './room-members.ts';

type Change = (event: NostrEvent, room: string, desk: Desk) => void;

export const createRoom: Effect = changing(create, 'create-room');
export const editRoom: Effect = changing(edit, 'edit-room');
export const putUser: Effect = changing(put, 'room-put-user');
export const removeUser: Effect = {
  ...changing(remove, 'room-remove-user'),
  nothingToDo({ event }, { store }) {
    const room = roomOf(event) ?? '';
    const isAnyoneHere = tagValues(event, 'p').some(key => store.rooms.member(room, key) !== null);
    return isAnyoneHere ? null : 'duplicate: not a member';
  },
};
export const deleteEvents: Effect = changing(deleteNamed, 'room-delete-event');
export const deleteRoom: Effect = changing(deleteWhole, 'delete-room');
export const joinRoom: Effect = {
  ...changing(join, 'room-join'),
  nothingToDo({ event }, { store }) {
    const isHere = store.rooms.member(roomOf(event) ?? '', event.pubkey) !== null;
    return isHere ? 'duplicate: already a member' : null;
  },
};
export const leaveRoom: Effect = changing(leave, 'room-leave');

/** An effect on the room in `h`, with its audit row: detail is the first `p`, or the access of a new room. */
function changing(change: Change, action: string): Effect {
  return {
    apply({ event }: Candidate, desk) {
      const room = roomOf(event);
      if (room === undefined) return undefined;
      change(event, room, desk);
      const created = event.kind === KIND.createRoom ? desk.store.rooms.get(room)?.access : undefined;
      const detail = created ?? tagValue(event, 'p') ?? '';
      desk.store.audit.add({ actor: event.pubkey, action, target: room, detail });
      return undefined;
    },
  };
}

function create(event: NostrEvent, room: string, { store, now }: Desk): void {
  const { name, about = '', picture = '', access = 'open' } = roomFields(event);
  const { id: event_id, pubkey: created_by, created_at } = event;
  const named = name === undefined || name.trim() === '' ? room : name;
  store.rooms.put({ id: room, name: named, about, picture, access, created_by, created_at, event_id });
  store.rooms.putMember(room, { pubkey: created_by, role: 'owner', added_at: now() });
}

function edit(event: NostrEvent, room: string, { store, accessChanged }: Desk): void {
  const held = store.rooms.get(room);
  if (held === null) return;
  const next = { ...held, ...roomFields(event) };
  store.rooms.put(next);
  if (next.access !== held.access) accessChanged({ reason: `access to room ${room} changed` });
}

function put(event: NostrEvent, room: string, desk: Desk): void {
  for (const { pubkey, role } of roomAssignments(event)) admit(room, pubkey, role, desk);
}

function remove(event: NostrEvent, room: string, desk: Desk): void {
  for (const pubkey of tagValues(event, 'p')) dismiss(room, pubkey, desk);
}

function deleteNamed(event: NostrEvent, _room: string, { store }: Desk): void {
  for (const id of tagValues(event, 'e')) {
    store.events.buryId(id);
    store.events.remove(id);
  }
}

/** Messages, records and members go; the deletion itself stays as the last word about the room. */
function deleteWhole(event: NostrEvent, room: string, { store, self, accessChanged }: Desk): void {
  for (const held of [...store.events.scan({ '#h': [room] })]) {
    if (held.id !== event.id) store.events.remove(held.id);
  }
  const kinds = [KIND.roomMetadata, KIND.roomAdmins, KIND.roomMembers];
  store.events.removeAll({ kinds, authors: [self], '#d': [room] });
  store.rooms.remove(room);
  accessChanged({ reason: `room ${room} was deleted` });
}

function join(event: NostrEvent, room: string, desk: Desk): void {
  admit(room, event.pubkey, 'member', desk);
  desk.publishOwn([
    {
      kind: KIND.putUser,
      tags: [
        ['h', room],
        ['p', event.pubkey],
      ],
      content: '',
    },
  ]);
}

function leave(event: NostrEvent, room: string, desk: Desk): void {
  dismiss(room, event.pubkey, desk);
  desk.publishOwn([
    {
      kind: KIND.removeUser,
      tags: [
        ['h', room],
        ['p', event.pubkey],
      ],
      content: '',
    },
  ]);
}
