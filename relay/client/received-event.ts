// What a client believes of an event that arrives: its shape, its id and its signature (NIP-01).

import { verifySchnorr } from 'tiny-secp256k1';
import type { NostrEvent } from '../protocol/event.ts';
import { parseEvent } from '../protocol/parse-event.ts';
import { eventId } from './signer.ts';

/** The size of what arrives is bounded by the frame or body it came in. */
const CAPS = { tags: Number.MAX_SAFE_INTEGER, contentCharacters: Number.MAX_SAFE_INTEGER };

/** The event, rebuilt from its seven fields, when id and signature are its own; null otherwise. */
export function receivedEvent(input: unknown): NostrEvent | null {
  const parsed = parseEvent(input, CAPS);
  if (!parsed.ok || eventId(parsed.value) !== parsed.value.id) return null;
  const { id, pubkey, sig } = parsed.value;
  try {
    return verifySchnorr(bytes(id), bytes(pubkey), bytes(sig)) ? parsed.value : null;
  } catch {
    // The library throws for a key that is no point of the curve: nobody can have signed with it.
    return null;
  }
}

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}
