// A request for more access as its operator reviews it: the grant before and after, and the replacement to sign
// (spec/agent-grants.md section 4).

import type { Refusal, RelayContext } from '../context.ts';
import type { EventTemplate, NostrEvent } from '../protocol/event.ts';
import type { AgentGrant } from '../protocol/grant.ts';
import { parseGrantRequest, replaceGrant } from '../protocol/grant-request.ts';
import { grantOf } from './grant-shapes.ts';

export type GrantReview = {
  request_id: string;
  base: string;
  agent: string;
  operator: string;
  before: AgentGrant;
  after: AgentGrant;
  unsigned: Omit<NostrEvent, 'id' | 'sig'> & { id: ''; sig: '' };
};

/** The review of a request, or why it can no longer be granted: `conflict:`, `restricted:` or `invalid:`. */
export function reviewGrantRequest(
  context: RelayContext,
  event: NostrEvent,
): { review: GrantReview; reviewed: EventTemplate; base: NostrEvent } | { refusal: Refusal } {
  const parsed = parseGrantRequest(event);
  if (!parsed.ok) return parsed;
  const request = parsed.value;
  const record = context.store.grants.get(request.agent);
  if (record === null || record.event_id !== request.base) {
    return { refusal: 'conflict: the grant has changed since this request' };
  }
  const state = context.store.grants.state(record);
  if (state !== 'active') return { refusal: `conflict: the grant is ${state}` };
  if (request.operator !== record.owner || !context.roles.isOperator(record.owner)) {
    return { refusal: "restricted: the grant's operator may not grant agents any more" };
  }
  const base = context.store.events.get(request.base);
  if (base === null) return { refusal: 'conflict: the grant is no longer held' };
  const replaced = replaceGrant(request, base, context.now());
  if (!replaced.ok) return replaced;
  const { unsigned, scope } = replaced.value;
  const before = grantOf(record);
  const { agent, operator } = request;
  const review: GrantReview = {
    request_id: request.id,
    base: request.base,
    agent,
    operator,
    before,
    after: { ...before, scope },
    unsigned: { id: '', pubkey: operator, ...unsigned, sig: '' },
  };
  return { review, reviewed: unsigned, base };
}
