// An event belongs to one room (NIP-29). A second `h` would put it into another room's queries, past that room's rules.

import { KIND } from '../../protocol/kinds.ts';
import { tagsNamed } from '../../protocol/tags.ts';
import type { Rule } from '../rule.ts';

export const oneRoom: Rule = ({ event }) => {
  if (event.kind === KIND.marmotMessage) return null;
  const rooms = tagsNamed(event, 'h');
  if (rooms.length === 0) return null;
  const [first] = rooms;
  if (rooms.some(tag => (tag[1] ?? '') === '')) return 'invalid: an h tag must name a room';
  return rooms.every(tag => tag[1] === first?.[1]) ? null : 'invalid: an event belongs to one room';
};
