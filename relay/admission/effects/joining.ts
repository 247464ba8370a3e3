// What the events of coming and leaving change (spec/membership-and-rooms.md section 2). Where an event names a room,
// the effect of the room takes over.

import { claim, takeIn } from '../../membership/invites.ts';
import { ask } from '../../membership/join-requests.ts';
import { isRelayLevel, relayAssignments } from '../../membership/relay-level.ts';
import { removeMember, setMember } from '../../membership/standing.ts';
import { KIND } from '../../protocol/kinds.ts';
import { tagValue, tagValues } from '../../protocol/tags.ts';
import type { Desk, Effect } from '../rule.ts';
import { joinRoom, leaveRoom, putUser, removeUser } from './rooms.ts';

const WELCOME = 'info: welcome';
const REVOKED = 'info: access revoked';
const ALREADY = 'duplicate: already a member';

export const joinClaim: Effect = {
  nothingToDo: ({ event }, { roles }) => (roles.isMember(event.pubkey) ? ALREADY : null),
  apply({ event }, desk) {
    const code = tagValue(event, 'claim');
    if (code !== undefined && code !== '') {
      claim(desk, event.pubkey, code);
      return WELCOME;
    }
    ask(desk, event.pubkey, event.content);
    return 'info: access request received, the owner or a moderator will answer it';
  },
};

export const leaveRelay: Effect = {
  nothingToDo: ({ event }, { roles }) => (roles.isMember(event.pubkey) ? null : 'duplicate: not a member'),
  apply({ event }, desk) {
    leave(event.pubkey, desk);
    return REVOKED;
  },
};

export const join: Effect = relayOr(joinRoom, {
  nothingToDo: ({ event }, { roles }) => (roles.isMember(event.pubkey) ? ALREADY : null),
  apply({ event }, desk) {
    const code = tagValue(event, 'code');
    if (code !== undefined && code !== '') claim(desk, event.pubkey, code);
    else {
      takeIn(desk, event.pubkey, { via: 'join', invited_by: '' });
      desk.store.audit.add({ actor: event.pubkey, action: 'join', target: event.pubkey });
    }
    return WELCOME;
  },
});

export const leaveEither: Effect = relayOr(leaveRoom, {
  apply({ event }, desk) {
    leave(event.pubkey, desk);
    return REVOKED;
  },
});

export const put: Effect = relayOr(putUser, {
  apply({ event }, desk) {
    for (const { pubkey, role } of relayAssignments(event)) {
      if (role !== 'owner') setMember(desk, { actor: event.pubkey, via: 'put-user' }, pubkey, { role });
    }
    return undefined;
  },
});

export const remove: Effect = relayOr(removeUser, {
  nothingToDo: ({ event }, { store }) =>
    tagValues(event, 'p').some(key => store.members.get(key) !== null) ? null : 'duplicate: not a member',
  apply({ event }, desk) {
    for (const key of new Set(tagValues(event, 'p'))) {
      if (desk.store.members.get(key) !== null) removeMember(desk, event.pubkey, key);
    }
    return undefined;
  },
});

function leave(pubkey: string, { store, accessChanged }: Desk): void {
  store.members.remove(pubkey);
  store.audit.add({ actor: pubkey, action: 'leave', target: pubkey });
  accessChanged({ keys: [pubkey], reason: 'membership changed' });
}

/** The effect on the relay for an event that names no room or the main one, else that on the room. */
function relayOr(room: Effect, relay: Effect): Effect {
  return {
    nothingToDo: (candidate, desk) => choose(candidate.event, desk)?.nothingToDo?.(candidate, desk) ?? null,
    apply: (candidate, desk) => choose(candidate.event, desk)?.apply?.(candidate, desk),
  };
  function choose(event: Parameters<typeof isRelayLevel>[0], { store }: Desk): Effect {
    return isRelayLevel(event, store.rooms) ? relay : room;
  }
}

export const JOINING: Readonly<Record<number, Effect>> = {
  [KIND.joinClaim]: joinClaim,
  [KIND.leaveRelay]: leaveRelay,
  [KIND.joinRequest]: join,
  [KIND.leaveRequest]: leaveEither,
  [KIND.putUser]: put,
  [KIND.removeUser]: remove,
};
