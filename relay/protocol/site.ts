// Labels of static sites (NIP-5A, spec/sites-and-blobs.md section 2): the host name part that names one site of a key.

import { decode, npubEncode } from 'nostr-tools/nip19';

export type SiteLabel =
  | { type: 'root'; pubkey: string }
  | { type: 'named'; pubkey: string; name: string }
  | { type: 'snapshot'; event: string };

const NAME = /^[a-z0-9-]{1,13}$/;
const BASE36 = /^[0-9a-z]{50}$/;
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';
const LIMIT = 1n << 256n;

/** The site a label names; null for text that is no label. */
export function parseSiteLabel(label: string): SiteLabel | null {
  if (label.startsWith('npub1')) {
    const pubkey = pubkeyFromNpub(label);
    return pubkey === null ? null : { type: 'root', pubkey };
  }
  if (label.length === 51 && label.startsWith('v')) {
    const event = hexFromBase36(label.slice(1));
    return event === null ? null : { type: 'snapshot', event };
  }
  const name = label.slice(50);
  // A host name may not end with a dash, so such a site could never be asked for.
  if (label.length > 63 || label.endsWith('-') || !NAME.test(name)) return null;
  const pubkey = hexFromBase36(label.slice(0, 50));
  return pubkey === null ? null : { type: 'named', pubkey, name };
}

/** Label of the key's own site (kind 15128): its npub. */
export function rootSiteLabel(pubkey: string): string {
  return npubEncode(pubkey);
}

/** Label of a named site (kind 35128): the key in base36, padded to 50, then the name. */
export function namedSiteLabel(pubkey: string, name: string): string {
  return BigInt(`0x${pubkey}`).toString(36).padStart(50, '0') + name;
}

function pubkeyFromNpub(text: string): string | null {
  try {
    const decoded = decode(text);
    return decoded.type === 'npub' ? decoded.data : null;
  } catch {
    // A wrong checksum is an ordinary typing mistake: no key.
    return null;
  }
}

function hexFromBase36(text: string): string | null {
  if (!BASE36.test(text)) return null;
  let value = 0n;
  for (const digit of text) value = value * 36n + BigInt(DIGITS.indexOf(digit));
  return value < LIMIT ? value.toString(16).padStart(64, '0') : null;
}
