// Invite codes over the management endpoint (spec/management.md section 4): made, listed, taken back, and used.

import { z } from 'zod';
import type { InviteRecord, RelayContext } from '../context.ts';
import {
  claim,
  claimRefusal,
  createInvite,
  type InviteTerms,
  inviteRefusal,
  isLive,
} from '../membership/invites.ts';
import { type Answer, answer, type Caller, type MethodTable, method, refuse } from './method.ts';

const MOST_LISTED = 200;
const noParams = z.array(z.unknown());
const seconds = z.number({ error: 'ttl must be a number of seconds' }).int().nullish();
const uses = z.number({ error: 'maxUses must be a number' }).int().min(0).max(1_000_000).nullish();
const inviteParams = z
  .tuple([seconds.optional(), uses.optional(), z.string().max(2000).nullish().optional()])
  .rest(z.unknown());
const ownCode = z.string().regex(/^[A-Za-z0-9_-]{4,64}$/, 'code must be 4 to 64 of A-Z, a-z, 0-9, _ and -');
const codeParams = z.tuple([z.string({ error: 'code must be a text' }).max(64)]).rest(z.unknown());
const claimParams = z
  .tuple([z.string({ error: 'code must be a text' }).max(64), z.string().max(64).optional()])
  .rest(z.unknown());

export const inviteMethods: MethodTable = {
  createinvite: method('key', inviteParams, (context, caller, [ttl, maxUses, note]) => {
    const terms = { ttl: ttl ?? undefined, maxUses: maxUses ?? undefined, note: note ?? undefined };
    const made = create(context, caller, terms);
    return typeof made === 'string' ? refuse(made) : answer(shown(made));
  }),
  createclaim: method('key', z.tuple([ownCode]).rest(z.unknown()), (context, caller, [code]) => {
    if (context.store.invites.get(code) !== null) return refuse('invalid: this code has been used before');
    const made = create(context, caller, { code });
    return typeof made === 'string' ? refuse(made) : answer(true);
  }),
  listinvites: method('key', noParams, (context, caller) =>
    listed(context, caller, invites => invites.map(shown)),
  ),
  listclaims: method('key', noParams, (context, caller) =>
    listed(context, caller, invites =>
      invites.filter(invite => isLive(invite, context.now())).map(({ code }) => code),
    ),
  ),
  revokeinvite: method('key', codeParams, (context, caller, [code]) => revoke(context, caller, code)),
  deleteclaim: method('key', codeParams, (context, caller, [code]) => revoke(context, caller, code)),
  claiminvite: method('key', claimParams, (context, caller, [code, terms]) =>
    use(context, caller, code, terms),
  ),
};

function create(context: RelayContext, caller: Caller, terms: InviteTerms): InviteRecord | string {
  return (
    inviteRefusal(context, caller.pubkey) ??
    context.transact(() => createInvite(context, caller.pubkey, terms))
  );
}

/** Operators see all of them, a member its own. */
function listed(context: RelayContext, caller: Caller, show: (invites: InviteRecord[]) => unknown): Answer {
  const { store, roles } = context;
  if (roles.isOperator(caller.pubkey)) return answer(show(store.invites.list(MOST_LISTED)));
  if (roles.roleOf(caller.pubkey) !== 'member')
    return refuse('restricted: only members of this relay have invites');
  return answer(show(store.invites.listOf(caller.pubkey).slice(0, MOST_LISTED)));
}

function revoke(context: RelayContext, caller: Caller, code: string): Answer {
  const { store, roles } = context;
  const role = roles.roleOf(caller.pubkey);
  if (role === '' || role === 'agent') return refuse('restricted: only members of this relay have invites');
  const invite = store.invites.get(code);
  const isOwn = invite?.created_by === caller.pubkey;
  // Whether another's code exists is nothing to tell a member.
  if (invite === null || (!isOwn && !roles.isOperator(caller.pubkey))) return answer({ revoked: false });
  const revoked = context.transact(() => {
    const done = store.invites.revoke(code);
    if (done) store.audit.add({ actor: caller.pubkey, action: 'revokeinvite', target: code });
    return done;
  });
  return answer({ revoked });
}

function use(context: RelayContext, caller: Caller, code: string, terms: string | undefined): Answer {
  const { store, roles } = context;
  if (store.ips.isBlocked(caller.ip ?? '')) return refuse('blocked: this address is blocked');
  if (roles.isMember(caller.pubkey)) return answer({ claimed: true, code });
  const refusal = claimRefusal(context, caller.pubkey, { code, terms });
  if (refusal !== null) return refuse(refusal);
  context.transact(() => claim(context, caller.pubkey, code));
  return answer({ claimed: true, code });
}

function shown({ revoked: _, ...invite }: InviteRecord): Omit<InviteRecord, 'revoked'> {
  return invite;
}
