// A state as colour, icon and word together, the same everywhere (look.md: never colour alone).

import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleDot,
  IconCircleX,
  IconClockExclamation,
  IconClockPause,
  IconDeviceDesktopOff,
  IconHandStop,
  IconMessageCircleQuestion,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefreshDot,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import classes from './state-mark.module.css';
import { type StateName, stateTone, stateWord } from './states.ts';

export type { StateName };
export { stateTone, stateWord };

type Icon = ComponentType<{ size?: number; stroke?: number }>;

const icons: Record<StateName, Icon> = {
  waiting: IconHandStop,
  open: IconHandStop,
  'backing-off': IconRefreshDot,
  starting: IconCircleDashed,
  connecting: IconCircleDashed,
  accepted: IconPlayerPlay,
  running: IconPlayerPlay,
  done: IconCircleCheck,
  approved: IconCircleCheck,
  online: IconCircleDot,
  active: IconCircleDot,
  good: IconCircleCheck,
  failed: IconCircleX,
  failing: IconAlertTriangle,
  'timed-out': IconClockExclamation,
  interrupted: IconAlertTriangle,
  suspended: IconAlertTriangle,
  offline: IconDeviceDesktopOff,
  bad: IconCircleX,
  warning: IconAlertTriangle,
  idle: IconCircleDot,
  queued: IconClockPause,
  stopped: IconPlayerStop,
  paused: IconPlayerPause,
  cancelled: IconBan,
  denied: IconBan,
  revoked: IconBan,
  expired: IconClockExclamation,
  withdrawn: IconBan,
  replied: IconMessageCircleQuestion,
  answered: IconCircleCheck,
  elsewhere: IconCircleDashed,
};

export type StateMarkProps = {
  state: StateName;
  /** `chip` has a ground; `plain` is icon and word; `icon` has its word in the title, for narrow places. */
  as?: 'chip' | 'plain' | 'icon';
  /** Why, shown on hover. */
  reason?: string | undefined;
};

export function StateMark({ state, as = 'chip', reason }: StateMarkProps) {
  const Icon = icons[state];
  const word = stateWord(state);
  const title = reason ? `${word}: ${reason}` : word;
  return (
    <span className={classes.mark} data-tone={stateTone(state)} data-as={as} data-state={state} title={title}>
      <Icon size={14} stroke={2} />
      <span className={as === 'icon' ? classes.hidden : undefined}>{word}</span>
    </span>
  );
}
