// Pausing and revoking agents (seed "Pause and revoke", spec/management.md section 2). Each change and its audit row
// are one transaction.

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import { agentSummary, grantOf } from '../queries/grant-shapes.ts';
import {
  type Answer,
  answer,
  type Caller,
  type MethodTable,
  method,
  pubkeyRefusal,
  refuse,
} from './method.ts';

const noParams = z.array(z.unknown());
const agentParams = z.tuple([z.string({ error: 'bad pubkey' })]).rest(z.unknown());

export const agentMethods: MethodTable = {
  listagents: method('operators', noParams, context => {
    return answer(context.store.grants.list().map(grant => agentSummary(context, grant)));
  }),
  pauseagent: method('operators', agentParams, (context, caller, [agent]) =>
    setPaused(context, caller, agent, true),
  ),
  resumeagent: method('operators', agentParams, (context, caller, [agent]) =>
    setPaused(context, caller, agent, false),
  ),
  revokeagent: method('operators', agentParams, (context, caller, [agent]) => revoke(context, caller, agent)),
  pauseallagents: method('operators', noParams, (context, caller) => setAllPaused(context, caller, true)),
  resumeallagents: method('operators', noParams, (context, caller) => setAllPaused(context, caller, false)),
};

function setPaused(context: RelayContext, caller: Caller, agent: string, paused: boolean): Answer {
  const grant = pubkeyRefusal(agent) === null ? context.store.grants.get(agent) : null;
  if (grant === null) return refuse(missingGrant(agent));
  if (grant.revoked !== 0) return refuse('invalid: the agent grant is revoked');
  context.transact(() => {
    context.store.grants.setPaused(agent, paused);
    const action = paused ? 'pauseagent' : 'resumeagent';
    context.store.audit.add({ actor: caller.pubkey, action, target: agent });
  });
  context.callbacks.review([agent]);
  return answer(currentGrant(context, agent));
}

/** Revoking twice is no error: the caller has what it wanted. */
function revoke(context: RelayContext, caller: Caller, agent: string): Answer {
  const grant = pubkeyRefusal(agent) === null ? context.store.grants.get(agent) : null;
  if (grant === null) return refuse(missingGrant(agent));
  context.transact(() => {
    context.store.grants.revoke(agent);
    const row = { actor: caller.pubkey, action: 'revokeagent', target: agent, detail: 'management' };
    context.store.audit.add(row);
  });
  return answer(currentGrant(context, agent));
}

function setAllPaused(context: RelayContext, caller: Caller, paused: boolean): Answer {
  const changed = context.transact(() => {
    const open = context.store.grants.list().filter(grant => grant.revoked === 0);
    const flipped = open.filter(grant => context.store.grants.setPaused(grant.pubkey, paused)).length;
    const action = paused ? 'pauseallagents' : 'resumeallagents';
    context.store.audit.add({ actor: caller.pubkey, action, detail: String(flipped) });
    return flipped;
  });
  context.callbacks.review();
  return answer({ changed });
}

function missingGrant(agent: string): string {
  return pubkeyRefusal(agent) ?? 'invalid: no agent grant for this pubkey';
}

function currentGrant(context: RelayContext, agent: string): unknown {
  const grant = context.store.grants.get(agent);
  return grant === null ? null : grantOf(grant);
}
