// Grants (kind 30392): well formed, and signed by one who may give them (spec/agent-grants.md section 1).

import { parseGrant } from '../../protocol/grant.ts';
import { KIND } from '../../protocol/kinds.ts';
import type { Rule } from '../rule.ts';

export const grantAuthority: Rule = ({ event }, desk) => {
  if (event.kind !== KIND.agentGrant) return null;
  if (!desk.roles.isOperator(event.pubkey)) {
    return 'restricted: only the owner or a moderator can grant an agent';
  }
  const grant = parseGrant(event, desk.now());
  return grant.ok ? null : grant.refusal;
};
