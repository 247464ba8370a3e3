// A members-only inbox relay that takes gift wraps from anyone keeps those for its own people (NIP-59).

import { KIND } from '../../protocol/kinds.ts';
import { tagValues } from '../../protocol/tags.ts';
import type { Rule } from '../rule.ts';

export const giftWrapLocality: Rule = ({ event }, { policy, roles }) => {
  const { reads, openKinds } = policy();
  if (event.kind !== KIND.giftWrap || reads !== 'members' || !openKinds.includes(KIND.giftWrap)) return null;
  return tagValues(event, 'p').some(key => roles.isMember(key))
    ? null
    : 'blocked: gift wrap recipient is not local';
};
