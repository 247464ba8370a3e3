// Members (spec/management.md section 4): listing, adding, naming and removing, with the roles each may give.

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import {
  removeMember as dismissMember,
  setMember as putMember,
  setRefusal,
  standingRefusal,
} from '../membership/standing.ts';
import { type Answer, answer, type Caller, type MethodTable, method, refuse } from './method.ts';

const noParams = z.array(z.unknown());
const pubkey = z.string({ error: 'bad pubkey' });
const patch = z.object({
  name: z
    .string()
    .regex(/^([a-z0-9][a-z0-9_-]{0,31})?$/, 'name must be 1 to 32 of a-z, 0-9, _ and -')
    .optional(),
  note: z.string().max(500).optional(),
  role: z.enum(['member', 'moderator'], { error: 'role must be member or moderator' }).optional(),
});
type Patch = z.infer<typeof patch>;
const setParams = z.tuple([pubkey, z.union([z.string().max(500), patch]).optional()]).rest(z.unknown());
const keyParams = z.tuple([pubkey]).rest(z.unknown());

export const memberMethods: MethodTable = {
  listmembers: method('operators', noParams, listMembers),
  listpeople: method('operators', noParams, listMembers),
  listallowedpubkeys: method('operators', noParams, context =>
    answer(context.store.members.list().map(member => ({ pubkey: member.pubkey, reason: member.note }))),
  ),
  setmember: method('operators', setParams, (context, caller, [key, change]) =>
    setMember(context, caller, key, asPatch(change)),
  ),
  // In the NIP the second parameter is a reason and the answer is `true`.
  allowpubkey: method('operators', setParams, (context, caller, [key, change]) => {
    const done = setMember(context, caller, key, asPatch(change));
    return 'refusal' in done || typeof change === 'object' ? done : answer(true);
  }),
  removemember: method('operators', keyParams, (context, caller, [key]) =>
    removeMember(context, caller, key),
  ),
  unrulepubkey: method('operators', keyParams, (context, caller, [key]) =>
    removeMember(context, caller, key),
  ),
  unallowpubkey: method('operators', keyParams, (context, caller, [key]) => {
    const done = removeMember(context, caller, key);
    return 'refusal' in done ? done : answer(true);
  }),
  removesubtree: method('operators', keyParams, (context, caller, [key]) =>
    removeSubtree(context, caller, key),
  ),
};

function listMembers(context: RelayContext): Answer {
  const members = context.store.members.list().map(member => ({ ...member, keep_days: 0 }));
  return answer({ self: context.policy().owner, members });
}

function asPatch(change: string | Patch | undefined): Patch {
  return typeof change === 'string' ? { note: change } : (change ?? {});
}

function setMember(context: RelayContext, caller: Caller, key: string, change: Patch): Answer {
  const refusal = setRefusal(context, caller.pubkey, key, change);
  if (refusal !== null) return refuse(refusal);
  const source = { actor: caller.pubkey, via: 'management' };
  const { role } = context.transact(() => putMember(context, source, key, change));
  return answer({ pubkey: key, role });
}

function removeMember(context: RelayContext, caller: Caller, key: string): Answer {
  const refusal = standingRefusal(context, caller.pubkey, key, 'removed');
  if (refusal !== null) return refuse(refusal);
  if (context.store.members.get(key) === null) return refuse('not found: member');
  context.transact(() => dismissMember(context, caller.pubkey, key));
  return answer({ removed: key });
}

/** The member and everyone it brought in, and everyone those brought in; moderators among them stay for a moderator. */
function removeSubtree(context: RelayContext, caller: Caller, key: string): Answer {
  const refusal = standingRefusal(context, caller.pubkey, key, 'removed');
  if (refusal !== null) return refuse(refusal);
  if (context.store.members.get(key) === null) return refuse('not found: member');
  const tree = [...subtree(context, key)].filter(
    member => standingRefusal(context, caller.pubkey, member, 'removed') === null,
  );
  context.transact(() => {
    for (const member of tree) context.store.members.remove(member);
    const detail = String(tree.length);
    context.store.audit.add({ actor: caller.pubkey, action: 'removesubtree', target: key, detail });
    context.accessChanged({ keys: tree, reason: 'membership changed' });
  });
  return answer({ removed: tree.length });
}

function subtree(context: RelayContext, root: string): Set<string> {
  const found = new Set([root]);
  // A set is walked in the order of insertion, those added meanwhile included; a ring of invitations ends.
  for (const key of found) {
    for (const member of context.store.members.list())
      if (member.invited_by === key) found.add(member.pubkey);
  }
  return found;
}
