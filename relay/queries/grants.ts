// browsegrant: what the caller may do and what is missing (seed "Diagnostics"); browseagent: one agent for its
// operators (spec/browse-queries.md sections 2 and 3).

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import { type Answer, answer, type Caller, type MethodTable, refuse } from '../management/method.ts';
import type { GrantScope } from '../protocol/grant.ts';
import { allowsKind, allowsRoom } from '../protocol/grant-scope.ts';
import { isHex64 } from '../protocol/tags.ts';
import { agentSummary } from './grant-shapes.ts';
import { first, query, readerOf, visible } from './query.ts';

const MAX_NEEDS = 256;
const RECENT_EVENTS = 10;

const tooMany = `lists more than ${MAX_NEEDS} entries`;
const room = z.string({ error: 'room must be a text' }).trim().min(1, 'room must not be empty');
const kind = z
  .number({ error: 'kind must be a number' })
  .int('kind must be an integer')
  .min(0, 'kind must be from 0 to 65535')
  .max(65_535, 'kind must be from 0 to 65535');
const grantParams = z.object({
  rooms: z.array(room).max(MAX_NEEDS, tooMany).optional(),
  kinds: z.array(kind).max(MAX_NEEDS, tooMany).optional(),
});
type Needs = z.infer<typeof grantParams>;

export const grantQueries: MethodTable = {
  browsegrant: query('signed', grantParams, browseGrant),
  browseagent: query('operators', z.object({ agent: z.string().optional() }), browseAgent),
};

function browseGrant(context: RelayContext, caller: Caller, needs: Needs): Answer {
  const record = context.store.grants.get(caller.pubkey);
  // By role, not by grant: a guest without one is bound by the lack of it.
  const enforced = caller.role === '' || caller.role === 'agent';
  const asked = needs.rooms !== undefined || needs.kinds !== undefined;
  return answer({
    member: caller.role !== '',
    role: caller.role,
    grant: record === null ? null : agentSummary(context, record),
    state: record === null ? 'none' : context.store.grants.state(record),
    enforced,
    ...(record === null ? {} : allowances(record.scope, record.expires)),
    ...(asked ? { missing: missing(needs, enforced, record?.scope) } : {}),
  });
}

function allowances(scope: GrantScope, expires: number) {
  const { kinds, rooms, repos, wiki = '', jobs = '', sites = [], rate } = scope;
  return { allows: { kinds, rooms, repos, wiki, jobs, sites }, rate, expires };
}

/** By what the grant says, whatever its state: a paused grant still covers what it covers. */
function missing(needs: Needs, enforced: boolean, scope: GrantScope | undefined) {
  const { rooms = [], kinds = [] } = needs;
  if (!enforced) return { rooms: [], kinds: [] };
  if (scope === undefined) return { rooms, kinds };
  return {
    rooms: rooms.filter(name => !allowsRoom(scope, name)),
    kinds: kinds.filter(number => !allowsKind(scope, number)),
  };
}

function browseAgent(context: RelayContext, caller: Caller, params: { agent?: string | undefined }): Answer {
  const { agent } = params;
  if (!isHex64(agent)) return refuse('invalid: agent must be a public key in hex');
  const record = context.store.grants.get(agent);
  if (record === null) return refuse('not found: no agent grant for this key');
  const recent = first(visible(context, readerOf(caller), { authors: [agent] }), RECENT_EVENTS);
  return answer({ agent: agentSummary(context, record), events: recent });
}
