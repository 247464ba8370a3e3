// J, K and Shift+N on the approvals pages. They only move, so they work wherever nothing is being typed; the keys
// that answer belong to the card with the focus (approval-card.tsx).

import { useEffect, useRef } from 'react';
import { isTyping } from './approval-card.tsx';

export type Move = 1 | -1 | 'newest';

const MOVES: Readonly<Record<string, Move>> = { j: 1, k: -1, 'shift+n': 'newest' };

/** Calls the newest handler with where to go. */
export function useMoveKeys(handler: (move: Move) => void): void {
  const newest = useRef(handler);
  useEffect(() => {
    newest.current = handler;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // A dialog above the page has the keys to itself.
      if (isTyping(event.target) || document.querySelector('[role="dialog"]') !== null) return;
      const move = MOVES[`${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`];
      if (move === undefined) return;
      event.preventDefault();
      newest.current(move);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
