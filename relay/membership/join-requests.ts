// Asking to be let in without a code, and what the owner or a moderator says to it (spec/management.md section 4).

import type { JoinRequest, Refusal } from '../context.ts';
import { takeIn } from './invites.ts';
import type { MembershipDesk } from './standing.ts';

const REASON_CHARACTERS = 500;
/** Requests that may wait: a key costs nothing, a row does. */
const MOST_PENDING = 1000;

/** Why the key may not ask, or null. */
export function requestRefusal({ store }: MembershipDesk, key: string): Refusal | null {
  const held = store.joinRequests.get(key);
  if (held?.status === 'denied') return 'restricted: the access request was denied';
  if (held !== null) return null;
  return store.joinRequests.pending() >= MOST_PENDING
    ? 'rate-limited: too many access requests wait for an answer'
    : null;
}

/** Keeps the request, one a key; asking again replaces the reason. Call inside a transaction. */
export function ask({ store, now }: MembershipDesk, key: string, reason: string): void {
  store.joinRequests.put({
    pubkey: key,
    reason: [...reason.trim()].slice(0, REASON_CHARACTERS).join(''),
    requested_at: now(),
    status: 'pending',
    decided_by: '',
    decided_at: 0,
  });
  store.audit.add({ actor: key, action: 'requestjoin', target: key });
}

/** Takes the key in. Call inside a transaction. */
export function approve(desk: MembershipDesk, actor: string, request: JoinRequest): void {
  const { store } = desk;
  const member = store.members.get(request.pubkey);
  if (member === null) takeIn(desk, request.pubkey, { via: 'request', invited_by: actor });
  decide(desk, actor, request, 'approved');
}

/** Says no; the row stays so that asking again is seen for what it is. Call inside a transaction. */
export function deny(desk: MembershipDesk, actor: string, request: JoinRequest): void {
  decide(desk, actor, request, 'denied');
}

function decide(
  { store, now }: MembershipDesk,
  actor: string,
  request: JoinRequest,
  status: 'approved' | 'denied',
): void {
  store.joinRequests.put({ ...request, status, decided_by: actor, decided_at: now() });
  const action = status === 'approved' ? 'approvejoin' : 'denyjoin';
  store.audit.add({ actor, action, target: request.pubkey });
}
