// Following the end of a conversation. The scroller lies bottom up (column-reverse), so its end is scroll position 0
// and what is loaded above moves nothing; this watches who is at the end and counts what came while one was not.

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Entry } from './conversation.ts';
import { missedSince, nothingSeen, seenNow } from './follow.ts';

/** Pixels from the end that still count as being there. */
const NEAR = 48;

export type End = { atEnd: boolean; missed: number; toEnd: () => void };

export function useEnd(
  scroller: RefObject<HTMLDivElement | null>,
  entries: readonly Entry[],
  me: string,
): End {
  const [atEnd, setAtEnd] = useState(true);
  const [missed, setMissed] = useState(0);
  const seen = useRef(nothingSeen);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => setAtEnd(-element.scrollTop < NEAR);
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, [scroller]);

  const toEnd = useCallback(() => scroller.current?.scrollTo({ top: 0 }), [scroller]);

  useEffect(() => {
    const last = entries.at(-1);
    // One's own message is where one wants to be, wherever one was reading.
    const mine = last?.author === me && last.at >= seen.current.at && !seen.current.ids.has(last.id);
    if (mine) toEnd();
    if (atEnd || mine) seen.current = seenNow(entries);
    setMissed(atEnd ? 0 : missedSince(entries, seen.current, me));
  }, [entries, atEnd, me, toEnd]);

  return { atEnd, missed, toEnd };
}
