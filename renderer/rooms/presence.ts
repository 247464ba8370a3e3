// Presence (20001) and typing (20002) as they come by: never stored, so what is not said again soon is no longer true.

import { useSyncExternalStore } from 'react';
import { KIND } from '../../relay/protocol/kinds.ts';
import { onPush } from '../bridge.ts';

/** Milliseconds after which a sign of typing is no longer true. */
const TYPING_LASTS = 8000;
/** Milliseconds after which presence nobody renewed is no longer true. */
const PRESENCE_LASTS = 10 * 60_000;

type Sign = { content: string; heard: number };

const presence = new Map<string, Sign>();
const typing = new Map<string, Map<string, number>>();
const listeners = new Set<() => void>();
let typingShown = new Map<string, readonly string[]>();
const nobody: readonly string[] = [];

function tellAll(): void {
  typingShown = new Map([...typing].map(([room, who]) => [room, [...who.keys()]]));
  for (const listener of listeners) listener();
}

function takeTyping(room: string, pubkey: string, content: string): void {
  const who = typing.get(room) ?? new Map<string, number>();
  typing.set(room, who);
  if (content === 'stop') who.delete(pubkey);
  else {
    const until = Date.now() + TYPING_LASTS;
    who.set(pubkey, until);
    setTimeout(() => {
      if (who.get(pubkey) !== until) return;
      who.delete(pubkey);
      tellAll();
    }, TYPING_LASTS);
  }
  tellAll();
}

onPush('rooms.presence', ({ room, pubkey, kind, content }) => {
  if (kind === KIND.typing) takeTyping(room, pubkey, content);
  else if (kind === KIND.presence) {
    presence.set(pubkey, { content: content.slice(0, 64), heard: Date.now() });
    tellAll();
  }
});

// Whoever sends a message has stopped typing it.
onPush('rooms.event', ({ room, event }) => {
  if (typing.get(room)?.delete(event.pubkey)) tellAll();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keys that are typing in a room. */
export function useTyping(room: string): readonly string[] {
  return useSyncExternalStore(subscribe, () => typingShown.get(room) ?? nobody);
}

/** What a key last said of itself (`online`, `away`, `working`), while that can still be true. */
export function usePresence(pubkey: string): string | undefined {
  return useSyncExternalStore(subscribe, () => {
    const sign = presence.get(pubkey);
    return sign && Date.now() - sign.heard < PRESENCE_LASTS ? sign.content : undefined;
  });
}
