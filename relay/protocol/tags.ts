// Reading tags. Nothing here throws: an event from outside may hold anything.

import type { NostrEvent } from './event.ts';

type Tagged = Pick<NostrEvent, 'tags'>;

/** Value of the first tag of that name, or undefined. */
export function tagValue(event: Tagged, name: string): string | undefined {
  return event.tags.find(tag => tag[0] === name)?.[1];
}

/** Values of every tag of that name, in order; tags without a value are passed over. */
export function tagValues(event: Tagged, name: string): string[] {
  const values: string[] = [];
  for (const tag of event.tags) if (tag[0] === name && tag[1] !== undefined) values.push(tag[1]);
  return values;
}

/** Every tag of that name, whole. */
export function tagsNamed(event: Tagged, name: string): string[][] {
  return event.tags.filter(tag => tag[0] === name);
}

const HEX_64 = /^[0-9a-f]{64}$/;

/** True for 64 lower-case hex characters: an event id or a public key. */
export function isHex64(value: unknown): value is string {
  return typeof value === 'string' && HEX_64.test(value);
}

const ROOM_ID = /^[a-z0-9_-]{1,64}$/;

/** True for a room id (spec/membership-and-rooms.md section 3). */
export function isRoomId(value: unknown): value is string {
  return typeof value === 'string' && ROOM_ID.test(value);
}

/** The thread root an event names: the `e` tag marked `root` (seed, Agent chat features), or undefined. */
export function rootReference(event: Tagged): string | undefined {
  return event.tags.find(tag => tag[0] === 'e' && tag[3] === 'root')?.[1];
}

/** `expiration` in Unix seconds; undefined without one, NaN when it is not a decimal integer (NIP-40). */
export function expirationOf(event: Tagged): number | undefined {
  const value = tagValue(event, 'expiration');
  if (value === undefined) return undefined;
  return /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
}

/** Number of Unicode code points: what the seeds call characters (spec/decisions.md 3). */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
