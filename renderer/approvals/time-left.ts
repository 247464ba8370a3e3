// Time left of a request as words and a share, and the moment either changes next, so that a card needs one
// timeout at a time and never a fast timer (look.md, "The approval card").

export type TimeLeft = {
  words: string;
  /** Share of the whole time that is left, 0 to 1, for the bar. */
  share: number;
  /** True in the last tenth or the last minute. */
  urgent: boolean;
  over: boolean;
  /** Milliseconds since the epoch at which words or share change; null once it is over. */
  changesAt: number | null;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The bar moves in at most fifty steps, none shorter than this. */
const SHORTEST_STEP = 10 * SECOND;

/** `expires` and `created` in Unix seconds as in the event, `now` in milliseconds. */
export function timeLeft(expires: number, created: number, now: number): TimeLeft {
  const end = expires * SECOND;
  const left = end - now;
  if (left <= 0) return { words: 'no time left', share: 0, urgent: true, over: true, changesAt: null };
  const whole = Math.max(end - created * SECOND, SHORTEST_STEP);
  const step = Math.max(whole / 50, SHORTEST_STEP);
  const barLeft = Math.ceil(left / step - 1e-9) * step;
  const spoken = speak(left);
  const nextBar = end - (barLeft - step);
  const nextWords = end - spoken.until;
  return {
    words: spoken.words,
    share: Math.min(1, barLeft / whole),
    urgent: left < MINUTE || left <= whole / 10,
    over: false,
    changesAt: Math.max(now + 1, Math.min(nextBar, nextWords, end)),
  };
}

/** Words for what is left and the remaining time (exclusive) down to which they stay true. */
function speak(left: number): { words: string; until: number } {
  if (left < MINUTE) {
    const step = 20 * SECOND;
    const shown = Math.ceil(left / step) * step;
    return { words: `less than ${shown / SECOND} s left`, until: shown - step };
  }
  const unit = left < 90 * MINUTE ? MINUTE : left < 2 * DAY ? HOUR : DAY;
  const name = unit === MINUTE ? 'min' : unit === HOUR ? 'h' : 'days';
  const count = Math.floor(left / unit);
  // Down to the end of this count, but never past the border where the words change their unit.
  const border = unit === MINUTE ? MINUTE : unit === HOUR ? 90 * MINUTE : 2 * DAY;
  return { words: `${count} ${name} left`, until: Math.max(count * unit, border) - 1 };
}
