import { expect, test } from 'vitest';
import { agentState } from '../../../main/agents/agent-state.ts';
import type { AgentSummary } from '../../../main/agents/grants.ts';
import type { AgentRecord } from '../../../main/agents/record.ts';
import { RunnerView } from '../../../main/agents/runner-view.ts';
import { limits, type RunView } from '../../../main/contract/agents.ts';
import type { ProcessState } from '../../../main/contract/app.ts';
import type { StatusLine } from '../../../relay/protocol/runner-status.ts';

const RUN = 'a'.repeat(64);
const ROOT = 'b'.repeat(64);
const PERSON = 'c'.repeat(64);
const AGENT = 'd'.repeat(64);
const NOW = 1_700_000_000_000;

const runLine = (at: number, phase: RunView['phase'], more: object = {}): StatusLine => ({
  type: 'run',
  at,
  run: RUN,
  room: 'general',
  root: ROOT,
  subject: 'Write notes',
  requester: PERSON,
  phase,
  ...more,
});
const step = (at: number, id: string, more: object = {}): StatusLine => ({
  type: 'activity',
  at,
  run: RUN,
  id,
  kind: 'edit',
  verb: 'Write',
  object: 'notes.md',
  ...more,
});

test('A11 a run that was open before the restart reads interrupted at its true last activity', () => {
  const before = new RunnerView();
  before.apply(runLine(1_000, 'accepted'));
  before.apply(runLine(2_000, 'running'));
  before.apply(step(9_000, 'one'));

  const after = new RunnerView();
  after.resumeFrom(JSON.parse(JSON.stringify(before.runs)));

  expect(after.run).toBe(null);
  expect(after.runs[0]).toMatchObject({
    phase: 'ended',
    ending: 'interrupted',
    endedAt: 9_000,
    startedAt: 1_000,
  });
});

test('A14 C1 when the process goes away nothing is left that says it works', () => {
  const view = new RunnerView();
  view.apply({ type: 'program', at: 500, state: 'ready', pid: 1 });
  view.apply(runLine(1_000, 'running'));
  view.apply({ type: 'output', at: 1_500, run: RUN, bytes: 10 });
  view.processEnded();
  expect(view.run).toBe(null);
  expect(view.program).toBe(null);
  expect(view.runs[0]?.ending).toBe('interrupted');
  expect(view.lastOutputAt).toBe(1_500);
});

test('a retried run of the same id opens again and can end well', () => {
  const view = new RunnerView();
  view.apply(runLine(1_000, 'running'));
  view.processEnded();
  view.apply(runLine(5_000, 'running'));
  expect(view.run?.startedAt).toBe(5_000);
  view.apply(runLine(6_000, 'ended', { ending: 'done' }));
  expect(view.runs.length).toBe(1);
  expect(view.runs[0]).toMatchObject({ ending: 'done', endedAt: 6_000 });
});

test('a step said twice is one step, with its newest outcome', () => {
  const view = new RunnerView();
  view.apply(runLine(1_000, 'running'));
  view.apply(step(2_000, 'one', { outcome: 'running' }));
  view.apply(step(3_000, 'one', { outcome: 'done' }));
  expect(view.run?.activity).toEqual([
    { id: 'one', at: 2_000, kind: 'edit', verb: 'Write', object: 'notes.md', outcome: 'done' },
  ]);
});

const record: AgentRecord = {
  version: 1,
  pubkey: AGENT,
  name: 'Demo',
  program: { command: 'demo', args: [], cwd: '/', protocol: 'acp' },
  limits: limits.parse({}),
  rooms: ['general'],
  createdAt: 0,
  wanted: true,
  suspended: null,
  cancelled: [],
};
const grant: AgentSummary = {
  pubkey: AGENT,
  owner: PERSON,
  event_id: ROOT,
  name: 'Demo',
  expires: NOW / 1000 + 100,
  paused: false,
  revoked: 0,
  scope: { kinds: [9], rooms: ['general'], repos: [], rate: 60 },
  lastEvent: 0,
};
const running: ProcessState = { state: 'running', since: 0, pid: 7 };
const online: StatusLine = { type: 'connection', at: 0, state: 'online' };

