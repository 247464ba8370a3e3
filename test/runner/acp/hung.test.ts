// ACP programs that misbehave, each in one way: the right ending, the runner alive, and no process left.

import { expect, test } from 'vitest';
import { fixture, makeWorld, type Runner, startRunner, type World } from '../world.ts';

/** Mentions the agent and waits for its run to end. */
async function runOnce(world: World, runner: Runner, text = 'go') {
  const from = runner.said.all.length;
  await world.owner.mention(runner.pubkey, text);
  return runner.ended(from);
}

const gone = (runner: Runner) => expect(runner.processes()).toEqual([]);

test('F-53 A3 a program that ignores cancel and SIGTERM is killed with its children', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('ignores-signals') });
  await world.owner.mention(runner.pubkey, 'go');
  const running = await runner.status('run', line => line.phase === 'running');
  await runner.status('output');
  expect(runner.processes()).toHaveLength(2);
  runner.order({ order: 'cancel', run: running.run });
  expect((await runner.ended()).ending).toBe('cancelled');
  gone(runner);
  await runner.status('program', line => line.state === 'exited');
});

test('A3 the next run starts a new program only after the old tree is gone', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('ignores-signals') });
  await world.owner.mention(runner.pubkey, 'first');
  const first = await runner.status('output');
  runner.order({ order: 'cancel', run: first.run });
  await world.owner.mention(runner.pubkey, 'second');
  const second = await runner.status('output', line => line.run !== first.run);
  expect(runner.processes()).toHaveLength(2);
  const kinds = runner.said.all.filter(line => line.type === 'program').map(line => line.state);
  expect(kinds).toEqual(['starting', 'ready', 'exited', 'starting', 'ready']);
  runner.order({ order: 'cancel', run: second.run });
  await runner.status('run', line => line.run === second.run && line.phase === 'ended');
  gone(runner);
});

test('A4 F-50 descendants in other groups and sessions go when a cancelled turn leaves them behind', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('leaves-grandchildren') });
  await world.owner.mention(runner.pubkey, 'stay');
  const { run } = await runner.status('output');
  expect(runner.processes()).toHaveLength(4);
  runner.order({ order: 'cancel', run });
  expect((await runner.ended()).ending).toBe('cancelled');
  await runner.stop();
  gone(runner);
});

test('A4 F-50 what a finished turn started is gone when the runner stops', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('leaves-grandchildren') });
  expect((await runOnce(world, runner)).ending).toBe('done');
  expect(runner.processes()).toHaveLength(4);
  await runner.stop();
  gone(runner);
});

test('F-53 a gigabyte on stdout neither grows memory nor reaches a room; the limit of the run ends it', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('floods-stdout'), timeoutMs: 2_000 });
  const before = process.memoryUsage().rss;
  expect((await runOnce(world, runner)).ending).toBe('timed-out');
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  gone(runner);
});

test('F-53 lines that are no messages go to the log and the answer still comes', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('prints-garbage') });
  expect((await runOnce(world, runner)).ending).toBe('done');
  expect((await world.owner.reply(runner.pubkey)).content).toBe('through the noise');
  await runner.status('log', line => line.text.includes('Welcome to my program'));
  await runner.status('log', line => line.text.includes('["a batch"]'));
});

test('F-53 half a line and silence: the limit of the run ends it', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('half-a-line'), timeoutMs: 1_000 });
  expect((await runOnce(world, runner)).ending).toBe('timed-out');
  gone(runner);
});

test('F-53 a line of 50 MB fails the run and ends the program', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('long-line') });
  const end = await runOnce(world, runner);
  expect([end.ending, end.reason]).toEqual([
    'failed',
    'the program sent a message of more than 1048576 bytes',
  ]);
  gone(runner);
});

test('F-53 a program that closes its pipes and stays fails the run and is ended', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('closes-input') });
  const end = await runOnce(world, runner);
  expect([end.ending, end.reason]).toEqual(['failed', 'the program closed its output or its input']);
  gone(runner);
});

test('A14 an exit before the answer settles the run with the reason, and the next run works', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('exits'), programArgs: ['before-answer'] });
  const end = await runOnce(world, runner);
  expect(end.ending).toBe('failed');
  expect(end.reason).toContain('ended with code 7');
  expect((await world.owner.hears(43006, runner.pubkey)).content).toContain('ended with code 7');
  expect((await runOnce(world, runner, 'once more')).ending).toBe('failed');
  expect(await world.owner.query({ kinds: [9], authors: [runner.pubkey] })).toEqual([]);
});

