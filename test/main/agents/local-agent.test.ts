// One agent of this machine with a runner that is only a script, so that it can go wrong on command.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalAgent } from '../../../main/agents/local-agent.ts';
import { type AgentRecord, agentFolder } from '../../../main/agents/record.ts';
import { limits } from '../../../main/contract/agents.ts';
import type { ProcessState } from '../../../main/contract/app.ts';
import { openLedger } from '../../../main/supervise/ledger.ts';
import { nodeSpawner } from '../../../main/supervise/spawner.ts';
import { scratch } from '../supervise/family.ts';

const AGENT = 'a'.repeat(64);
let home: string;
let agent: LocalAgent;
let states: ProcessState[];
let told: (() => void) | null;
beforeEach(() => {
  home = scratch();
  states = [];
  told = null;
});
afterEach(async () => {
  await agent.stop();
  rmSync(home, { recursive: true });
});

const SAY = "const say = line => process.stderr.write(JSON.stringify({ at: Date.now(), ...line }) + '\\n');";
const READY = `${SAY} say({ type: 'ready', pubkey: '${AGENT}', pid: process.pid });`;
const LISTEN = `
const { Socket } = await import('node:net');
const { createInterface } = await import('node:readline');
const { appendFileSync } = await import('node:fs');
const line = new Socket({ fd: 3, readable: true, writable: false });
createInterface({ input: line }).on('line', text => appendFileSync(process.argv.at(-1).slice('--state='.length), text + '\\n'))
  .on('close', () => process.exit(0));`;

function make(script: string, backoff = {}): LocalAgent {
  const entry = join(home, 'runner.mjs');
  writeFileSync(entry, script);
  const record: AgentRecord = {
    version: 1,
    pubkey: AGENT,
    name: 'Scripted',
    program: { command: 'x', args: [], cwd: home, protocol: 'acp' },
    limits: limits.parse({}),
    rooms: ['general'],
    createdAt: 0,
    wanted: false,
    suspended: null,
    cancelled: [],
  };
  agent = new LocalAgent(
    {
      ledger: openLedger(home),
      spawner: nodeSpawner(),
      relay: 'ws://127.0.0.1:1/',
      entry,
      keys: { read: () => new Uint8Array(32).fill(7), write() {}, remove() {} },
      backoff,
      changed() {
        if (states.at(-1)?.state !== agent.process.state) states.push(agent.process);
        told?.();
      },
      logged() {},
      said() {},
      failed(error) {
        throw error;
      },
    },
    agentFolder(join(home, 'agents'), AGENT),
    record,
  );
  return agent;
}
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise<void>(resolve => {
      told = resolve;
    });
  }
}

test('F-52 a runner that ends at once is backed off from, given up once with its last words, and resumable', async () => {
  make("console.error('tiny agent: the journal is torn'); process.exitCode = 1;", { first: 5, longest: 40 });
  await agent.start();
  await until(() => agent.process.state === 'suspended');
  expect(agent.process.reason).toBe(
    'It ended 5 times in a row: ended with code 1: tiny agent: the journal is torn',
  );
  expect(states.filter(state => state.state === 'backing-off').length).toBe(4);
  expect(states.filter(state => state.state === 'suspended').length).toBe(1);
  expect(agent.log.tail(100).filter(line => line.level === 'error').length).toBe(1);

  writeFileSync(join(home, 'runner.mjs'), READY + LISTEN);
  await agent.start();
  await until(() => agent.process.state === 'running');
});

test('B4 a runner that waits for a person waits over a restart of the program', async () => {
  const words = { type: 'suspended', reason: 'The quota is used up until Monday', kind: 'quota' };
  make(`${READY} say(${JSON.stringify(words)}); ${LISTEN}`);
  await agent.start();
  await until(() => agent.record.suspended !== null);
  await agent.stop(undefined, true);
  const record = JSON.parse(readFileSync(join(agent.folder.path, 'agent.json'), 'utf8'));
  expect(record).toMatchObject({ wanted: true, suspended: { reason: words.reason } });
  await agent.begin();
  expect(agent.process.state).toBe('stopped');
  await agent.start();
  expect(agent.record.suspended).toBe(null);
});

test('B4 a runner that waits for a person is not started again because it died', async () => {
  const words = { type: 'suspended', reason: 'The quota is used up until Monday', kind: 'quota' };
  make(`${READY} say(${JSON.stringify(words)}); setTimeout(() => process.exit(1), 50);`);
  await agent.start();
  await until(() => agent.process.state === 'suspended');
  expect(agent.process.reason).toBe(words.reason);
  expect(states.some(({ state }) => state === 'backing-off')).toBe(false);
});

test('a spent budget is not written down as suspended, and Start lets the runner go on', async () => {
  const words = { type: 'suspended', reason: 'its budget is used up', kind: 'budget' };
  make(`${READY} say(${JSON.stringify(words)}); ${LISTEN}`);
  await agent.start();
  await until(() => agent.runner.suspended !== null && agent.process.state === 'running');
  expect(agent.record.suspended).toBe(null);
  await agent.start();
  await agent.stop();
  const heard = readFileSync(agent.folder.stateFile, 'utf8').trim().split('\n');
  expect(heard).toContain('{"order":"budget","budget":{},"forgive":true}');
  expect(heard.filter(line => line === '07'.repeat(32))).toHaveLength(1);
});

test('a runner is told what it was not there to hear: that it is paused, and which run was stopped', async () => {
  make(READY + LISTEN);
  const run = 'c'.repeat(64);
  agent.hold('Its grant is paused');
  await agent.cancel(run);
  expect(agent.record.cancelled).toEqual([run]);
  await agent.start();
  await until(() => agent.process.state === 'running' && agent.record.cancelled.length === 0);
  await agent.stop();
  const heard = readFileSync(agent.folder.stateFile, 'utf8').trim().split('\n');
  expect(heard).toEqual([
    '07'.repeat(32),
    '{"order":"pause","reason":"Its grant is paused"}',
    `{"order":"cancel","run":"${run}"}`,
    '{"order":"stop"}',
  ]);
});

test('a runner that does not listen is ended all the same, and a line without end does not fill the memory', async () => {
  const flood = `process.on('SIGTERM', () => {}); process.stderr.write('x'.repeat(5_000_000)); setInterval(() => {}, 1e6);`;
  make(READY + flood);
  await agent.start();
  await until(() => agent.process.state === 'running');
  await agent.stop();
  expect(agent.process.state).toBe('stopped');
  for (const line of agent.log.tail(10)) expect(line.text.length).toBeLessThanOrEqual(4_000);
});
