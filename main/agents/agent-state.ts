// The one word for an agent's state, with its reason and since when, derived from what is true now: its process,
// its runner's lines, its grant. Pure.

import type { AgentState } from '../contract/agents.ts';
import type { ProcessState } from '../contract/app.ts';
import type { AgentSummary } from './grants.ts';
import type { AgentRecord } from './record.ts';
import type { RunnerView } from './runner-view.ts';

export type StateNow = { state: AgentState; reason?: string; retryAt?: number };

export type StateFacts = {
  grant: AgentSummary | undefined;
  /** Null for an agent of another machine. */
  local: { record: AgentRecord; process: ProcessState; runner: RunnerView } | null;
  /** Milliseconds since the epoch. */
  now: number;
};

/** The state that holds now. */
export function agentState(facts: StateFacts): StateNow {
  const byGrant = grantState(facts);
  if (byGrant) return byGrant;
  if (!facts.local) return { state: 'elsewhere' };
  const { record, process, runner } = facts.local;
  if (record.suspended) return { state: 'suspended', reason: record.suspended.reason };
  switch (process.state) {
    case 'stopped':
      return { state: 'stopped', ...because(process.reason) };
    case 'suspended':
      return { state: 'suspended', ...because(process.reason) };
    case 'backing-off': {
      const { retryAt } = process;
      return {
        state: 'backing-off',
        ...because(process.reason),
        ...(retryAt === undefined ? {} : { retryAt }),
      };
    }
    case 'starting':
      return { state: 'starting' };
    case 'running':
      return whileRunning(runner);
  }
}

function grantState({ grant, now }: StateFacts): StateNow | null {
  if (!grant) return null;
  if (grant.revoked !== 0) return { state: 'revoked', reason: 'Its grant was revoked' };
  if (grant.paused)
    return { state: 'paused', reason: 'Its grant is paused; it may publish nothing until resumed' };
  if (grant.expires * 1000 <= now) return { state: 'expired', reason: 'Its grant has ended; make a new one' };
  return null;
}

function whileRunning(runner: RunnerView): StateNow {
  const { suspended, program, connection, run, loops, budget } = runner;
  if (suspended) return { state: 'suspended', reason: suspended.reason };
  if (program?.state === 'spawn-failed') {
    return { state: 'suspended', reason: program.reason ?? 'Its program could not be started' };
  }
  if (program?.state === 'authentication-needed') {
    return { state: 'suspended', reason: program.reason ?? 'Its program wants you to log in' };
  }
  if (run) return { state: run.phase === 'waiting' ? 'waiting' : 'running', ...because(run.reason) };
  if (program?.state === 'starting' || connection === null) return { state: 'starting' };
  if (connection.state !== 'online') {
    return { state: 'starting', reason: `It has no connection to the relay${tail(connection.reason)}` };
  }
  if (program?.state === 'exited') {
    return {
      state: 'idle',
      reason: `Its program ended${tail(program.reason)}; it is started again when needed`,
    };
  }
  const [loop] = loops;
  if (loop !== undefined) return { state: 'waiting', reason: `In ${loop[0]} ${loop[1]}` };
  return { state: 'idle', ...because(budget?.reason) };
}

function because(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

function tail(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}
