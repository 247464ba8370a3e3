// An agent's state in words, the one button that fits it, and silence as a state of its own. Truth first: nothing
// here says "working" unless a run is open (look.md, "Words").

import type { AgentView, RunView } from '../../main/contract/agents.ts';
import { span } from '../parts/time-words.ts';

/** A program that says nothing for this long during a run is silent. */
export const SILENT_AFTER = 60_000;

export type PrimaryAction = 'start' | 'stop' | 'resume' | null;

/** The one button of the top line; null when no press would change anything. */
export function primaryAction(agent: Pick<AgentView, 'state' | 'local'>): PrimaryAction {
  if (agent.state === 'paused') return 'resume';
  if (!agent.local || agent.state === 'revoked' || agent.state === 'expired') return null;
  if (agent.state === 'stopped' || agent.state === 'suspended') return 'start';
  return 'stop';
}

export function canPause(agent: Pick<AgentView, 'grant' | 'state'>): boolean {
  return hasActiveGrant(agent) && agent.grant?.paused === false;
}

export function hasActiveGrant(agent: Pick<AgentView, 'grant' | 'state'>): boolean {
  if (agent.grant === null) return false;
  return agent.grant.revoked === 0 && agent.state !== 'revoked' && agent.state !== 'expired';
}

/** How long the program has said nothing in an open run, or null when it is not silent. */
export function silence(
  agent: Pick<AgentView, 'state' | 'run' | 'lastOutputAt'>,
  now: number,
): string | null {
  if (agent.state !== 'running' || agent.run === null || agent.run.phase !== 'running') return null;
  const heard = Math.max(agent.lastOutputAt ?? 0, agent.run.startedAt, newestStep(agent.run));
  return now - heard >= SILENT_AFTER ? `no output for ${span(now - heard)}` : null;
}

/** The moment silence begins or reads differently, for one timeout. */
export function heardAt(agent: Pick<AgentView, 'run' | 'lastOutputAt'>): number | null {
  if (agent.run === null) return null;
  return Math.max(agent.lastOutputAt ?? 0, agent.run.startedAt, newestStep(agent.run));
}

function newestStep(run: RunView): number {
  return run.activity.reduce((newest, step) => Math.max(newest, step.at), 0);
}

export type AgentCounts = { active: number; paused: number; revoked: number };

/** The seed's three counts: by grant, not by process. Expired counts as revoked, since neither may write. */
export function countAgents(agents: readonly Pick<AgentView, 'state' | 'grant'>[]): AgentCounts {
  const counts = { active: 0, paused: 0, revoked: 0 };
  for (const agent of agents) {
    if (!hasActiveGrant(agent)) counts.revoked += 1;
    else if (agent.grant?.paused === true) counts.paused += 1;
    else counts.active += 1;
  }
  return counts;
}

/** What it does right now, in one line for the list. */
export function nowDoing(agent: AgentView): string {
  if (agent.run !== null && agent.run.phase !== 'ended')
    return agent.run.subject || 'A request without a subject';
  if (agent.queue.length > 0) return `${agent.queue.length} waiting in its queue`;
  if (agent.reason !== undefined && agent.state !== 'idle') return agent.reason;
  return '';
}
