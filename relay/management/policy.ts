// Policy and audit (spec/management.md sections 6 and 7), and the names and texts NIP-86 lets an operator change.

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import { type Answer, answer, type Caller, type MethodTable, method, refuse } from './method.ts';

const AUDIT_ROWS = 100;
const noParams = z.array(z.unknown());
const patchParams = z.tuple([z.record(z.string(), z.unknown(), { error: 'policy patch must be an object' })]);
const textParams = z.tuple([z.string({ error: 'must be a text' })]).rest(z.unknown());

export const policyMethods: MethodTable = {
  getpolicy: method('operators', noParams, context => answer(context.policy())),
  setpolicy: method('operators', patchParams.rest(z.unknown()), (context, caller, [patch]) => {
    if (caller.role !== 'owner') return refuse('restricted: only the owner sets policy');
    return change(context, caller, { action: 'setpolicy', patch, result: policy => policy });
  }),
  changerelayname: method('owner', textParams, (context, caller, [name]) =>
    change(context, caller, { action: 'changerelayname', patch: { name }, result: () => true }),
  ),
  changerelaydescription: method('owner', textParams, (context, caller, [description]) =>
    change(context, caller, { action: 'changerelaydescription', patch: { description }, result: () => true }),
  ),
  changerelayicon: method('owner', textParams, (context, caller, [icon]) =>
    change(context, caller, { action: 'changerelayicon', patch: { icon }, result: () => true }),
  ),
  listaudit: method('operators', noParams, context => answer(context.store.audit.list(AUDIT_ROWS))),
  stats: method('operators', noParams, context => answer(stats(context))),
  storagestats: method('operators', noParams, context => answer(stats(context))),
};

/** What is stored, who is here and who is connected. */
function stats(context: RelayContext) {
  const { events, members, rooms, grants } = context.store;
  return {
    ...events.stats(),
    members: members.list().length,
    rooms: rooms.list().length,
    agents: grants.list().filter(grant => grants.state(grant) === 'active').length,
    ...context.live.size(),
  };
}

type Change = {
  action: string;
  patch: Record<string, unknown>;
  result: (policy: ReturnType<RelayContext['policy']>) => unknown;
};

/** Stores a patch with its audit row, which names the fields and never their values. */
function change(context: RelayContext, caller: Caller, { action, patch, result }: Change): Answer {
  const before = context.policy();
  return context.transact(() => {
    const merged = context.setPolicy(patch);
    if ('refusal' in merged) return refuse(merged.refusal);
    const detail = Object.keys(patch).join(', ').slice(0, 500);
    context.store.audit.add({ actor: caller.pubkey, action, detail });
    // Who may read has changed: whoever listens now has to ask again.
    if (merged.policy.reads !== before.reads) context.accessChanged({ reason: 'access policy changed' });
    return answer(result(merged.policy));
  });
}
