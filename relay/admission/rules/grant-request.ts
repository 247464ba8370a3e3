// Requests for more access (kind 1111, spec/agent-grants.md section 4): from the agent of an active grant, about that
// grant, to its operator, and asking for something that would change it.

import { isGrantRequest, parseGrantRequest, replaceGrant } from '../../protocol/grant-request.ts';
import type { Rule } from '../rule.ts';

export const grantRequest: Rule = ({ event }, { store, roles, now }) => {
  if (!isGrantRequest(event)) return null;
  if (roles.roleOf(event.pubkey) !== 'agent')
    return 'restricted: only an agent can ask for a change of its grant';
  const request = parseGrantRequest(event);
  if (!request.ok) return request.refusal;
  const grant = store.grants.get(event.pubkey);
  const base = grant === null ? null : store.events.get(grant.event_id);
  if (grant === null || base === null || request.value.base !== grant.event_id) {
    return 'conflict: the request does not name the current grant';
  }
  if (request.value.operator !== grant.owner) {
    return 'invalid: grant request must name the operator of the grant';
  }
  if (!roles.isOperator(grant.owner)) {
    return 'restricted: the operator of the grant may not grant agents any more';
  }
  const replacement = replaceGrant(request.value, base, now());
  return replacement.ok ? null : replacement.refusal;
};
