// Public keys as people paste them.

import { decode } from 'nostr-tools/nip19';

/** Hex of a public key given as hex or npub; null for anything else. */
export function npubToHex(text: string): string | null {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return trimmed.toLowerCase();
  try {
    const decoded = decode(trimmed);
    return decoded.type === 'npub' ? decoded.data : null;
  } catch {
    // A typing mistake; the field says so.
    return null;
  }
}
