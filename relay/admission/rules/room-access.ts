// Who may write in a room (spec/membership-and-rooms.md section 3). Creating one has its own rule.

import { isMainRoom } from '../../membership/relay-level.ts';
import { KIND } from '../../protocol/kinds.ts';
import { tagValue } from '../../protocol/tags.ts';
import type { Rule } from '../rule.ts';

export const roomAccess: Rule = ({ event, origin }, { store, roles }) => {
  const room = event.kind === KIND.marmotMessage ? undefined : tagValue(event, 'h');
  if (room === undefined || event.kind === KIND.createRoom) return null;
  const record = store.rooms.get(room);
  if (record === null) return `invalid: unknown room ${room.slice(0, 64)}`;
  if (origin.via === 'import') return null;
  // Coming to the relay by its main room is judged by its own rule.
  if (isMainRoom(record) && (event.kind === KIND.joinRequest || event.kind === KIND.leaveRequest))
    return null;
  if (!roles.isMember(event.pubkey)) return 'restricted: rooms are for members of this relay';
  // Asking to come in, and leaving, are judged by their own rule.
  if (record.access === 'open' || event.kind === KIND.joinRequest || event.kind === KIND.leaveRequest)
    return null;
  return roles.roomRole(room, event.pubkey) === '' ? `restricted: not a member of room ${room}` : null;
};
