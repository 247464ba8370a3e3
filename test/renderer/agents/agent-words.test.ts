import { expect, test } from 'vitest';
import type { AgentView, RunView } from '../../../main/contract/agents.ts';
import { countAgents, heardAt, primaryAction, silence } from '../../../renderer/agents/agent-words.ts';
import { groupSteps, runState } from '../../../renderer/agents/run-rows.ts';

const HEX = 'a'.repeat(64);
const run = (over: Partial<RunView> = {}): RunView => ({
  run: HEX,
  room: 'general',
  root: HEX,
  subject: 'Write the notes',
  requester: HEX,
  phase: 'running',
  startedAt: 1_000_000,
  activity: [],
  ...over,
});
const grant = (paused: boolean, revoked: number): AgentView['grant'] => ({
  event: HEX,
  owner: HEX,
  name: 'a',
  expires: 2_000_000_000,
  paused,
  revoked,
  scope: { kinds: [9], rooms: ['general'], repos: [], rate: 60 },
  words: [],
});

test('silence is said only while a run is open, from the last thing heard', () => {
  const agent = { state: 'running' as const, run: run(), lastOutputAt: 1_100_000 };
  expect(silence(agent, 1_130_000)).toBeNull();
  expect(silence(agent, 1_340_000)).toBe('no output for 4 min');
  expect(silence({ ...agent, state: 'waiting' }, 1_340_000)).toBeNull();
  expect(silence({ ...agent, run: null }, 1_340_000)).toBeNull();
  const stepped = {
    ...agent,
    run: run({ activity: [{ id: '1', at: 1_300_000, kind: 'read', verb: 'Read', object: 'a' }] }),
  };
  expect(heardAt(stepped)).toBe(1_300_000);
  expect(silence(stepped, 1_340_000)).toBeNull();
});

test('the one button fits the state', () => {
  expect(primaryAction({ state: 'stopped', local: true })).toBe('start');
  expect(primaryAction({ state: 'suspended', local: true })).toBe('start');
  expect(primaryAction({ state: 'running', local: true })).toBe('stop');
  expect(primaryAction({ state: 'backing-off', local: true })).toBe('stop');
  expect(primaryAction({ state: 'paused', local: true })).toBe('resume');
  expect(primaryAction({ state: 'revoked', local: true })).toBeNull();
  expect(primaryAction({ state: 'elsewhere', local: false })).toBeNull();
});

test('agents are counted by their grant', () => {
  expect(
    countAgents([
      { state: 'idle', grant: grant(false, 0) },
      { state: 'stopped', grant: grant(false, 0) },
      { state: 'paused', grant: grant(true, 0) },
      { state: 'revoked', grant: grant(false, 5) },
      { state: 'expired', grant: grant(false, 0) },
      { state: 'stopped', grant: null },
    ]),
  ).toEqual({ active: 2, paused: 1, revoked: 3 });
});

test('finished reads recede together, failures rise, order stays', () => {
  const step = (id: string, kind: string, outcome?: string) => ({
    id,
    at: 1,
    kind,
    verb: kind,
    object: id,
    ...(outcome === undefined ? {} : { outcome }),
  });
  const groups = groupSteps([
    step('1', 'read', 'done'),
    step('2', 'read', 'done'),
    step('3', 'search', 'done'),
    step('4', 'edit', 'done'),
    step('5', 'read', 'failed'),
    step('6', 'read', 'running'),
  ]);
  expect(groups.map(group => (group.kind === 'reads' ? group.steps.length : group.weight))).toEqual([
    3,
    'plain',
    'loud',
    'plain',
  ]);
});

test('a run is named by its ending, else by its phase', () => {
  expect(runState(run({ phase: 'ended', ending: 'timed-out' }))).toBe('timed-out');
  expect(runState(run({ phase: 'waiting' }))).toBe('waiting');
});
