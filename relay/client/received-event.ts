// What a client believes of an event that arrives: its shape, its id and its signature (NIP-01).

import { verifySchnorr } from 'tiny-secp256k1';
import type { Filter, NostrEvent } from '../protocol/event.ts';
import { isHex64 } from '../protocol/tags.ts';
import { eventId } from './signer.ts';

const SIGNATURE = /^[0-9a-f]{128}$/;

/** The event, rebuilt from its seven fields, when id and signature are its own; null otherwise. */
export function receivedEvent(input: unknown): NostrEvent | null {
  const event = shapeOf(input);
  if (event === null || eventId(event) !== event.id) return null;
  try {
    const good = verifySchnorr(
      Buffer.from(event.id, 'hex'),
      Buffer.from(event.pubkey, 'hex'),
      Buffer.from(event.sig, 'hex'),
    );
    return good ? event : null;
  } catch {
    // The library throws for a key that is no point of the curve: nobody can have signed with it.
    return null;
  }
}

function shapeOf(input: unknown): NostrEvent | null {
  if (typeof input !== 'object' || input === null) return null;
  const { id, pubkey, created_at, kind, tags, content, sig } = input as Record<string, unknown>;
  if (!isHex64(id) || !isHex64(pubkey) || typeof sig !== 'string' || !SIGNATURE.test(sig)) return null;
  if (!Number.isSafeInteger(created_at) || !Number.isSafeInteger(kind)) return null;
  if (typeof content !== 'string' || !Array.isArray(tags)) return null;
  if (!tags.every(tag => Array.isArray(tag) && tag.every(value => typeof value === 'string'))) return null;
  return { id, pubkey, created_at: created_at as number, kind: kind as number, tags, content, sig };
}

/** True when at least one filter of a REQ lets the event through. */
export function matchesAny(filters: readonly Filter[], event: NostrEvent): boolean {
  return filters.some(filter => matches(filter, event));
}

function matches(filter: Filter, event: NostrEvent): boolean {
  if (filter.ids !== undefined && !filter.ids.includes(event.id)) return false;
  if (filter.authors !== undefined && !filter.authors.includes(event.pubkey)) return false;
  if (filter.kinds !== undefined && !filter.kinds.includes(event.kind)) return false;
  if (filter.since !== undefined && event.created_at < filter.since) return false;
  if (filter.until !== undefined && event.created_at > filter.until) return false;
  for (const [key, wanted] of Object.entries(filter)) {
    if (!key.startsWith('#') || !Array.isArray(wanted)) continue;
    const name = key.slice(1);
    if (!event.tags.some(tag => tag[0] === name && (wanted as unknown[]).includes(tag[1]))) return false;
  }
  return true;
}
