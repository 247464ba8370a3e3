// Records that the relay alone signs (NIP-29, NIP-43): rooms, rosters, roles, member notices.

import { KIND } from '../../protocol/kinds.ts';
import { roomOf } from '../../protocol/room.ts';
import type { Rule } from '../rule.ts';

const RECORDS = new Set<number>([
  KIND.roster,
  KIND.memberAdded,
  KIND.memberRemoved,
  KIND.roleDefinition,
  KIND.inviteResponse,
]);
const NOTICES = new Set<number>([KIND.roomMemberAdded, KIND.roomMemberRemoved]);

export const relayRecords: Rule = ({ event }, desk) => {
  if (event.pubkey === desk.self) return null;
  if (NOTICES.has(event.kind) && roomOf(event) !== undefined) {
    return 'blocked: member notices are signed by the relay';
  }
  const isRoomRecord = event.kind >= KIND.roomMetadata && event.kind <= KIND.roomPins;
  return isRoomRecord || RECORDS.has(event.kind)
    ? `blocked: kind ${event.kind} is signed by the relay`
    : null;
};
