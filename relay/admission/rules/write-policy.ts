// Who may write at all (policy writes, spec/membership-and-rooms.md section 5). Membership events have their own rules.

import type { NostrEvent } from '../../protocol/event.ts';
import { KIND } from '../../protocol/kinds.ts';
import { tagValues } from '../../protocol/tags.ts';
import type { Desk, Rule } from '../rule.ts';

const MEMBERSHIP = new Set<number>([KIND.joinRequest, KIND.leaveRequest, KIND.joinClaim, KIND.leaveRelay]);

export const writePolicy: Rule = ({ event, origin }, desk) => {
  const { writes, openKinds, guestReplies } = desk.policy();
  if (writes === 'open' || origin.via === 'import' || MEMBERSHIP.has(event.kind)) return null;
  const role = desk.roles.roleOf(event.pubkey);
  if (writes === 'owner') {
    return role === 'owner' || role === 'agent'
      ? null
      : 'blocked: write policy: only the owner publishes here';
  }
  if (role !== '' || openKinds.includes(event.kind)) return null;
  if (guestReplies && answersMember(event, desk)) return null;
  if (writes === 'allowlist') return 'blocked: write policy: only members publish here';
  return isFollowed(event.pubkey, desk)
    ? null
    : 'restricted: only members and the people they follow publish here';
};

function answersMember(event: NostrEvent, { store, roles }: Desk): boolean {
  if (event.kind !== KIND.note && event.kind !== KIND.comment) return false;
  const parents = [...tagValues(event, 'e'), ...tagValues(event, 'E')].slice(0, 20);
  return parents.some(id => roles.isMember(store.events.get(id)?.pubkey ?? ''));
}

function isFollowed(pubkey: string, { store, roles }: Desk): boolean {
  for (const list of store.events.scan({ kinds: [KIND.contacts], '#p': [pubkey] })) {
    if (!roles.isBound(list.pubkey)) return true;
  }
  return false;
}
