// What an agent's grant lets through, and how often (spec/agent-grants.md section 2). Binds keys without a human role
// that hold a grant, however old: a revoked agent hears that it is revoked, also on an open relay.

import { isGrantRequest } from '../../protocol/grant-request.ts';
import {
  grantStateRefusal,
  outsideKindRefusal,
  rateRefusal,
  scopeRefusal,
} from '../../protocol/grant-scope.ts';
import type { Rule } from '../rule.ts';

export const grantScope: Rule = ({ event }, { store, roles, rates, now }) => {
  if (!roles.isBound(event.pubkey)) return null;
  const grant = store.grants.get(event.pubkey);
  if (grant === null) return null;
  const state = grantStateRefusal(store.grants.state(grant));
  if (state !== null) return state;
  const outside = isGrantRequest(event) ? outsideKindRefusal : scopeRefusal;
  const refusal = outside(grant.scope, event, now());
  if (refusal !== null) return refusal;
  return rates.take(event.pubkey, grant.scope.rate) ? null : rateRefusal(grant.scope.rate);
};
