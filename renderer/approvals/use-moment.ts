// Re-renders exactly when something on screen reads differently next, instead of on a fast timer.

import { useEffect, useState } from 'react';

const LONGEST = 2 ** 31 - 1;

/** The time in milliseconds; `next` says when it matters again, or null for never. */
export function useMoment(next: (now: number) => number | null): number {
  const [now, setNow] = useState(Date.now);
  const at = next(now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a wait cut at LONGEST ends with the same `at`
  useEffect(() => {
    if (at === null) return;
    const wait = Math.min(Math.max(at - Date.now(), 1), LONGEST);
    const timer = setTimeout(() => setNow(Date.now()), wait);
    return () => clearTimeout(timer);
  }, [at, now]);
  return now;
}
