// `tiny agent` as a command: its options, its key, its signals, and what its environment gives away.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nsecEncode } from 'nostr-tools/nip19';
import { expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../relay/client/signer.ts';
import { markedProcesses } from '../../runner/agent/process-tree.ts';
import { agentOptions, fixture, folder, makeWorld, RunnerProcess } from './world.ts';

const entry = resolve(import.meta.dirname, 'agent-entry.ts');

function run(args: string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>(done => {
    const child = spawn(process.execPath, [entry, ...args], { env: { ...process.env, ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', chunk => {
      stdout += chunk;
    });
    child.stderr.on('data', chunk => {
      stderr += chunk;
    });
    child.once('close', code => done({ code, stdout, stderr }));
  });
}

const good = () => [
  '--relay=ws://127.0.0.1:1/',
  '--room=general',
  '--command=true',
  `--state=${join(folder(), 'q.json')}`,
];

test.each([
  [['--relay=http://x/'], '--relay', 'http://x/'],
  [['--relay=ws://me@x/'], '--relay', 'ws://me@x/'],
  [['--room=General'], '--room', 'General'],
  [['--cwd=/not/there'], '--cwd', '/not/there'],
  [['--protocol=smoke'], '--protocol', 'smoke'],
  [['--timeout=soon'], '--timeout', 'soon'],
  [['--timeout=0s'], '--timeout', '0s'],
  [['--prompt-timeout=5'], '--prompt-timeout', '5'],
  [['--key-fd=1'], '--key-fd', '1'],
  [['--key-fd=77'], '--key-fd', '77'],
  [['--colour=red'], '--colour', 'red'],
  [['extra'], 'extra', 'extra'],
])('usage: %j is refused in one line that names option and value', async (args, option, value) => {
  const { code, stderr } = await run([...good(), ...args], { TINY_AGENT_KEY: '1'.repeat(64) });
  expect(code).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  if (option !== 'extra' && option !== '--colour') expect(stderr).toContain(value);
  if (option !== 'extra') expect(stderr).toContain(option);
});

test('usage: what is missing is named; a key that is none is not repeated', async () => {
  const without = await run(good().slice(1));
  expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('--relay') });
  expect(await run(good().toSpliced(1, 1))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--room'),
  });
  const unset = await run([...good(), '--key-env=MY_KEY']);
  expect(unset).toMatchObject({ code: 1, stderr: 'tiny agent: MY_KEY is not set\n' });
  const bad = await run([...good(), '--key-env=MY_KEY'], { MY_KEY: 'nsec1nonsense' });
  expect(bad.code).toBe(1);
  expect(bad.stderr).toContain('MY_KEY holds no secret key');
  expect(bad.stderr).not.toContain('nonsense');
  expect(await run(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--key-fd') });
  expect(await run(['--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
});

test('F6 F7 the key is in no argv, environment or log of the runner or of its program', async () => {
  const world = await makeWorld();
  const options = await agentOptions(world, { program: fixture('scripted') });
  const { pubkey } = signerFrom(options.secret);
  const runner = new RunnerProcess(options);
  await runner.status('program', line => line.state === 'ready');
  await world.owner.mention(pubkey, 'env');
  const { content } = await world.owner.reply(pubkey);
  const program = markedProcesses([`TINY_AGENT=${pubkey}`]).map(({ pid }) => pid);
  expect(program).toHaveLength(1);
  const seen = [content, ...runner.stderr, readFileSync(options.state, 'utf8')];
  for (const pid of [runner.child.pid, ...program]) {
    for (const name of ['cmdline', 'environ']) seen.push(readFileSync(`/proc/${pid}/${name}`, 'latin1'));
  }
  const secrets = [Buffer.from(options.secret).toString('hex'), nsecEncode(options.secret)];
  for (const text of seen) for (const secret of secrets) expect(text.includes(secret)).toBe(false);
  runner.order({ order: 'stop' });
  expect(await runner.exit).toEqual({ code: 0, signal: null });
});

test('F7 a key from the environment, as nsec, is not handed on to the program', async () => {
  const world = await makeWorld();
  const secret = generateSecret();
  const options = await agentOptions(world, { program: fixture('scripted'), secret });
  const { pubkey } = signerFrom(secret);
  const flags = [
    ...[
      '--relay',
      options.relay,
      '--state',
      options.state,
      '--cwd',
      options.cwd,
      '--command',
      options.command,
    ],
    ...['--room', 'general', `--arg=${options.args[0]}`, '--key-env', 'MY_KEY', '--timeout', '1h30m'],
  ];
  const env = {
    ...process.env,
    MY_KEY: nsecEncode(secret),
    TINY_AGENT_KEY: 'old',
    TINY_VAULT_PASSPHRASE: 'open',
  };
  const child = spawn(process.execPath, [entry, ...flags], { env, stdio: 'ignore' });
  const exit = new Promise(done => child.once('exit', done));
  await world.owner.mention(pubkey, 'env');
  const { content } = await world.owner.reply(pubkey);
  for (const name of ['MY_KEY', 'TINY_AGENT_KEY', 'TINY_VAULT_PASSPHRASE', 'nsec1']) {
    expect(content).not.toContain(name);
  }
  child.kill('SIGINT');
  expect(await exit).toBe(0);
});

test('the end of the key descriptor stops the runner in order, with a run under way', async () => {
  const world = await makeWorld();
  const options = await agentOptions(world, { program: fixture('ignores-signals') });
  const { pubkey } = signerFrom(options.secret);
  const runner = new RunnerProcess(options);
  await world.owner.mention(pubkey, 'go');
  await runner.status('output');
  runner.line?.end();
  const stopping = await runner.status('stopping');
  expect(stopping.reason).toBe('the supervisor is gone');
  expect(await runner.exit).toEqual({ code: 0, signal: null });
  expect(markedProcesses([`TINY_AGENT=${pubkey}`])).toEqual([]);
  const journal = JSON.parse(readFileSync(options.state, 'utf8'));
  expect(journal.active.general.attempt).toBe(1);
});

test('a second signal exits at once and leaves no program behind', async () => {
  const world = await makeWorld();
  const options = await agentOptions(world, { program: fixture('ignores-signals') });
  const { pubkey } = signerFrom(options.secret);
  const runner = new RunnerProcess(options);
  await world.owner.mention(pubkey, 'go');
  await runner.status('output');
  runner.child.kill('SIGTERM');
  await runner.status('stopping');
  runner.child.kill('SIGTERM');
  expect(await runner.exit).toEqual({ code: 1, signal: null });
  const wait = () => markedProcesses([`TINY_AGENT=${pubkey}`]);
  for (let look = 0; look < 50 && wait().length > 0; look += 1)
    await new Promise(next => setTimeout(next, 20));
  expect(wait()).toEqual([]);
});

test('without --json a person reads plain lines, and a broken journal is named', async () => {
  const state = join(folder(), 'q.json');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(state, '{"version":1}');
  const args = ['--relay=ws://127.0.0.1:1/', '--room=general', '--command=true', `--state=${state}`];
  const { code, stderr } = await run(args, { TINY_AGENT_KEY: '1'.repeat(64) });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^tiny agent: --state: .*is not a journal this version can read/);
});
