// Where a message stands with the agents it names, as long as no job shows it (case C1). Pure.

import type { AgentView } from '../../main/contract/agents.ts';

/** An agent a message waits at: in its queue since then, or not to be reached and why. */
export type StandsAt = {
  pubkey: string;
  name: string;
  state: AgentView['state'];
  reason?: string;
  queuedSince?: number;
};

const unreachable = new Set<AgentView['state']>([
  'stopped',
  'backing-off',
  'suspended',
  'paused',
  'revoked',
  'expired',
]);

/** Where a message stands with the agents it names: queued, or held up because the agent does not run. */
export function standing(agents: AgentView[], event: string, named: readonly string[]): StandsAt[] {
  return agents
    .filter(agent => named.includes(agent.pubkey))
    .flatMap(({ pubkey, name, state, reason, queue }) => {
      const since = queue.find(waiting => waiting.event === event)?.since;
      if (since === undefined && !unreachable.has(state)) return [];
      const why = reason === undefined ? {} : { reason };
      return [{ pubkey, name, state, ...why, ...(since === undefined ? {} : { queuedSince: since }) }];
    });
}
