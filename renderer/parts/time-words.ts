// Times as a person says them. Pure: the moment compared with is handed in.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const withYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const dayOnly = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });

/** "now", "4 min ago", "in 2 h", "3 Nov 14:03": both in milliseconds. */
export function relativeTime(at: number, now: number): string {
  const past = now - at;
  const size = Math.abs(past);
  if (size < MINUTE) return past >= 0 ? 'now' : 'in under a minute';
  // One unit is enough for an age; how long something takes is worth two.
  if (size < 20 * HOUR) return past > 0 ? `${coarse(size)} ago` : `in ${coarse(size)}`;
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (sameYear ? dayAndClock : withYear).format(at);
}

function coarse(size: number): string {
  return size < HOUR ? span(size) : `${Math.floor(size / HOUR)} h`;
}

/** The whole date and time. */
export function exactTime(at: number): string {
  return exact.format(at);
}

/** Hours and minutes of the day. */
export function clockTime(at: number): string {
  return clock.format(at);
}

/** A day as a heading: "Today", "Yesterday", "Tuesday, 4 November". */
export function dayWord(at: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return 'Today';
  if (at >= midnight - DAY) return 'Yesterday';
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return sameYear ? dayOnly.format(at) : withYear.format(at);
}

/** A length of time in one unit that fits: "12 s", "4 min", "2 h 5 min", "3 days". */
export function span(milliseconds: number): string {
  const size = Math.max(0, milliseconds);
  if (size < MINUTE) return `${Math.floor(size / 1000)} s`;
  if (size < HOUR) return `${Math.floor(size / MINUTE)} min`;
  if (size < DAY) {
    const minutes = Math.floor((size % HOUR) / MINUTE);
    const hours = `${Math.floor(size / HOUR)} h`;
    return minutes > 0 && size < 6 * HOUR ? `${hours} ${minutes} min` : hours;
  }
  const days = Math.floor(size / DAY);
  return days === 1 ? '1 day' : `${days} days`;
}
