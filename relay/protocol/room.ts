// Rooms (NIP-29, spec/membership-and-rooms.md section 3): what the tags of a create or edit mean, and the roles.

import type { NostrEvent } from './event.ts';
import { isRoomId, tagsNamed, tagValue } from './tags.ts';

export type RoomAccess = 'open' | 'members';
export type RoomRole = 'owner' | 'admin' | 'member';

/** What a 9007 or 9002 says of a room; a field it leaves out is undefined. */
export type RoomFields = { name?: string; about?: string; picture?: string; access?: RoomAccess };

const ACCESS: Record<string, RoomAccess> = {
  open: 'open',
  public: 'open',
  members: 'members',
  'members-only': 'members',
  private: 'members',
  closed: 'members',
  invite: 'members',
};
const ACCESS_TAGS: readonly string[] = ['access', 'visibility', 'channel_type'];
const FLAGS: readonly string[] = ['open', 'public', 'closed', 'private'];
/** Bytes of UTF-8 a room's texts are cut to. */
export const ROOM_TEXT_BYTES = { name: 200, about: 2000, picture: 2000 } as const;

/** The room an event belongs to or acts on: its `h`. Undefined when it has none or one that is no room id. */
export function roomOf(event: Pick<NostrEvent, 'tags'>): string | undefined {
  const room = tagValue(event, 'h');
  return isRoomId(room) ? room : undefined;
}

/** The access a word stands for; undefined for words without that meaning. */
export function roomAccess(word: string): RoomAccess | undefined {
  const key = word.trim().toLowerCase();
  return Object.hasOwn(ACCESS, key) ? ACCESS[key] : undefined;
}

/** Reads the fields of a create (9007) or edit (9002); texts cut to their limits in bytes. */
export function roomFields(event: Pick<NostrEvent, 'tags'>): RoomFields {
  const fields: RoomFields = {};
  for (const field of ['name', 'about', 'picture'] as const) {
    const value = tagValue(event, field);
    if (value !== undefined) fields[field] = cutBytes(value, ROOM_TEXT_BYTES[field]);
  }
  const access = accessOf(event);
  if (access !== undefined) fields.access = access;
  return fields;
}

/** The narrower wins when tags contradict each other: nobody opens a room by mistake. */
function accessOf(event: Pick<NostrEvent, 'tags'>): RoomAccess | undefined {
  let access: RoomAccess | undefined;
  for (const [name = '', value = ''] of event.tags) {
    const word = ACCESS_TAGS.includes(name) ? value : FLAGS.includes(name) ? name : '';
    const meant = roomAccess(word);
    if (meant === 'members') return 'members';
    access ??= meant;
  }
  return access;
}

/** A key and the role a 9000 gives it: the strongest of the roles its tag lists, member without one. */
export type RoomAssignment = { pubkey: string; role: RoomRole };

/** Every `p` of a put-user (9000) with its role. Keys are as written: the caller checks them. */
export function roomAssignments(event: Pick<NostrEvent, 'tags'>): RoomAssignment[] {
  return tagsNamed(event, 'p').map(([, pubkey = '', ...roles]) => ({ pubkey, role: roleOf(roles) }));
}

function roleOf(names: readonly string[]): RoomRole {
  const words = names.map(name => name.trim().toLowerCase());
  if (words.includes('owner')) return 'owner';
  return words.includes('admin') || words.includes('moderator') ? 'admin' : 'member';
}

/** True when `role` may do what needs `needed`: owner over admin over member. */
export function roleReaches(role: RoomRole | '', needed: RoomRole): boolean {
  const order = ['', 'member', 'admin', 'owner'];
  return order.indexOf(role) >= order.indexOf(needed);
}

/** The text cut to at most that many bytes of UTF-8, never inside a character. */
export function cutBytes(text: string, limit: number): string {
  let size = 0;
  let cut = '';
  for (const character of text) {
    size += new TextEncoder().encode(character).length;
    if (size > limit) return cut;
    cut += character;
  }
  return text;
}
