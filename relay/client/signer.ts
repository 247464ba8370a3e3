// Signing with one secret key, and reading secret keys from text (NIP-01, NIP-19). The secret stays inside the
// closure: a signer has nothing to print, serialise or log.

import { hash, randomBytes } from 'node:crypto';
import { decode } from 'nostr-tools/nip19';
import { isPrivate, signSchnorr, xOnlyPointFromScalar } from 'tiny-secp256k1';
import type { EventTemplate, NostrEvent } from '../protocol/event.ts';
import { serializeForId } from '../protocol/parse-event.ts';

export type Signer = {
  /** Public key in hex. */
  readonly pubkey: string;
  /** The template as a signed event of this key. */
  sign(template: EventTemplate): NostrEvent;
};

/** A signer over a copy of the secret. Throws when the bytes are no secret key of the curve. */
export function signerFrom(secret: Uint8Array): Signer {
  if (secret.length !== 32 || !isPrivate(secret)) throw new TypeError('not a secret key: 32 bytes needed');
  const key = Uint8Array.from(secret);
  const pubkey = Buffer.from(xOnlyPointFromScalar(key)).toString('hex');
  return {
    pubkey,
    sign(template) {
      const { kind, created_at, tags, content } = template;
      const id = eventId({ pubkey, created_at, kind, tags, content });
      const sig = signSchnorr(Buffer.from(id, 'hex'), key, randomBytes(32));
      return { id, pubkey, created_at, kind, tags, content, sig: Buffer.from(sig).toString('hex') };
    },
  };
}

/** The id of an event: SHA-256 of its NIP-01 serialisation, in hex. */
export function eventId(event: Omit<NostrEvent, 'id' | 'sig'>): string {
  return hash('sha256', serializeForId(event), 'hex');
}

/** A secret key from 64 hex digits or an `nsec`; null when the text is neither. */
export function parseSecret(text: string): Uint8Array | null {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Uint8Array.from(Buffer.from(trimmed, 'hex'))
    : secretFromNsec(trimmed);
  return bytes !== null && bytes.length === 32 && isPrivate(bytes) ? bytes : null;
}

function secretFromNsec(text: string): Uint8Array | null {
  if (!text.startsWith('nsec1')) return null;
  try {
    const decoded = decode(text);
    return decoded.type === 'nsec' ? decoded.data : null;
  } catch {
    // A bad checksum is an ordinary typing mistake: no key.
    return null;
  }
}

/** A fresh random secret key. */
export function generateSecret(): Uint8Array {
  for (;;) {
    const bytes = Uint8Array.from(randomBytes(32));
    if (isPrivate(bytes)) return bytes;
  }
}
