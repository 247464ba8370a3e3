// A moment and a length of time, as words that stay true while they are on screen.

import { useNow } from './now.ts';
import { exactTime, relativeTime, span } from './time-words.ts';

/** A moment, relative, with the exact time on hover. Give `seconds` (of an event) or `ms` (of the program). */
export function When({
  seconds,
  ms,
}: { seconds: number; ms?: undefined } | { ms: number; seconds?: undefined }) {
  const at = ms ?? (seconds ?? 0) * 1000;
  // A stored time may be a moment after the clock's last tick: that is now, not the future.
  const now = useNow();
  const shown = at > now && at - now < 60_000 ? now : at;
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} style={{ whiteSpace: 'nowrap' }}>
      {relativeTime(shown, now)}
    </time>
  );
}

/** How long something has been going on, in milliseconds since the epoch; counts by the second. */
export function Elapsed({ since, until }: { since: number; until?: number | undefined }) {
  return until === undefined ? (
    <Running since={since} />
  ) : (
    <span title={exactTime(since)}>{span(until - since)}</span>
  );
}

function Running({ since }: { since: number }) {
  const now = useNow('fast');
  return <span title={`since ${exactTime(since)}`}>{span(now - since)}</span>;
}
