// A reaction to a message of a members-only room belongs into that room: without its `h` everybody would read which
// message there was, and by whom (NIP-25, NIP-29).

import { KIND } from '../../protocol/kinds.ts';
import { tagValue, tagValues } from '../../protocol/tags.ts';
import type { Rule } from '../rule.ts';

export const reactionRoom: Rule = ({ event }, { store, visibility }) => {
  if (event.kind !== KIND.reaction || tagValue(event, 'h') !== undefined) return null;
  const target = store.events.get(tagValues(event, 'e').at(-1) ?? '');
  const room = target === null ? undefined : tagValue(target, 'h');
  if (target === null || room === undefined || store.rooms.get(room)?.access !== 'members') return null;
  // One who may not read the message is not told that it is there.
  if (!visibility.canRead({ keys: [event.pubkey] }, target)) return null;
  return `invalid: a reaction to a message of room ${room} needs its h tag`;
};
