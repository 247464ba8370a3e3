// Time left of a request: words and a thin bar that moves only when it reads differently.

import { exactTime } from '../parts/time-words.ts';
import classes from './approvals.module.css';
import { timeLeft } from './time-left.ts';
import { useMoment } from './use-moment.ts';

/** `expires` and `created` in Unix seconds. */
export function TimeBar({ expires, created }: { expires: number; created: number }) {
  const now = useMoment(at => timeLeft(expires, created, at).changesAt);
  const left = timeLeft(expires, created, now);
  return (
    <div className={classes.time} data-urgent={left.urgent || undefined} title={exactTime(expires * 1000)}>
      {left.words}
      <div className={classes.bar} aria-hidden="true">
        <span style={{ width: `${left.share * 100}%` }} />
      </div>
    </div>
  );
}
