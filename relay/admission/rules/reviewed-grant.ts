// A grant that answers a request for more access (spec/agent-grants.md section 4) is exactly what was asked and
// reviewed, and nothing has changed since. Checked in the transaction that applies it.

import type { NostrEvent } from '../../protocol/event.ts';
import {
  grantProvenance,
  isGrantRequest,
  isReviewedGrant,
  parseGrantRequest,
  replaceGrant,
} from '../../protocol/grant-request.ts';
import { KIND } from '../../protocol/kinds.ts';
import { expirationOf, tagValue } from '../../protocol/tags.ts';
import type { Desk, Rule } from '../rule.ts';

export const reviewedGrant: Rule = ({ event }, desk) => {
  const named = event.kind === KIND.agentGrant ? grantProvenance(event) : null;
  if (named === null) return null;
  const request = desk.store.events.get(named.request);
  if (request === null || !isGrantRequest(request)) return 'conflict: the grant request is not held here';
  const expires = expirationOf(request);
  if (expires !== undefined && expires <= desk.now()) return 'conflict: the grant request has expired';
  const grant = desk.store.grants.get(request.pubkey);
  const base = desk.store.events.get(named.base);
  if (grant === null || base === null || grant.event_id !== named.base) {
    return 'conflict: the grant has changed since the request was made';
  }
  if (desk.store.grants.state(grant) !== 'active') return 'conflict: the grant is not active';
  if (event.pubkey !== grant.owner)
    return 'restricted: only the operator of the grant can answer the request';
  if (isDenied(request, grant.owner, desk)) return 'conflict: the grant request was denied';
  const parsed = parseGrantRequest(request);
  if (!parsed.ok) return parsed.refusal;
  if (parsed.value.base !== named.base || tagValue(event, 'd') !== request.pubkey) {
    return 'invalid: the grant does not belong to the request it names';
  }
  const reviewed = replaceGrant(parsed.value, base, desk.now());
  if (!reviewed.ok) return reviewed.refusal;
  return isReviewedGrant(event, reviewed.value.unsigned, base)
    ? null
    : 'invalid: the grant differs from the reviewed replacement';
};

function isDenied(request: NostrEvent, operator: string, { store }: Desk): boolean {
  const reactions = store.events.scan({ kinds: [KIND.reaction], authors: [operator], '#e': [request.id] });
  for (const reaction of reactions) if (reaction.content.trim() === '-') return true;
  return false;
}
