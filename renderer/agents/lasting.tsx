// How long something has been as it is: "for 4 min", with the exact moment on hover.

import { useNow } from '../parts/now.ts';
import { exactTime, span } from '../parts/time-words.ts';

/** `since` in milliseconds since the epoch. */
export function Lasting({ since }: { since: number }) {
  const now = useNow();
  return <span title={`since ${exactTime(since)}`}>for {span(Math.max(0, now - since))}</span>;
}
