// Callback secrets at rest: sealed with XChaCha20-Poly1305 under a key made from the relay's own, bound to the id of
// their callback, so that a copy of the database alone can sign nothing.

import { randomBytes } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';

const NONCE_BYTES = 24;

/** The sealing key of a relay, from its secret key. */
export function callbackSealKey(selfSecret: Uint8Array): Uint8Array {
  return hkdf(sha256, selfSecret, undefined, new TextEncoder().encode('tiny relay callback secrets'), 32);
}

export function sealSecret(key: Uint8Array, id: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const sealed = xchacha20poly1305(key, nonce, Buffer.from(id)).encrypt(Buffer.from(secret));
  return Buffer.concat([nonce, sealed]);
}

/** Null when it was sealed under another key or is not whole. */
export function openSecret(key: Uint8Array, id: string, sealed: Uint8Array): string | null {
  try {
    const cipher = xchacha20poly1305(key, sealed.subarray(0, NONCE_BYTES), Buffer.from(id));
    return Buffer.from(cipher.decrypt(sealed.subarray(NONCE_BYTES))).toString();
  } catch {
    // The library has one error for a wrong key, a changed byte and too few of them.
    return null;
  }
}