test('A14 an exit after the answer is not a failure of the run', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('exits'), programArgs: ['after-answer'] });
  expect((await runOnce(world, runner)).ending).toBe('done');
  await runner.status('program', line => line.state === 'exited' && line.code === 0);
  expect((await runOnce(world, runner, 'again')).ending).toBe('done');
});

test('A9 Stop when the program is already gone settles the run as ended', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('scripted') });
  await world.owner.mention(runner.pubkey, 'wait');
  const running = await runner.status('run', line => line.phase === 'running');
  const ready = await runner.status('program', line => line.state === 'ready');
  process.kill(ready.pid ?? 0, 'SIGKILL');
  runner.order({ order: 'cancel', run: running.run });
  const end = await runner.ended();
  expect(['cancelled', 'failed']).toContain(end.ending);
  runner.order({ order: 'cancel', run: running.run });
  gone(runner);
});

test('A15 a program that ends at once is never ready: the exit and its last words are told', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('exits'), programArgs: ['at-once'] });
  const exited = await runner.status('program', line => line.state === 'exited');
  expect(exited).toMatchObject({ code: 3, stderrTail: 'I cannot start: the moon is in the wrong house' });
  expect(exited.reason).toContain('before it answered the handshake');
  const end = await runOnce(world, runner);
  expect(end.ending).toBe('failed');
  expect(runner.said.all.some(line => line.type === 'program' && line.state === 'ready')).toBe(false);
});

test('A15 a program that never answers the handshake is ended and said so, never a hang', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('silent'), times: { handshake: 400 } });
  const end = await runOnce(world, runner);
  expect(end.ending).toBe('failed');
  expect(end.reason).toContain('did not answer initialize');
  expect(end.reason).toContain('I am here but I will not talk');
  gone(runner);
});

test('C7 a missing program is named, with what to do', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { command: 'no-such-agent-anywhere' });
  const failed = await runner.status('program', line => line.state === 'spawn-failed');
  expect(failed.reason).toMatch(/^"no-such-agent-anywhere" was not found; install it or give its full path/);
  const end = await runOnce(world, runner);
  expect(end.reason).toContain('"no-such-agent-anywhere" was not found');
});

test('a program that wants a sign-in says how, as a state and to who asked', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('needs-login') });
  const end = await runOnce(world, runner);
  expect(end.ending).toBe('failed');
  const state = await runner.status('program', line => line.state === 'authentication-needed');
  expect(state.reason).toContain('Log in: run `');
  expect(state.reason).toContain('--login` in a terminal');
  expect(state.reason).toContain('API key (set EXAMPLE_API_KEY)');
  await runner.status('suspended', line => line.kind === 'authentication');
  expect((await world.owner.hears(43006, runner.pubkey)).content).toContain('sign in');
});

test('a stop reason other than end_turn is a failure that keeps what arrived', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('scripted') });
  const end = await runOnce(world, runner, 'max-tokens');
  expect([end.ending, end.reason]).toEqual(['failed', 'the model reached its limit of tokens']);
  expect((await world.owner.reply(runner.pubkey)).content).toBe('half an ans');
});

test('a reply is cut at 64,000 characters and says so', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('scripted') });
  expect((await runOnce(world, runner, 'long-answer')).ending).toBe('done');
  const { content } = await world.owner.reply(runner.pubkey);
  expect([...content]).toHaveLength(64_000);
  expect(content).toMatch(/é\n\n\[cut here: longer than 64000 characters\]$/);
});

test('a session is kept per thread, loaded again after a restart where the program can', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('remembers') });
  const root = await owner.mention(runner.pubkey, 'one');
  expect((await owner.reply(runner.pubkey)).content).toBe('new: false');
  await runner.stop();
  const again = await runner.again().start();
  await owner.mention(again.pubkey, 'two', { root: root.id });
  await owner.reply(runner.pubkey, event => event.content === 'loaded: false');
});

test('a program that cannot load sessions is told the thread so far', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  const root = await owner.mention(runner.pubkey, 'remember blue');
  await owner.reply(runner.pubkey);
  await runner.stop();
  const again = await runner.again().start();
  await owner.mention(again.pubkey, 'now prompt', { root: root.id });
  const reply = await owner.reply(runner.pubkey, event => event.content.includes('now prompt'));
  expect(reply.content).toContain('The thread so far, oldest first:');
  expect(reply.content).toContain('remember blue');
  expect(reply.content).toContain('heard: blue');
});
