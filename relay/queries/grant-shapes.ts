// The shapes AgentGrant and AgentSummary of spec/browse-queries.md section 1.

import type { GrantRecord, RelayContext } from '../context.ts';
import type { AgentGrant } from '../protocol/grant.ts';

export type AgentSummary = AgentGrant & { lastEvent: number };

/** The record without what only the relay needs. */
export function grantOf(grant: GrantRecord): AgentGrant {
  const { pubkey, owner, event_id, name, expires, paused, revoked, scope } = grant;
  return { pubkey, owner, event_id, name, expires, paused, revoked, scope };
}

/** The grant with the time of the agent's newest stored event, 0 without one. */
export function agentSummary(context: RelayContext, grant: GrantRecord): AgentSummary {
  let lastEvent = 0;
  for (const event of context.store.events.scan({ authors: [grant.pubkey] })) {
    lastEvent = event.created_at;
    break;
  }
  return { ...grantOf(grant), lastEvent };
}
