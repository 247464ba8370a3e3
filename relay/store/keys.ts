// How ids, keys and tag values are written in the indexes (see migrations/0001-events.ts).

import { hash } from 'node:crypto';
import type { NostrEvent } from '../protocol/event.ts';
import { tagValue } from '../protocol/tags.ts';

/** The first 48 bits of an id or key: a number that SQLite keeps in six bytes. */
export function prefix48(hex: string): number {
  return Number.parseInt(hex.slice(0, 12), 16);
}

/** Values longer than this are indexed by their hash. */
const LONGEST_VALUE = 200;

const HEX_64 = /^[0-9a-f]{64}$/;

/** A tag value in the index: 32 bytes for ids and keys, the text itself, or a hash of a long text. */
export function indexValue(value: string): string | Buffer {
  if (HEX_64.test(value)) return Buffer.from(value, 'hex');
  return value.length <= LONGEST_VALUE ? value : Buffer.from(`#${hash('sha256', value, 'hex')}`);
}

const LETTER = /^[a-zA-Z]$/;

/** The tags of an event that filters can ask for: one letter, first value, each pair once. */
export function indexedTags(event: Pick<NostrEvent, 'tags'>): [name: string, value: string][] {
  const seen = new Set<string>();
  const found: [string, string][] = [];
  for (const [name = '', value] of event.tags) {
    if (value === undefined || !LETTER.test(name) || seen.has(name + value)) continue;
    seen.add(name + value);
    found.push([name, value]);
  }
  return found;
}

/** `kind:pubkey:d`; the `d` is empty for a replaceable kind (NIP-01). The first `d` tag counts. */
export function addressOf(event: NostrEvent, addressable: boolean): string {
  return `${event.kind}:${event.pubkey}:${addressable ? (tagValue(event, 'd') ?? '') : ''}`;
}
