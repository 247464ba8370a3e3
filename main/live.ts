// One standing subscription for all that happens on the relay from now on, handed to features by kind. What is
// stored already each feature reads itself, after `onLive` (also after a reconnect, when something may be missed).

import type { NostrEvent } from '../relay/protocol/event.ts';
import { JOB_KINDS, KIND, MESSAGE_KINDS } from '../relay/protocol/kinds.ts';
import type { RelayLink } from './relay-link.ts';

export type Live = {
  /** Events of these kinds as they arrive, each id once. Answers the way out. */
  on(kinds: readonly number[], listener: (event: NostrEvent) => void): () => void;
  /** Called each time live delivery has begun; at once when it already has. */
  onLive(listener: () => void): () => void;
  close(): void;
};

export const ROOM_EVENT_KINDS: readonly number[] = [
  ...MESSAGE_KINDS,
  ...JOB_KINDS,
  KIND.deletion,
  KIND.deleteEvent,
  KIND.reaction,
  KIND.comment,
  KIND.edit,
];
export const ROOM_RECORD_KINDS: readonly number[] = [
  KIND.putUser,
  KIND.removeUser,
  KIND.editMetadata,
  KIND.createRoom,
  KIND.deleteRoom,
  KIND.roomMetadata,
  KIND.roomAdmins,
  KIND.roomMembers,
  KIND.roomMemberAdded,
  KIND.roomMemberRemoved,
];
const OTHERS: readonly number[] = [
  KIND.profile,
  KIND.agentGrant,
  KIND.memberAdded,
  KIND.memberRemoved,
  KIND.wikiPage,
  KIND.wikiMerge,
  KIND.presence,
  KIND.typing,
];
/** Every kind that is listened to. */
export const LIVE_KINDS: readonly number[] = [
  ...new Set([...ROOM_EVENT_KINDS, ...ROOM_RECORD_KINDS, ...OTHERS]),
];
const REMEMBERED = 4096;

/** Opens the subscription on the owner's link. */
export function openLive(link: RelayLink): Live {
  const listeners = new Set<{ kinds: ReadonlySet<number>; tell: (event: NostrEvent) => void }>();
  const liveListeners = new Set<() => void>();
  const seen = new Set<string>();
  let live = false;

  const subscription = link.subscribe('desktop', () => [{ kinds: [...LIVE_KINDS], limit: 0 }], {
    event(event) {
      if (seen.has(event.id)) return;
      seen.add(event.id);
      if (seen.size > REMEMBERED) for (const oldest of seen) if (seen.delete(oldest)) break;
      for (const { kinds, tell } of [...listeners]) if (kinds.has(event.kind)) tell(event);
    },
    live() {
      live = true;
      for (const listener of [...liveListeners]) listener();
    },
  });
  return {
    on(kinds, tell) {
      const entry = { kinds: new Set(kinds), tell };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    onLive(listener) {
      liveListeners.add(listener);
      if (live) listener();
      return () => liveListeners.delete(listener);
    },
    close: () => subscription.close(),
  };
}
