// The NIP-98 proof a client sends with an HTTP request.

import { hash, randomBytes } from 'node:crypto';
import { KIND } from '../protocol/kinds.ts';
import type { Signer } from './signer.ts';

/**
 * Value of the `Authorization` header for one request. `url` is the full request URL. The random nonce keeps two equal
 * requests in one second apart (spec/decisions.md 18); `payload` is added for a body that is not empty.
 */
export function nip98Header(signer: Signer, url: string, method: string, body?: Uint8Array | string): string {
  const tags = [
    ['u', url],
    ['method', method.toUpperCase()],
    ['nonce', randomBytes(12).toString('hex')],
  ];
  if (body !== undefined && body.length > 0) tags.push(['payload', hash('sha256', body, 'hex')]);
  const created_at = Math.floor(Date.now() / 1000);
  const proof = signer.sign({ kind: KIND.httpAuth, created_at, tags, content: '' });
  return `Nostr ${Buffer.from(JSON.stringify(proof)).toString('base64')}`;
}
