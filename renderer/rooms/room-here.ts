// What the parts of an open room share: which room, who one is in it, what is being edited, where events go.

import { createContext, useContext } from 'react';
import type { RoomMember } from '../../main/contract/rooms.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';

export type RoomHere = {
  room: string;
  me: string;
  /** True for owners and admins of the room. */
  admin: boolean;
  members: readonly RoomMember[];
  /** Id of the message being edited. */
  editing: string | undefined;
  onEdit(event: string | undefined): void;
  /** Opens the thread of a root beside the conversation. */
  onThread(root: string): void;
  /** Takes in an event that was just stored, without waiting for it to be pushed. */
  take(event: NostrEvent): void;
};

export const RoomHereContext = createContext<RoomHere | undefined>(undefined);

export function useRoomHere(): RoomHere {
  const here = useContext(RoomHereContext);
  if (!here) throw new Error('a part of a room was drawn outside of one');
  return here;
}
