// The events that change a room (NIP-29, spec/membership-and-rooms.md section 3): who may send which.

import type { Refusal } from '../../context.ts';
import { isMainRoom, isRelayLevel } from '../../membership/relay-level.ts';
import type { NostrEvent } from '../../protocol/event.ts';
import { KIND } from '../../protocol/kinds.ts';
import { roleReaches, roomAssignments, roomOf } from '../../protocol/room.ts';
import { isHex64, tagValue, tagValues } from '../../protocol/tags.ts';
import type { Candidate, Desk, Rule } from '../rule.ts';

type Check = (event: NostrEvent, room: string, desk: Desk) => Refusal | null;

const CHECKS: Record<number, Check> = {
  [KIND.createRoom]: mayCreate,
  [KIND.editMetadata]: (event, room, desk) =>
    holds('admin', event, room, desk) ? null : 'restricted: only room admins edit the room',
  [KIND.putUser]: mayPut,
  [KIND.removeUser]: mayRemove,
  [KIND.deleteEvent]: mayDeleteEvents,
  [KIND.deleteRoom]: (event, room, desk) =>
    holds('owner', event, room, desk) ? null : 'restricted: only a room owner deletes the room',
  [KIND.createInvite]: () => 'unsupported: invite codes belong to the relay, not to a room',
  [KIND.updatePins]: () => 'unsupported: rooms have no pins here',
  [KIND.joinRequest]: mayJoin,
  [KIND.leaveRequest]: mayLeave,
};

/** Judged by rules/joining.ts when they are about the relay. */
const AT_RELAY = new Set<number>([KIND.putUser, KIND.removeUser, KIND.joinRequest, KIND.leaveRequest]);
const MANAGED = new Set<number>([KIND.editMetadata, KIND.deleteRoom]);

export const roomModeration: Rule = (candidate: Candidate, desk) => {
  const { event } = candidate;
  const check = CHECKS[event.kind];
  if (check === undefined) return null;
  if (AT_RELAY.has(event.kind) && isRelayLevel(event, desk.store.rooms)) return null;
  const room = roomOf(event);
  if (MANAGED.has(event.kind) && isMainRoom(desk.store.rooms.get(room ?? ''))) {
    return 'invalid: the main room is managed by the relay';
  }
  if (room === undefined) return `invalid: kind ${event.kind} must name a room in an h tag`;
  return check(event, room, desk);
};

function holds(needed: 'owner' | 'admin', event: NostrEvent, room: string, { roles }: Desk): boolean {
  return roleReaches(roles.roomRole(room, event.pubkey), needed);
}

function mayCreate(event: NostrEvent, room: string, { store, roles, policy }: Desk): Refusal | null {
  if (!roles.isMember(event.pubkey)) return 'restricted: rooms are for members of this relay';
  const existing = store.rooms.get(room);
  if (existing !== null) return `duplicate: room ${room} exists`;
  const allowed = policy().rooms;
  if (allowed === 0) return 'restricted: room creation is switched off';
  return store.rooms.list().filter(room => !isMainRoom(room)).length >= allowed
    ? `restricted: this relay allows ${allowed} rooms`
    : null;
}

function mayPut(event: NostrEvent, room: string, desk: Desk): Refusal | null {
  const { store, roles } = desk;
  const assignments = roomAssignments(event);
  if (assignments.length === 0 || !assignments.every(({ pubkey }) => isHex64(pubkey))) {
    return 'invalid: putting a user needs a p tag with a hex public key';
  }
  if (!holds('admin', event, room, desk)) return 'restricted: only room admins add members';
  for (const { pubkey, role } of assignments) {
    if (!roles.isMember(pubkey)) return `restricted: ${pubkey} is not a member of this relay`;
    const touchesOwner = role === 'owner' || store.rooms.member(room, pubkey)?.role === 'owner';
    if (touchesOwner && !holds('owner', event, room, desk)) {
      return 'restricted: only a room owner appoints or changes owners';
    }
    if (role !== 'owner' && isLastOwner(room, pubkey, desk))
      return 'restricted: the last owner of a room stays';
  }
  return null;
}

function mayRemove(event: NostrEvent, room: string, desk: Desk): Refusal | null {
  const keys = tagValues(event, 'p');
  if (keys.length === 0 || !keys.every(isHex64)) {
    return 'invalid: removing a user needs a p tag with a hex public key';
  }
  if (!holds('admin', event, room, desk)) return 'restricted: only room admins remove members';
  for (const key of keys) {
    const isOwner = desk.store.rooms.member(room, key)?.role === 'owner';
    if (isOwner && !holds('owner', event, room, desk))
      return 'restricted: only a room owner removes an owner';
    if (isLastOwner(room, key, desk)) return 'restricted: the last owner of a room stays';
  }
  return null;
}

function mayDeleteEvents(event: NostrEvent, room: string, desk: Desk): Refusal | null {
  const ids = tagValues(event, 'e');
  if (ids.length === 0 || !ids.every(isHex64)) return 'invalid: deleting needs an e tag with an event id';
  const targets = ids.map(id => desk.store.events.get(id));
  if (!targets.every(target => target !== null && tagValue(target, 'h') === room)) {
    return 'invalid: only events of this room can be deleted';
  }
  if (holds('admin', event, room, desk)) return null;
  const own = targets.every(target => target?.pubkey === event.pubkey);
  return own ? null : "restricted: only room admins delete others' events";
}

function mayJoin(event: NostrEvent, room: string, { store }: Desk): Refusal | null {
  if (store.rooms.member(room, event.pubkey) !== null) return null;
  return store.rooms.get(room)?.access === 'open'
    ? null
    : 'restricted: this room is members-only, an admin adds members';
}

function mayLeave(event: NostrEvent, room: string, desk: Desk): Refusal | null {
  if (desk.store.rooms.member(room, event.pubkey) === null) return 'invalid: not a member of this room';
  return isLastOwner(room, event.pubkey, desk) ? 'restricted: the last owner of a room stays' : null;
}

function isLastOwner(room: string, pubkey: string, { store }: Desk): boolean {
  if (store.rooms.member(room, pubkey)?.role !== 'owner') return false;
  return store.rooms.members(room).filter(member => member.role === 'owner').length === 1;
}
