// When an event says it was made and when it ends (NIP-40, spec/http-surface.md section 13).

import { KIND } from '../../protocol/kinds.ts';
import { expirationOf } from '../../protocol/tags.ts';
import type { Rule } from '../rule.ts';

export const notFromTheFuture: Rule = ({ event }, desk) => {
  const { maxFuture } = desk.policy();
  return event.created_at > desk.now() + maxFuture
    ? `invalid: creation date too far off, at most ${maxFuture} seconds ahead`
    : null;
};

/** A grant that has already ended is how a grant is taken back: it has its own rule. */
export const notExpired: Rule = ({ event }, desk) => {
  const expires = expirationOf(event);
  if (expires === undefined) return null;
  if (Number.isNaN(expires)) return 'invalid: expiration must be a Unix time in seconds';
  return expires <= desk.now() && event.kind !== KIND.agentGrant
    ? 'invalid: event has already expired'
    : null;
};
