// NIP-98 at the door (spec/http-surface.md section 2): a proof must fit its request, be signed by its author, and be
// used once. What makes it fit is in protocol/http-auth.ts.

import type { IncomingMessage } from 'node:http';
import { receivedEvent } from '../client/received-event.ts';
import type { Refusal, RelayContext } from '../context.ts';
import { decodeProof, PROOF_REPLAYED, PROOF_WINDOW, proofRefusal } from '../protocol/http-auth.ts';
import { bodyHash } from './body.ts';

/** Proofs remembered at once; more than this within the window can only be an attack. */
const MAX_REMEMBERED = 100_000;

export class Proofs {
  /** Id of a used proof and the second from which it is too old to be tried again; oldest use first. */
  readonly #used = new Map<string, number>();
  readonly #context: RelayContext;

  constructor(context: RelayContext) {
    this.#context = context;
  }

  /** The key that signed the request, or `auth-required:` with the reason. The proof is used up. */
  keyOf(incoming: IncomingMessage, body: Buffer): { key: string } | { refusal: Refusal } {
    const decoded = decodeProof(incoming.headers.authorization);
    if ('refusal' in decoded) return decoded;
    const event = receivedEvent(decoded.event);
    if (event === null) return { refusal: 'auth-required: token id or signature is not its own' };
    const now = this.#context.now();
    const request = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      isOurUrl: this.#context.urls.isOurUrl,
      bodyHash: bodyHash(body),
    };
    const refusal = proofRefusal(event, request, now) ?? this.#use(event.id, event.created_at, now);
    return refusal === null ? { key: event.pubkey } : { refusal };
  }

  #use(id: string, createdAt: number, now: number): Refusal | null {
    if (this.#used.has(id)) return PROOF_REPLAYED;
    if (this.#used.size >= MAX_REMEMBERED) this.#forget(now);
    if (this.#used.size >= MAX_REMEMBERED) return 'rate-limited: too many signed requests';
    this.#used.set(id, createdAt + PROOF_WINDOW + 1);
    if (this.#used.size % 64 === 0) this.#forget(now);
    return null;
  }

  #forget(now: number): void {
    for (const [id, until] of this.#used) if (until < now) this.#used.delete(id);
  }
}
