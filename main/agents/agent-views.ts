// From what is known of an agent to what the dashboard shows of it.

import { npubEncode } from 'nostr-tools/nip19';
import type { AgentState, AgentView } from '../contract/agents.ts';
import { agentState } from './agent-state.ts';
import { type AgentSummary, grantView } from './grants.ts';
import type { LocalAgent } from './local-agent.ts';

/** Of the history a view carries this much: it travels with every change. */
const RECENT = 20;
const RECENT_STEPS = 12;

/** Knows since when each agent has been in its state, and what it published last; kept while the program runs. */
export class AgentViews {
  readonly #lastEvent = new Map<string, number>();
  readonly #since = new Map<string, { state: AgentState; at: number }>();

  /** Notes an event of the agent that has just been stored; `at` in Unix seconds. */
  published(pubkey: string, at: number): void {
    this.#lastEvent.set(pubkey, Math.max(at, this.#lastEvent.get(pubkey) ?? 0));
  }

  /** The view now. One of `agent` and `grant` is there. */
  view(pubkey: string, agent: LocalAgent | undefined, grant: AgentSummary | undefined): AgentView {
    const now = Date.now();
    const local = agent ? { record: agent.record, process: agent.process, runner: agent.runner } : null;
    const { state, reason, retryAt } = agentState({ grant, local, now });
    const runner = agent?.runner;
    const program = runner?.program ?? null;
    return {
      pubkey,
      npub: npubEncode(pubkey),
      name: grant?.name || agent?.record.name || `${npubEncode(pubkey).slice(0, 12)}…`,
      local: agent !== undefined,
      state,
      ...(reason === undefined ? {} : { reason }),
      since: this.#sinceOf(pubkey, state, now),
      ...(retryAt === undefined ? {} : { retryAt }),
      process: agent?.process ?? null,
      program: agent?.record.program ?? null,
      limits: agent?.record.limits ?? null,
      permissions: agent?.permissions.standing ?? null,
      child: program
        ? {
            state: program.state,
            ...(program.pid === undefined ? {} : { pid: program.pid }),
            ...(program.reason === undefined ? {} : { reason: program.reason }),
            ...(program.stderrTail === undefined ? {} : { stderrTail: program.stderrTail }),
          }
        : null,
      grant: grant ? grantView(grant) : null,
      run: runner?.run ?? null,
      recent: (runner?.runs ?? [])
        .filter(run => run.phase === 'ended')
        .slice(0, RECENT)
        .map(run => ({ ...run, activity: run.activity.slice(-RECENT_STEPS) })),
      queue: runner?.queue ?? [],
      lastOutputAt: runner?.lastOutputAt ?? null,
      lastReply: runner?.lastReply ?? null,
      undelivered: runner?.undelivered ?? 0,
      refused: runner?.refused ?? [],
      lastEvent: Math.max(grant?.lastEvent ?? 0, this.#lastEvent.get(pubkey) ?? 0),
    };
  }

  #sinceOf(pubkey: string, state: AgentState, now: number): number {
    const known = this.#since.get(pubkey);
    if (known?.state === state) return known.at;
    this.#since.set(pubkey, { state, at: now });
    return now;
  }
}
