// Saying that one is typing: at the start, again while it goes on, and once when it stops.

import { useEffect, useMemo } from 'react';
import { call } from '../bridge.ts';

const AGAIN = 5000;
const STOPS = 6000;

type TypingSign = { start(): void; stop(): void };

function makeSign(room: string): TypingSign {
  let said = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A sign that does not arrive is not worth a word to the person who types.
  const say = (state: 'start' | 'stop') =>
    void call('rooms.typing', { id: room, state }).catch(() => undefined);
  const stop = () => {
    clearTimeout(timer);
    if (said === 0) return;
    said = 0;
    say('stop');
  };
  const start = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, STOPS);
    if (Date.now() - said < AGAIN) return;
    said = Date.now();
    say('start');
  };
  return { start, stop };
}

export function useTypingSign(room: string): TypingSign {
  const sign = useMemo(() => makeSign(room), [room]);
  useEffect(() => sign.stop, [sign]);
  return sign;
}
