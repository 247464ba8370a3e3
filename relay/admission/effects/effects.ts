// Which kinds change more than the list of events, and what.

import { KIND } from '../../protocol/kinds.ts';
import type { Effect } from '../rule.ts';
import { deletion } from './deletion.ts';
import { grant } from './grant.ts';
import { JOINING } from './joining.ts';
import { report } from './report.ts';
import { createRoom, deleteEvents, deleteRoom, editRoom } from './rooms.ts';
import { vanish } from './vanish.ts';

export const EFFECTS: Readonly<Record<number, Effect>> = {
  [KIND.deletion]: deletion,
  [KIND.agentGrant]: grant,
  [KIND.vanish]: vanish,
  [KIND.report]: report,
  [KIND.createRoom]: createRoom,
  [KIND.editMetadata]: editRoom,
  [KIND.deleteEvent]: deleteEvents,
  [KIND.deleteRoom]: deleteRoom,
  ...JOINING,
};