function stateWith(
  lines: StatusLine[],
  more: { process?: ProcessState; grant?: Partial<AgentSummary>; record?: Partial<AgentRecord> } = {},
) {
  const runner = new RunnerView();
  for (const line of lines) runner.apply(line);
  return agentState({
    grant: { ...grant, ...more.grant },
    local: { record: { ...record, ...more.record }, process: more.process ?? running, runner },
    now: NOW,
  });
}

test('A1 C7 F-52 the state is the truest word for what is so', () => {
  const ready: StatusLine = { type: 'program', at: 0, state: 'ready', pid: 1 };
  const missing: StatusLine = {
    type: 'program',
    at: 0,
    state: 'spawn-failed',
    reason: '"gemni" was not found',
  };
  const login: StatusLine = {
    type: 'program',
    at: 0,
    state: 'authentication-needed',
    reason: 'Run gemini once',
  };
  expect(stateWith([]).state).toBe('starting');
  expect(stateWith([online, ready]).state).toBe('idle');
  expect(stateWith([online, ready, runLine(1, 'running')]).state).toBe('running');
  expect(stateWith([online, ready, runLine(1, 'waiting')]).state).toBe('waiting');
  expect(stateWith([online, missing])).toEqual({ state: 'suspended', reason: '"gemni" was not found' });
  expect(stateWith([online, login])).toEqual({ state: 'suspended', reason: 'Run gemini once' });
  expect(stateWith([{ type: 'connection', at: 0, state: 'offline', reason: 'refused' }, ready])).toEqual({
    state: 'starting',
    reason: 'It has no connection to the relay: refused',
  });
  const gaveUp: ProcessState = { state: 'suspended', since: 0, reason: 'It ended 5 times in a row: code 1' };
  expect(stateWith([], { process: gaveUp })).toEqual({ state: 'suspended', reason: gaveUp.reason });
  const backing: ProcessState = { state: 'backing-off', since: 0, reason: 'code 1', retryAt: 5 };
  expect(stateWith([], { process: backing })).toEqual({ state: 'backing-off', reason: 'code 1', retryAt: 5 });
  const waits = { suspended: { reason: 'Quota is used up', since: 0 } };
  expect(stateWith([online, ready], { record: waits })).toEqual({
    state: 'suspended',
    reason: 'Quota is used up',
  });
});

test('a grant that does not hold comes before what the process does', () => {
  expect(stateWith([online, runLine(1, 'running')], { grant: { revoked: 5, paused: true } }).state).toBe(
    'revoked',
  );
  expect(stateWith([online], { grant: { paused: true } }).state).toBe('paused');
  expect(stateWith([online], { grant: { expires: NOW / 1000 } }).state).toBe('expired');
  expect(agentState({ grant, local: null, now: NOW }).state).toBe('elsewhere');
});

test('a spent budget and a room held for a person are shown, and pass', () => {
  const view = new RunnerView();
  const state = () => {
    const process: ProcessState = { state: 'running', since: NOW, pid: 1 };
    const record = { wanted: true, suspended: null } as AgentRecord;
    return agentState({ grant: undefined, local: { record, process, runner: view }, now: NOW });
  };
  view.apply({ type: 'connection', at: NOW, state: 'online' });
  view.apply({
    type: 'budget',
    at: NOW,
    state: 'near',
    reason: 'close to its budget: 4 of 5 runs in an hour',
  });
  expect(state()).toEqual({ state: 'idle', reason: 'close to its budget: 4 of 5 runs in an hour' });
  view.apply({ type: 'suspended', at: NOW, kind: 'budget', reason: 'its budget is used up' });
  expect(state()).toEqual({ state: 'suspended', reason: 'its budget is used up' });
  view.apply({ type: 'budget', at: NOW, state: 'within' });
  expect(state()).toEqual({ state: 'idle' });
  const loop = { type: 'loop', at: NOW, room: 'general', exchanges: 6 } as const;
  view.apply({ ...loop, held: true, reason: 'agents have answered each other 6 times' });
  expect(state()).toEqual({ state: 'waiting', reason: 'In general agents have answered each other 6 times' });
  view.apply({ ...loop, held: false });
  expect(state()).toEqual({ state: 'idle' });
});
