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
import type { Tone } from '../theme/theme.ts';
import classes from './state-mark.module.css';

type Look = { tone: Tone; icon: ComponentType<{ size?: number; stroke?: number }>; word: string };

const looks = {
  // Waiting: a person, or time, is needed.
  waiting: { tone: 'waiting', icon: IconHandStop, word: 'waiting for you' },
  open: { tone: 'waiting', icon: IconHandStop, word: 'waiting for you' },
  'backing-off': { tone: 'waiting', icon: IconRefreshDot, word: 'restarting soon' },
  // Running: a process is alive and something is open.
  starting: { tone: 'running', icon: IconCircleDashed, word: 'starting' },
  connecting: { tone: 'running', icon: IconCircleDashed, word: 'connecting' },
  accepted: { tone: 'running', icon: IconPlayerPlay, word: 'accepted' },
  running: { tone: 'running', icon: IconPlayerPlay, word: 'running' },
  // Done.
  done: { tone: 'done', icon: IconCircleCheck, word: 'done' },
  approved: { tone: 'done', icon: IconCircleCheck, word: 'approved' },
  online: { tone: 'done', icon: IconCircleDot, word: 'online' },
  good: { tone: 'done', icon: IconCircleCheck, word: 'good' },
  // Failed.
  failed: { tone: 'failed', icon: IconCircleX, word: 'failed' },
  'timed-out': { tone: 'failed', icon: IconClockExclamation, word: 'timed out' },
  interrupted: { tone: 'failed', icon: IconAlertTriangle, word: 'interrupted' },
  suspended: { tone: 'failed', icon: IconAlertTriangle, word: 'needs you' },
  offline: { tone: 'failed', icon: IconDeviceDesktopOff, word: 'offline' },
  bad: { tone: 'failed', icon: IconCircleX, word: 'bad' },
  warning: { tone: 'waiting', icon: IconAlertTriangle, word: 'warning' },
  // Paused and stopped: nothing happens, and that is meant.
  idle: { tone: 'paused', icon: IconCircleDot, word: 'idle' },
  queued: { tone: 'paused', icon: IconClockPause, word: 'queued' },
  stopped: { tone: 'paused', icon: IconPlayerStop, word: 'stopped' },
  paused: { tone: 'paused', icon: IconPlayerPause, word: 'paused' },
  cancelled: { tone: 'paused', icon: IconBan, word: 'cancelled' },
  denied: { tone: 'paused', icon: IconBan, word: 'denied' },
  revoked: { tone: 'paused', icon: IconBan, word: 'revoked' },
  expired: { tone: 'paused', icon: IconClockExclamation, word: 'expired' },
  withdrawn: { tone: 'paused', icon: IconBan, word: 'withdrawn' },
  replied: { tone: 'done', icon: IconMessageCircleQuestion, word: 'replied' },
  answered: { tone: 'done', icon: IconCircleCheck, word: 'answered' },
  elsewhere: { tone: 'paused', icon: IconCircleDashed, word: 'runs elsewhere' },
} as const satisfies Record<string, Look>;

/** Any state the dashboard shows: of an agent, a job, a run, an approval, the relay, a check. */
export type StateName = keyof typeof looks;

/** The word a state is called by, for text that cannot hold the mark. */
export function stateWord(state: StateName): string {
  return looks[state].word;
}

/** The colour of a state, for what stands beside its mark. */
export function stateTone(state: StateName): Tone {
  return looks[state].tone;
}

export type StateMarkProps = {
  state: StateName;
  /** `chip` has a ground; `plain` is icon and word; `icon` has its word in the title, for narrow places. */
  as?: 'chip' | 'plain' | 'icon';
  /** Why, shown on hover. */
  reason?: string | undefined;
};

export function StateMark({ state, as = 'chip', reason }: StateMarkProps) {
  const { tone, icon: Icon, word } = looks[state];
  const title = reason ? `${word}: ${reason}` : word;
  return (
    <span className={classes.mark} data-tone={tone} data-as={as} data-state={state} title={title}>
      <Icon size={14} stroke={2} />
      <span className={as === 'icon' ? classes.hidden : undefined}>{word}</span>
    </span>
  );
}
