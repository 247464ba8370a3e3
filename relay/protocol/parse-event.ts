// Reading an event from outside (NIP-01): unknown in, a NostrEvent with exactly its seven fields out. The id and the
// signature are only looked at for their form; relay/verify checks that they belong to the event.

import type { NostrEvent } from './event.ts';
import type { Parsed } from './reasons.ts';
import { characters, isHex64 } from './tags.ts';

/** How much of an event is taken: number of tags, Unicode characters of content. */
export type EventCaps = { tags: number; contentCharacters: number };

const SIGNATURE = /^[0-9a-f]{128}$/;
const FIELDS = ['id', 'pubkey', 'created_at', 'kind', 'tags', 'content', 'sig'] as const;

/** The event without fields NIP-01 does not know, or `invalid:` naming the first that is not usable. */
export function parseEvent(input: unknown, caps: EventCaps): Parsed<NostrEvent> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return invalid('event must be an object');
  }
  const missing = FIELDS.find(field => !Object.hasOwn(input, field));
  if (missing !== undefined) return invalid(`missing ${missing}`);
  const { id, pubkey, created_at, kind, tags, content, sig } = input as Record<string, unknown>;
  if (!isHex64(id)) return invalid('bad id');
  if (!isHex64(pubkey)) return invalid('bad pubkey');
  if (typeof sig !== 'string' || !SIGNATURE.test(sig)) return invalid('bad sig');
  if (!isCount(created_at)) return invalid('bad created_at');
  if (!isCount(kind) || kind > 65_535) return invalid('kind out of range');
  const badTags = tagsRefusal(tags, caps);
  if (badTags !== null) return invalid(badTags);
  if (!isText(content)) return invalid('bad content');
  if (content.length > caps.contentCharacters && characters(content) > caps.contentCharacters) {
    return invalid(`content is longer than ${caps.contentCharacters} characters`);
  }
  return { ok: true, value: { id, pubkey, created_at, kind, tags: tags as string[][], content, sig } };
}

/** What an event's id is the SHA-256 of, as UTF-8 text (NIP-01). */
export function serializeForId(event: Omit<NostrEvent, 'id' | 'sig'>): string {
  return JSON.stringify([0, event.pubkey, event.created_at, event.kind, event.tags, event.content]);
}

function tagsRefusal(tags: unknown, caps: EventCaps): string | null {
  if (!Array.isArray(tags)) return 'tags must be a list';
  if (tags.length > caps.tags) return `more than ${caps.tags} tags`;
  for (const tag of tags) {
    if (!Array.isArray(tag) || tag.length === 0 || !tag.every(isText)) return 'bad tag';
  }
  return null;
}

/** Lone surrogates have no UTF-8: other implementations would hash something else, or nothing. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function invalid(text: string): { ok: false; refusal: string } {
  return { ok: false, refusal: `invalid: ${text}` };
}
