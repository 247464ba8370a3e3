// Kinds that say how things stand on a relay - deletions, members, rooms, grants - beside those that are read. They are
// never cleared away by age.

import { KIND } from './kinds.ts';

const STATE = new Set<number>([
  ...[KIND.deletion, KIND.vanish, KIND.memberAdded, KIND.memberRemoved],
  ...[KIND.roster, KIND.roleDefinition, KIND.agentGrant],
  ...[KIND.roomMemberAdded, KIND.roomMemberRemoved],
]);

export function isStateKind(kind: number): boolean {
  const isModeration = kind >= KIND.putUser && kind <= KIND.leaveRequest;
  const isRoomRecord = kind >= KIND.roomMetadata && kind <= 39_009;
  return STATE.has(kind) || isModeration || isRoomRecord;
}
