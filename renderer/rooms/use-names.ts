// The list behind `@`: who fits, which one is meant, and the keys that move in it.

import { type KeyboardEvent, type RefObject, useState } from 'react';
import type { Party } from '../../main/contract/app.ts';
import { completions, mentionAt } from './mentions.ts';

/** `look` reads the caret of the field; `onKey` answers whether the key was for the list. */
export function useNames(
  parties: readonly Party[],
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
) {
  const [caret, setCaret] = useState<number>();
  const [active, setActive] = useState(0);
  const typing = caret === undefined ? undefined : mentionAt(text, caret);
  const found = typing ? completions(parties, typing.query) : [];
  const open = found.length > 0;
  const close = () => setCaret(undefined);
  const look = () => {
    const element = field.current;
    if (!element || document.activeElement !== element) return;
    if (element.selectionStart !== caret) setActive(0);
    setCaret(element.selectionStart === element.selectionEnd ? element.selectionStart : undefined);
  };
  const onKey = (event: KeyboardEvent, pick: (party: Party) => void): boolean => {
    if (!open) return false;
    const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const chosen = found[active];
    if (move !== 0) setActive((active + move + found.length) % found.length);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && chosen) pick(chosen);
    else if (event.key === 'Escape') close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { typing, found, open, active, look, close, onKey };
}
