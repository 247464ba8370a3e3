// Who may change whose membership (spec/membership-and-rooms.md section 1), for the management endpoint and for events
// alike, and the changes themselves. Call the changes inside a transaction.

import type { AccessChange, MemberRecord, Refusal, RelayContext, Role, Store } from '../context.ts';
import { isHex64 } from '../protocol/tags.ts';

/** What membership is decided with; the desk of admission and the context of management both have it. */
export type MembershipDesk = {
  store: Pick<Store, 'members' | 'invites' | 'joinRequests' | 'audit' | 'grants'>;
  roles: RelayContext['roles'];
  policy: RelayContext['policy'];
  now(): number;
  accessChanged(change: AccessChange): void;
};

export type MemberChange = {
  name?: string | undefined;
  note?: string | undefined;
  role?: 'member' | 'moderator' | undefined;
};

/** Who changes it and how the member comes in, as its row says. */
export type MemberSource = { actor: string; via: string };

/** Why the actor may not change that key: the owner is never a row, and only the owner touches moderators. */
export function standingRefusal(
  { roles }: MembershipDesk,
  actor: string,
  key: string,
  what: string,
): Refusal | null {
  if (!isHex64(key)) return 'invalid: bad pubkey';
  const role: Role = roles.roleOf(key);
  if (role === 'owner') return `restricted: the owner cannot be ${what}`;
  return role === 'moderator' && roles.roleOf(actor) !== 'owner'
    ? 'restricted: only the owner may change a moderator'
    : null;
}

/** The role a change comes to: one given by hand is a human one and ends what binds the key to a grant. */
export function roleAfter(
  { store }: MembershipDesk,
  key: string,
  change: MemberChange,
): 'member' | 'moderator' {
  const held = store.members.get(key);
  return change.role ?? (held === null || held.role === 'agent' ? 'member' : held.role);
}

/** Why the actor may not make that change, or null. */
export function setRefusal(
  desk: MembershipDesk,
  actor: string,
  key: string,
  change: MemberChange,
): Refusal | null {
  const refusal = standingRefusal(desk, actor, key, 'changed');
  if (refusal !== null) return refusal;
  return roleAfter(desk, key, change) === 'moderator' && desk.roles.roleOf(actor) !== 'owner'
    ? 'restricted: only the owner appoints moderators'
    : null;
}

/** Puts the member in or changes its row, with the audit row; lifts a ban. */
export function setMember(
  desk: MembershipDesk,
  { actor, via }: MemberSource,
  key: string,
  change: MemberChange,
): MemberRecord {
  const { store, now, accessChanged } = desk;
  const held = store.members.get(key);
  const member: MemberRecord = {
    pubkey: key,
    role: roleAfter(desk, key, change),
    name: change.name ?? held?.name ?? '',
    note: change.note ?? held?.note ?? '',
    invited_by: held?.invited_by ?? actor,
    via: held?.via ?? via,
    created_at: held?.created_at ?? now(),
  };
  store.members.unban(key);
  store.members.put(member);
  store.audit.add({ actor, action: 'setmember', target: key, detail: member.role });
  accessChanged({ keys: [key], reason: 'membership changed' });
  return member;
}

/** Takes the member out of the relay and of every room, with the audit row. */
export function removeMember({ store, accessChanged }: MembershipDesk, actor: string, key: string): void {
  store.members.remove(key);
  store.audit.add({ actor, action: 'removemember', target: key });
  accessChanged({ keys: [key], reason: 'membership changed' });
}
