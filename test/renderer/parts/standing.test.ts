import { expect, test } from 'vitest';
import type { AgentView } from '../../../main/contract/agents.ts';
import { standing } from '../../../renderer/parts/standing.ts';

const demo = 'a'.repeat(64);
const event = 'e'.repeat(64);

function agent(more: Partial<AgentView>): AgentView {
  return { pubkey: demo, name: 'Demo', state: 'idle', queue: [], ...more } as AgentView;
}

test('C1 a message waits visibly in the queue of the agent it names', () => {
  const queue = [{ room: 'general', event, author: demo, since: 5, prompt: '' }];
  expect(standing([agent({ state: 'running', queue })], event, [demo])).toEqual([
    { pubkey: demo, name: 'Demo', state: 'running', queuedSince: 5 },
  ]);
});

test('C1 C7 an agent that does not run is named with why, one that runs or is not named is not', () => {
  const suspended = agent({ state: 'suspended', reason: 'node was not found' });
  expect(standing([suspended], event, [demo])).toEqual([
    { pubkey: demo, name: 'Demo', state: 'suspended', reason: 'node was not found' },
  ]);
  expect(standing([suspended], event, [])).toEqual([]);
  expect(standing([agent({ state: 'idle' })], event, [demo])).toEqual([]);
});
