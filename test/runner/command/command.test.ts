// Plain programs: the prompt on stdin, the answer on stdout, one process a run.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture, folder, makeWorld, startRunner } from '../world.ts';

const command = (program: string, ...args: string[]) => ({
  protocol: 'command' as const,
  command: program,
  args,
});
const node = (name: string) => command(process.execPath, fixture(name));

test('cat answers with the prompt it was given', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, command('cat'));
  const mention = await owner.mention(runner.pubkey, 'hello cat');
  const { content } = await owner.reply(runner.pubkey);
  expect(content).toBe(
    `You were mentioned in the room "general". Your answer is posted there.\n\nFrom ${owner.signer.pubkey}, message ${mention.id}:\nhello cat`,
  );
});

test('a program that does not read its input answers all the same; an empty answer is said as done', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, command('sh', '-c', 'exec 0<&-; sleep 0.1; true'));
  await owner.mention(runner.pubkey, 'x'.repeat(60_000));
  expect((await runner.ended()).ending).toBe('done');
  expect((await owner.hears(43004, runner.pubkey)).content).toBe('Task completed.');
});

test('a failing program fails the run; what it wrote to stderr stays out of the room', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, command('sh', '-c', 'echo secret-path >&2; echo half; exit 4'));
  await owner.mention(runner.pubkey, 'go');
  const error = await owner.hears(43006, runner.pubkey);
  expect(error.content).toBe('Agent stopped: sh ended with code 4');
  await runner.status('log', line => line.source === 'program' && line.text === 'secret-path');
  expect(JSON.stringify(owner.events.all)).not.toContain('secret-path');
});

test('C7 a missing program, one that may not be run and a missing folder are told at the start', async () => {
  const world = await makeWorld();
  const said = async (setup: object) => {
    const runner = await startRunner(world, { protocol: 'command', ...setup });
    return (await runner.status('program')).reason;
  };
  expect(await said({ command: 'not-there-at-all' })).toContain('"not-there-at-all" was not found');
  const plain = join(folder(), 'plain');
  writeFileSync(plain, 'text', { mode: 0o644 });
  expect(await said({ command: plain })).toContain(`"${plain}" may not be run`);
  expect(await said({ command: 'cat', cwd: '/not/there' })).toContain(
    'the working folder /not/there is not there',
  );
  expect(await said({ command: 'cat' })).toBeUndefined();
});

test('C7 a missing interpreter is named', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, command('sh', '-c', 'no-such-interpreter script.js'));
  await world.owner.mention(runner.pubkey, 'go');
  const end = await runner.ended();
  expect(end.reason).toContain('ended with code 127: something it needs to run was not found');
  await runner.status(
    'program',
    line => line.state === 'exited' && (line.stderrTail ?? '').includes('no-such-interpreter'),
  );
});

test('F-50 a process that left the group and holds the pipe neither delays the answer nor survives it', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, node('command-grandchildren'));
  await world.owner.mention(runner.pubkey, 'go');
  expect((await runner.ended()).ending).toBe('done');
  expect((await world.owner.reply(runner.pubkey)).content).toBe('answered');
  expect(runner.processes()).toEqual([]);
});

test('F-53 endless output is cut and cancelled without growing', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { ...node('command-floods'), timeoutMs: 1_000 });
  const before = process.memoryUsage().rss;
  await world.owner.mention(runner.pubkey, 'go');
  expect((await runner.ended()).ending).toBe('timed-out');
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  expect(runner.processes()).toEqual([]);
});

test('rooms work side by side, one batch each', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, command('sh', '-c', 'cat >/dev/null; sleep 30'));
  await owner.mention(runner.pubkey, 'here');
  await owner.mention(runner.pubkey, 'there', { room: 'other' });
  await runner.status('run', line => line.phase === 'running' && line.room === 'general');
  await runner.status('run', line => line.phase === 'running' && line.room === 'other');
  await runner.stop();
  expect(runner.processes()).toEqual([]);
});
