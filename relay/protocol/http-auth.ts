// NIP-98 proofs (spec/http-surface.md section 2, spec/decisions.md 18): what the header holds and whether it fits the
// request. Pure; the signature and the memory of used proofs are the caller's.

import type { NostrEvent } from './event.ts';
import { KIND } from './kinds.ts';
import { tagsNamed } from './tags.ts';

/** The facts a proof must fit. `path` is path and query as they were sent. */
export type ProofRequest = {
  method: string;
  path: string;
  /** Is a URL (http, https, ws or wss) on an address of this relay? */
  isOurUrl(url: string): boolean;
  /** SHA-256 of the body in hex; null without a body. */
  bodyHash: string | null;
};

/** Seconds a proof is good before and after its `created_at`, and how long its id must be remembered. */
export const PROOF_WINDOW = 60;

/** JSON inside an `Authorization: Nostr ...` header, standard or URL base64, padded or not; or a refusal. */
export function decodeProof(header: string | undefined): { event: unknown } | { refusal: string } {
  const match = /^Nostr +([A-Za-z0-9+/_-]+)={0,2} *$/i.exec(header ?? '');
  if (match?.[1] === undefined) {
    const missing = header === undefined || header === '';
    return {
      refusal: `auth-required: ${missing ? 'missing Nostr Authorization header' : 'malformed token'}`,
    };
  }
  try {
    const binary = atob(match[1].replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, character => character.charCodeAt(0));
    return { event: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    // Bad base64, bad UTF-8 or bad JSON: one thing to the client.
    return { refusal: 'auth-required: malformed token' };
  }
}

/** Why a well-signed event is no proof for the request, or null. `now` in Unix seconds. */
export function proofRefusal(event: NostrEvent, request: ProofRequest, now: number): string | null {
  if (event.kind !== KIND.httpAuth) return `auth-required: token must be kind ${KIND.httpAuth}`;
  if (Math.abs(now - event.created_at) > PROOF_WINDOW) {
    return 'auth-required: token expired or from the future: check the clock';
  }
  const url = onlyValue(event, 'u');
  if (url === null || !isRequestUrl(url, request)) return 'auth-required: token was signed for another URL';
  if (onlyValue(event, 'method')?.toUpperCase() !== request.method.toUpperCase()) {
    return 'auth-required: token was signed for another method';
  }
  const payload = tagsNamed(event, 'payload');
  if (payload.length > 1) return 'auth-required: payload hash mismatch';
  const hash = payload[0]?.[1]?.toLowerCase();
  if (request.bodyHash === null) return null;
  if (hash === undefined) return 'auth-required: payload tag is missing for a request with a body';
  return hash === request.bodyHash ? null : 'auth-required: payload hash mismatch';
}

export const PROOF_REPLAYED =
  'auth-required: token replay detected: sign a new one, with a random nonce tag when two fall in one second';

/** Scheme and host in any case, path and query to the letter; no user, no fragment. */
function isRequestUrl(url: string, request: ProofRequest): boolean {
  const match = /^(?:https?|wss?):\/\/[^/?#@\s]+([^#\s]*)$/i.exec(url);
  if (match === null) return false;
  const rest = match[1] ?? '';
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return path === request.path && request.isOurUrl(url);
}

/** The value of a tag that may be there once; null when it is missing or repeated. */
function onlyValue(event: NostrEvent, name: string): string | null {
  const tags = tagsNamed(event, name);
  return tags.length === 1 ? (tags[0]?.[1] ?? null) : null;
}
