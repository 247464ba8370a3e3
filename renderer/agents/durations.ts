// Durations in words, and when they read differently next, so that a page waits for that moment only.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "under 10 s", "40 s", "4 min", "2 h 5 min", "3 days" for a length in milliseconds. */
export function lasted(length: number): string {
  if (length < 10 * SECOND) return 'under 10 s';
  if (length < MINUTE) return `${Math.floor(length / (10 * SECOND)) * 10} s`;
  if (length < HOUR) return `${Math.floor(length / MINUTE)} min`;
  if (length < DAY) {
    const minutes = Math.floor((length % HOUR) / MINUTE);
    return `${Math.floor(length / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
  }
  const days = Math.floor(length / DAY);
  return days === 1 ? '1 day' : `${days} days`;
}

/** When `lasted(now - since)` reads differently next, in milliseconds since the epoch. */
export function lastedChangesAt(since: number, now: number): number {
  const length = Math.max(0, now - since);
  const unit = length < MINUTE ? 10 * SECOND : length < DAY ? MINUTE : DAY;
  return since + (Math.floor(length / unit) + 1) * unit;
}
