// The main room: the relay itself as a room (spec/membership-and-rooms.md section 3). It is made with the relay, no
// event created it, and who is in it and what it is called follow the relay.

import type { Policy } from '../policy.ts';
import type { RoomAccess, RoomRole } from '../protocol/room.ts';
import { cutBytes, ROOM_TEXT_BYTES } from '../protocol/room.ts';
import type { SqliteStore } from '../store/store.ts';
import { isMainRoom } from './relay-level.ts';

const SETTING = 'main-room';

/** Makes the main room when the relay has a name, and brings it in line with policy and members. */
export function alignMainRoom(store: SqliteStore, now: () => number): void {
  const { policy } = store.settings;
  const id = mainRoomId(store);
  if (id === null) return;
  const held = store.rooms.get(id);
  const fields = fieldsOf(policy, id);
  const isSame =
    held !== null &&
    held.name === fields.name &&
    held.about === fields.about &&
    held.picture === fields.picture &&
    held.access === fields.access;
  if (!isSame) {
    const made = held ?? { id, created_by: policy.owner, created_at: now(), event_id: '' };
    store.rooms.put({ ...made, ...fields });
  }
  const wanted = new Map<string, RoomRole>(
    store.members.list().map(({ pubkey, role }) => [pubkey, role === 'moderator' ? 'admin' : 'member']),
  );
  if (policy.owner !== '') wanted.set(policy.owner, 'owner');
  for (const { pubkey } of store.rooms.members(id))
    if (!wanted.has(pubkey)) store.rooms.removeMember(id, pubkey);
  for (const [pubkey, role] of wanted) {
    const member = store.rooms.member(id, pubkey);
    if (member?.role !== role)
      store.rooms.putMember(id, { pubkey, role, added_at: member?.added_at ?? now() });
  }
}

/** Its id is made of the relay's first name and stays when the relay is renamed: messages name it. */
function mainRoomId(store: SqliteStore): string | null {
  const known = store.settings.get(SETTING);
  if (known !== null) return known;
  const slug = store.settings.policy.name
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 58);
  if (slug === '') return null;
  const taken = store.rooms.get(slug);
  const id = taken === null || isMainRoom(taken) ? slug : `${slug}-relay`;
  if (id !== slug && store.rooms.get(id) !== null) return null;
  store.settings.set(SETTING, id);
  return id;
}

function fieldsOf(
  policy: Policy,
  id: string,
): { name: string; about: string; picture: string; access: RoomAccess } {
  return {
    name: cutBytes(policy.name, ROOM_TEXT_BYTES.name) || id,
    about: cutBytes(policy.description, ROOM_TEXT_BYTES.about),
    picture: cutBytes(policy.icon, ROOM_TEXT_BYTES.picture),
    access: policy.reads === 'members' ? 'members' : 'open',
  };
}
