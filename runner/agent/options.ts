// What a runner is started with.

import type { BudgetLimits } from '../../relay/protocol/runner-status.ts';
import type { ProgramTimes } from '../program.ts';
import type { Report } from '../status.ts';
import type { RunLimits } from './limits.ts';

export type AgentOptions = {
  relay: string;
  rooms: string[];
  command: string;
  args: string[];
  cwd: string;
  state: string;
  protocol: 'acp' | 'command';
  /** The hard limit of a run and how long a prompt waits, in ms. */
  timeoutMs: number;
  promptMs: number;
  /** What an unanswered prompt means for the job; `refuse` unless given. */
  onExpiry?: RunLimits['onExpiry'];
  /** How long a run may be silent and idle, in ms; a quarter of an hour unless given. */
  silenceMs?: number;
  /** No limit where none is given. */
  budget?: BudgetLimits;
  /** Runs in a row that agents may ask for in a room without a person there; 6 unless given. */
  exchanges?: number;
  secret: Uint8Array;
  /** The Node that runs the keyless end of the bridge; the one that runs this unless given. */
  node?: string;
  /** Environment variables the program must not inherit. */
  hiddenEnv: string[];
  report: Report;
  times?: Partial<ProgramTimes & { progress: number; presence: number; backoff: number; recheck: number }>;
};
