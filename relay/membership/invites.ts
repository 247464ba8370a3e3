// Invite codes: who may make one, and what a code is worth (spec/management.md section 4). Codes of errors are bare
// words, as clients of the endpoint know them.

import { hash, randomBytes } from 'node:crypto';
import type { InviteRecord, Refusal } from '../context.ts';
import { grantStateRefusal } from '../protocol/grant-scope.ts';
import type { MembershipDesk } from './standing.ts';

const DEFAULT_TTL = 259_200;
const SHORTEST_TTL = 60;
const LONGEST_TTL = 2_592_000;
const NOTE_CHARACTERS = 200;
/** Invitations followed back to one who needs none. */
const LONGEST_CHAIN = 10_000;

export type InviteTerms = {
  code?: string | undefined;
  /** Seconds; cut to what is allowed. */
  ttl?: number | undefined;
  /** 0 is unlimited. */
  maxUses?: number | undefined;
  note?: string | undefined;
};

/** Why that key may not make an invite now, or null. */
export function inviteRefusal(desk: MembershipDesk, key: string): Refusal | null {
  const { roles, policy } = desk;
  if (roles.isOperator(key)) return null;
  if (roles.roleOf(key) !== 'member') return 'restricted: only members of this relay create invites';
  const { depth, quota } = policy().memberInvites;
  if (depth === 0 || quota === 0) return 'restricted: only the owner and moderators create invites';
  if (distance(desk, key) > depth) return 'restricted: invites do not reach this far';
  const held = desk.store.invites.listOf(key).filter(invite => isLive(invite, desk.now())).length;
  return held >= quota ? `restricted: you already hold ${held} live invites` : null;
}

/** How many invitations lie between the key and the owner or a moderator; 1 when one of them let it in. */
function distance({ store, roles }: MembershipDesk, key: string): number {
  let steps = 1;
  let inviter = store.members.get(key)?.invited_by ?? '';
  while (steps < LONGEST_CHAIN && !roles.isOperator(inviter)) {
    const above = store.members.get(inviter);
    if (above === null) return steps;
    inviter = above.invited_by;
    steps += 1;
  }
  return steps;
}

export function isLive(invite: InviteRecord, now: number): boolean {
  return !invite.revoked && invite.expires_at > now && !isUsedUp(invite);
}

function isUsedUp({ max_uses, uses }: InviteRecord): boolean {
  return max_uses !== 0 && uses >= max_uses;
}

/** Makes an invite with its audit row. Call inside a transaction, after inviteRefusal. */
export function createInvite(desk: MembershipDesk, creator: string, terms: InviteTerms): InviteRecord {
  const { store, now } = desk;
  const ttl = Math.min(LONGEST_TTL, Math.max(SHORTEST_TTL, terms.ttl ?? DEFAULT_TTL));
  const invite: InviteRecord = {
    code: terms.code ?? randomBytes(16).toString('hex'),
    created_by: creator,
    created_at: now(),
    expires_at: now() + ttl,
    max_uses: terms.maxUses ?? 0,
    uses: 0,
    revoked: false,
    note: [...(terms.note ?? '')].slice(0, NOTE_CHARACTERS).join(''),
  };
  store.invites.add(invite);
  store.audit.add({ actor: creator, action: 'createinvite', target: invite.code });
  return invite;
}

/** Why the code does not let that key in, or null. A key that is a member already is the caller's to look at. */
export function claimRefusal(
  desk: MembershipDesk,
  key: string,
  { code, terms }: { code: string; terms: string | undefined },
): Refusal | null {
  const { store, roles, now } = desk;
  if (store.members.isBanned(key)) return 'blocked: this key is banned';
  const grant = store.grants.get(key);
  // An agent whose grant has ended comes back by a new grant or by the hand of an operator, not by a code.
  if (grant !== null)
    return grantStateRefusal(store.grants.state(grant)) ?? 'restricted: this key is an agent';
  const invite = store.invites.get(code);
  if (invite === null) return 'invite_invalid';
  if (invite.revoked || roles.roleOf(invite.created_by) === '') return 'invite_revoked';
  if (invite.expires_at <= now()) return 'invite_expired';
  if (isUsedUp(invite)) return 'invite_exhausted';
  return termsRefusal(desk, terms);
}

/** `terms` is the SHA-256 in hex of the terms the person saw. */
export function termsRefusal({ policy }: MembershipDesk, terms: string | undefined): Refusal | null {
  const { joinTerms } = policy();
  return joinTerms === '' || terms === hash('sha256', joinTerms, 'hex') ? null : 'terms_mismatch';
}

/** Uses the code up by one and takes the key in, with the audit row. Call inside a transaction, after claimRefusal. */
export function claim(desk: MembershipDesk, key: string, code: string): void {
  const { store } = desk;
  const invite = store.invites.get(code);
  store.invites.use(code);
  store.audit.add({ actor: key, action: 'claiminvite', target: code });
  takeIn(desk, key, { via: `invite ${code}`, invited_by: invite?.created_by ?? '' });
}

/** Makes the key a member; what it asked for before is settled by that. */
export function takeIn(
  { store, now, accessChanged }: MembershipDesk,
  key: string,
  source: { via: string; invited_by: string },
): void {
  store.members.put({ pubkey: key, role: 'member', name: '', note: '', ...source, created_at: now() });
  if (store.joinRequests.get(key)?.status === 'pending') store.joinRequests.remove(key);
  accessChanged({ keys: [key], reason: 'membership changed' });
}
