// The time of day for everything on screen that shows how long ago: one timer for all, none while hidden.

import { useSyncExternalStore } from 'react';

type Clock = { subscribe(listener: () => void): () => void; read(): number };

function makeClock(step: number): Clock {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;

  const tick = () => {
    now = Date.now();
    for (const listener of listeners) listener();
  };
  const adjust = () => {
    const wanted = listeners.size > 0 && document.visibilityState === 'visible';
    if (wanted && timer === undefined) {
      timer = setInterval(tick, step);
      if (Date.now() - now >= step) tick();
    }
    if (!wanted && timer !== undefined) {
      clearInterval(timer);
      timer = undefined;
    }
  };
  document.addEventListener('visibilitychange', adjust);

  return {
    subscribe(listener) {
      if (listeners.size === 0) now = Date.now();
      listeners.add(listener);
      adjust();
      return () => {
        listeners.delete(listener);
        adjust();
      };
    },
    read: () => now,
  };
}

// A second only where something is in progress; ages get by with far less.
const slow = makeClock(20_000);
const fast = makeClock(1000);

/** Milliseconds now, told anew every 20 s, or every second while something is in progress. */
export function useNow(pace: 'slow' | 'fast' = 'slow'): number {
  const clock = pace === 'fast' ? fast : slow;
  return useSyncExternalStore(clock.subscribe, clock.read);
}
