// Coming to the relay and leaving it (NIP-43 kinds 28934 and 28936, NIP-29 events that name no room or the main one;
// spec/membership-and-rooms.md section 2).

import type { Refusal } from '../../context.ts';
import { claimRefusal, termsRefusal } from '../../membership/invites.ts';
import { requestRefusal } from '../../membership/join-requests.ts';
import { isRelayLevel, relayAssignments } from '../../membership/relay-level.ts';
import { setRefusal, standingRefusal } from '../../membership/standing.ts';
import type { NostrEvent } from '../../protocol/event.ts';
import { KIND } from '../../protocol/kinds.ts';
import { tagsNamed, tagValue, tagValues } from '../../protocol/tags.ts';
import type { Desk, Rule } from '../rule.ts';

/** Seconds a request to come or to leave may lie before or after now: it is meant for now, and never stored. */
const WINDOW = 300;

/** The form of the NIP-43 requests; needs no transaction. */
export const joinShape: Rule = ({ event, origin }, { now }) => {
  if (event.kind !== KIND.joinClaim && event.kind !== KIND.leaveRelay) return null;
  if (origin.via === 'import') return `blocked: kind ${event.kind} is only taken from its author`;
  if (Math.abs(event.created_at - now()) > WINDOW) {
    return 'invalid: NIP-43 request is outside the allowed time window';
  }
  if (event.kind === KIND.joinClaim) return null;
  const marks = tagsNamed(event, '-');
  return marks.length === 1 && marks[0]?.length === 1 ? null : 'invalid: leave needs one protected tag';
};

type Check = (event: NostrEvent, desk: Desk) => Refusal | null;

const RELAY_LEVEL: Record<number, Check> = {
  [KIND.joinRequest]: mayJoin,
  [KIND.leaveRequest]: mayLeave,
  [KIND.putUser]: mayPut,
  [KIND.removeUser]: mayRemove,
};

export const joining: Rule = ({ event, origin }, desk) => {
  if (event.kind === KIND.joinClaim) return mayClaim(event, desk);
  if (event.kind === KIND.leaveRelay) return isOwner(event, desk) ? OWNER_STAYS : null;
  const check = RELAY_LEVEL[event.kind];
  if (check === undefined || !isRelayLevel(event, desk.store.rooms)) return null;
  // What changed the membership of another relay says nothing about this one.
  return origin.via === 'import'
    ? `blocked: kind ${event.kind} is only taken from its author`
    : check(event, desk);
};

const OWNER_STAYS = 'restricted: the owner cannot leave the relay';

function isOwner(event: NostrEvent, { roles }: Desk): boolean {
  return roles.roleOf(event.pubkey) === 'owner';
}

function mayClaim(event: NostrEvent, desk: Desk): Refusal | null {
  if (desk.roles.isMember(event.pubkey)) return null;
  const code = tagValue(event, 'claim');
  if (code === undefined || code === '') return requestRefusal(desk, event.pubkey);
  return claimRefusal(desk, event.pubkey, { code, terms: tagValue(event, 'terms') });
}

function mayJoin(event: NostrEvent, desk: Desk): Refusal | null {
  if (desk.roles.isMember(event.pubkey)) return null;
  const code = tagValue(event, 'code');
  const terms = tagValue(event, 'terms');
  if (code !== undefined && code !== '') return claimRefusal(desk, event.pubkey, { code, terms });
  return desk.policy().writes === 'open'
    ? termsRefusal(desk, terms)
    : 'restricted: joining this relay needs an invite claim';
}

function mayLeave(event: NostrEvent, desk: Desk): Refusal | null {
  if (!desk.roles.isMember(event.pubkey)) return 'invalid: not a member of this relay';
  return isOwner(event, desk) ? OWNER_STAYS : null;
}

function mayPut(event: NostrEvent, desk: Desk): Refusal | null {
  if (!desk.roles.isOperator(event.pubkey)) return 'restricted: only the owner and moderators add members';
  const assignments = relayAssignments(event);
  if (assignments.length === 0) return 'invalid: putting a user needs a p tag';
  for (const { pubkey, role } of assignments) {
    if (role === 'owner') return 'restricted: a relay has one owner';
    const refusal = setRefusal(desk, event.pubkey, pubkey, { role });
    if (refusal !== null) return refusal;
  }
  return null;
}

function mayRemove(event: NostrEvent, desk: Desk): Refusal | null {
  if (!desk.roles.isOperator(event.pubkey)) return 'restricted: only the owner and moderators remove members';
  const keys = tagValues(event, 'p');
  if (keys.length === 0) return 'invalid: removing a user needs a p tag';
  for (const key of keys) {
    const refusal = standingRefusal(desk, event.pubkey, key, 'removed');
    if (refusal !== null) return refusal;
  }
  return null;
}
