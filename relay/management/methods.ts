// The one table of everything the management endpoint answers, and the gates before a method runs.

import { callbackMethods } from '../callbacks/methods.ts';
import type { Refusal, RelayContext } from '../context.ts';
import { approvalQueries } from '../queries/approvals.ts';
import { grantQueries } from '../queries/grants.ts';
import { jobQueries } from '../queries/jobs.ts';
import { profileQueries } from '../queries/profile.ts';
import { roomQueries } from '../queries/rooms.ts';
import { StoreFailure } from '../store/refusal.ts';
import { agentMethods } from './agents.ts';
import { clearingMethods } from './clearing.ts';
import { eventMethods } from './event-removal.ts';
import { inviteMethods } from './invites.ts';
import { joinRequestMethods } from './join-requests.ts';
import { memberMethods } from './members.ts';
import { type Answer, answer, type Caller, type Method, type MethodTable, refuse } from './method.ts';
import { moderationMethods } from './moderation.ts';
import { policyMethods } from './policy.ts';
import { reportMethods } from './reports.ts';

const METHODS: MethodTable = {
  supportedmethods: { who: 'anyone', run: () => answer(Object.keys(METHODS)) },
  ...agentMethods,
  ...memberMethods,
  ...inviteMethods,
  ...joinRequestMethods,
  ...moderationMethods,
  ...reportMethods,
  ...clearingMethods,
  ...eventMethods,
  ...policyMethods,
  ...callbackMethods(context => context.callbacks),
  ...grantQueries,
  ...approvalQueries,
  ...jobQueries,
  ...roomQueries,
  ...profileQueries,
};

/** True for a method that may be called without a proof. */
export function isUnsigned(name: string): boolean {
  return find(name)?.who === 'anyone';
}

/** Runs one call for that caller. Refusals are values; a method that does not exist is `unsupported:`. */
export async function callMethod(
  context: RelayContext,
  caller: Caller,
  call: { method: string; params: unknown[] },
): Promise<Answer> {
  const method = find(call.method);
  if (method === undefined) return refuse(`unsupported: unknown method ${call.method.slice(0, 64)}`);
  const refusal = gate(context, caller, call.method, method);
  if (refusal !== null) return refuse(refusal);
  try {
    return await method.run(context, caller, call.params);
  } catch (error) {
    // A full disk is not a fault of ours: the change is undone and the caller is told.
    if (error instanceof StoreFailure) return refuse(error.reason);
    throw error;
  }
}

/** Why that caller may not call that method, whatever its parameters; null when it may. */
export function methodRefusal(context: RelayContext, caller: Caller, name: string): Refusal | null {
  const method = find(name);
  return method === undefined ? `unsupported: unknown method ${name}` : gate(context, caller, name, method);
}

function find(name: string): Method | undefined {
  return Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
}

function gate(context: RelayContext, caller: Caller, name: string, method: Method): Refusal | null {
  const { who } = method;
  if (who === 'anyone') return null;
  if (who !== 'reader' && caller.pubkey === '') return 'auth-required: sign the request';
  const mayNot = `restricted: ${caller.role === '' ? 'guest' : caller.role} may not ${name}`;
  if (who === 'key') return null;
  if (who === 'owner') return caller.role === 'owner' ? null : mayNot;
  if (who === 'operators') return context.roles.isOperator(caller.pubkey) ? null : mayNot;
  const keys = caller.pubkey === '' ? [] : [caller.pubkey];
  return context.visibility.mayQuery({ keys }, []);
}
