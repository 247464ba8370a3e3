// Every state the dashboard shows, with its one colour and its one word. Pure; the icons are in state-mark.tsx.

import type { Tone } from '../theme/theme.ts';

const states = {
  // Waiting: a person, or time, is needed.
  waiting: { tone: 'waiting', word: 'waiting for you' },
  open: { tone: 'waiting', word: 'waiting for you' },
  'backing-off': { tone: 'waiting', word: 'restarting soon' },
  // Running: a process is alive and something is open.
  starting: { tone: 'running', word: 'starting' },
  connecting: { tone: 'running', word: 'connecting' },
  accepted: { tone: 'running', word: 'accepted' },
  running: { tone: 'running', word: 'running' },
  // Done.
  done: { tone: 'done', word: 'done' },
  approved: { tone: 'done', word: 'approved' },
  online: { tone: 'done', word: 'online' },
  active: { tone: 'done', word: 'active' },
  good: { tone: 'done', word: 'good' },
  // Failed.
  failed: { tone: 'failed', word: 'failed' },
  failing: { tone: 'failed', word: 'failing' },
  'timed-out': { tone: 'failed', word: 'timed out' },
  interrupted: { tone: 'failed', word: 'interrupted' },
  suspended: { tone: 'failed', word: 'needs you' },
  offline: { tone: 'failed', word: 'offline' },
  bad: { tone: 'failed', word: 'bad' },
  warning: { tone: 'waiting', word: 'warning' },
  // Paused and stopped: nothing happens, and that is meant.
  idle: { tone: 'paused', word: 'idle' },
  queued: { tone: 'paused', word: 'queued' },
  stopped: { tone: 'paused', word: 'stopped' },
  paused: { tone: 'paused', word: 'paused' },
  cancelled: { tone: 'paused', word: 'cancelled' },
  denied: { tone: 'paused', word: 'denied' },
  revoked: { tone: 'paused', word: 'revoked' },
  expired: { tone: 'paused', word: 'expired' },
  withdrawn: { tone: 'paused', word: 'withdrawn' },
  replied: { tone: 'done', word: 'replied' },
  answered: { tone: 'done', word: 'answered' },
  elsewhere: { tone: 'paused', word: 'runs elsewhere' },
} as const satisfies Record<string, { tone: Tone; word: string }>;

/** Any state the dashboard shows: of an agent, a job, a run, an approval, the relay, a check. */
export type StateName = keyof typeof states;

/** The word a state is called by. */
export function stateWord(state: StateName): string {
  return states[state].word;
}

/** The colour of a state. */
export function stateTone(state: StateName): Tone {
  return states[state].tone;
}
