// Taking one event away for good: who may, and what goes with it (spec/management.md section 5).

import { z } from 'zod';
import type { Refusal, RelayContext } from '../context.ts';
import type { Filter } from '../protocol/event.ts';
import { KIND } from '../protocol/kinds.ts';
import { isHex64 } from '../protocol/tags.ts';
import { readerOf } from '../queries/query.ts';
import { type Answer, answer, type Caller, type MethodTable, method, refuse } from './method.ts';

const MOST_LISTED = 200;
const DEFAULT_LISTED = 50;
const idParams = z
  .tuple([z.string({ error: 'bad event id' }), z.string().max(500).optional()])
  .rest(z.unknown());
const limit = z.number().int().min(1).max(MOST_LISTED).default(DEFAULT_LISTED);
const limitParams = z.tuple([limit]).rest(z.unknown());
const searchParams = z
  .tuple([z.string({ error: 'query must be a text' }).min(1).max(500), limit])
  .rest(z.unknown());

export const eventMethods: MethodTable = {
  deleteevent: method('operators', idParams, (context, caller, [id, why = '']) =>
    deleteEvent(context, caller, id, why),
  ),
  listrecentevents: method('operators', z.preprocess(filledTo(1), limitParams), (context, caller, [limit]) =>
    list(context, caller, { limit }),
  ),
  searchevents: method(
    'operators',
    z.preprocess(filledTo(2), searchParams),
    (context, caller, [search, limit]) => list(context, caller, { search, limit }),
  ),
};

async function list(context: RelayContext, caller: Caller, filter: Filter): Promise<Answer> {
  const reader = readerOf(caller);
  const refusal = context.visibility.mayQuery(reader, [filter]);
  if (refusal !== null) return refuse(refusal);
  const found = await context.read(reader, [filter]);
  return 'refusal' in found ? found : answer(found.events);
}

/** Fills missing parameters up, so that a tuple sees their defaults. */
function filledTo(length: number): (params: unknown) => unknown {
  return params =>
    Array.isArray(params)
      ? [...params, ...Array(Math.max(0, length - params.length)).fill(undefined)]
      : params;
}

/** Why the caller may not take the event away: only the owner touches what the owner wrote or the relay signed. */
export function eventRefusal(context: RelayContext, caller: Caller, id: string): Refusal | null {
  if (!isHex64(id)) return 'invalid: bad event id';
  const held = context.store.events.get(id);
  if (held === null) return null;
  if (held.pubkey === context.self.pubkey) {
    return 'invalid: records of the relay follow what they tell of and are not taken away by hand';
  }
  return context.roles.roleOf(held.pubkey) === 'owner' && caller.role !== 'owner'
    ? "restricted: only the owner may take the owner's events away"
    : null;
}

/** Shuts the id out for good. Call inside a transaction. */
export function banEvent(context: RelayContext, caller: Caller, id: string, why: string): void {
  endGrantOf(context, caller, id);
  context.store.events.banId(id, why);
}

/** Deletes the event so that it stays deleted, whoever sends it again. Call inside a transaction. */
export function takeAway(context: RelayContext, caller: Caller, id: string): void {
  endGrantOf(context, caller, id);
  context.store.events.bury(id);
}

/** A grant does not outlive its event (spec/agent-grants.md section 1). */
function endGrantOf(context: RelayContext, caller: Caller, id: string): void {
  const event = context.store.events.get(id);
  if (event?.kind !== KIND.agentGrant) return;
  const grant = context.store.grants.list().find(one => one.event_id === id);
  if (grant === undefined || !context.store.grants.revoke(grant.pubkey)) return;
  const row = { actor: caller.pubkey, action: 'revokeagent', target: grant.pubkey };
  context.store.audit.add({ ...row, detail: 'deleted grant' });
}

function deleteEvent(context: RelayContext, caller: Caller, id: string, why: string): Answer {
  const refusal = eventRefusal(context, caller, id);
  if (refusal !== null) return refuse(refusal);
  const held = context.store.events.get(id);
  // What the caller may not see is not there.
  if (held === null || !context.visibility.canRead(readerOf(caller), held)) return refuse('not found: event');
  context.transact(() => {
    takeAway(context, caller, id);
    context.store.audit.add({ actor: caller.pubkey, action: 'deleteevent', target: id, detail: why });
    context.accessChanged({ reason: 'access policy changed' });
  });
  return answer({ deleted: id });
}
