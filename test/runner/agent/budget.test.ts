// What an agent may use up, and the failures that hold it until a person acts.

import { describe, expect, test } from 'vitest';
import { troubleIn } from '../../../runner/trouble.ts';
import { agentOptions, fixture, makeWorld, Runner, startRunner, type World } from '../world.ts';

const program = fixture('spends');

/** Mentions the agent and waits for the run's ending. */
async function run(world: World, runner: Runner, word: string) {
  const from = runner.said.all.length;
  await world.owner.mention(runner.pubkey, word);
  return runner.ended(from);
}

describe('a budget', () => {
  test('warns near a limit, holds the next run past it, and goes on when a person forgives', async () => {
    const world = await makeWorld();
    const runner = await startRunner(world, { program, budget: { runsPerHour: 5 } });
    for (const word of ['one', 'two', 'three']) await run(world, runner, word);
    expect(runner.said.all.some(({ type }) => type === 'budget')).toBe(false);
    await run(world, runner, 'four');
    expect(await runner.status('budget')).toMatchObject({
      state: 'near',
      reason: 'close to its budget: 4 of 5 runs in an hour',
    });
    await run(world, runner, 'five');
    const spent = await runner.status('budget', line => line.state === 'spent');
    expect(spent.reason).toBe('its budget is used up: 5 of 5 runs in an hour');
    expect(spent.until).toBeGreaterThan(Date.now() + 3_500_000);
    // Nothing is suspended before there is a run to hold.
    expect(runner.said.all.some(({ type }) => type === 'suspended')).toBe(false);
    const from = runner.said.all.length;
    await world.owner.mention(runner.pubkey, 'six');
    expect(await runner.status('suspended')).toMatchObject({ kind: 'budget', reason: spent.reason });
    await runner.status('queue', line => line.waiting.length === 1, from);
    runner.order({ order: 'budget', budget: { runsPerHour: 5 }, forgive: true });
    expect(await runner.ended(from)).toMatchObject({ ending: 'done' });
    expect(runner.said.all.slice(from)).toContainEqual(
      expect.objectContaining({ type: 'budget', state: 'within' }),
    );
  });

  test('B4 is counted across restarts, and raised it lets go what was held', async () => {
    const world = await makeWorld();
    const options = await agentOptions(world, { program, budget: { runsPerDay: 1 } });
    const first = await new Runner(options).start();
    await run(world, first, 'one');
    await first.stop();
    const second = await first.again().start();
    await world.owner.mention(second.pubkey, 'two');
    expect(await second.status('suspended')).toMatchObject({
      kind: 'budget',
      reason: expect.stringContaining('1 of 1 runs in a day'),
    });
    second.order({ order: 'budget', budget: { runsPerDay: 2 } });
    expect(await second.ended()).toMatchObject({ ending: 'done' });
  });

  test('counts what the program reports its sessions have cost, each amount once', async () => {
    const world = await makeWorld();
    const runner = await startRunner(world, { program, budget: { costPerDay: 1 } });
    const mention = await world.owner.mention(runner.pubkey, 'spend');
    await runner.ended();
    const from = runner.said.all.length;
    // The same thread is the same session, whose total goes up.
    await world.owner.mention(runner.pubkey, 'spend', { root: mention.id });
    await runner.ended(from);
    expect(await runner.status('budget', line => line.state === 'spent')).toMatchObject({
      reason: 'its budget is used up: 1.2 of 1 of reported cost in a day',
    });
  });

  test('counts minutes of work', async () => {
    const world = await makeWorld();
    const runner = await startRunner(world, { program, budget: { minutesPerDay: 0.001 } });
    await run(world, runner, 'works');
    expect(await runner.status('budget')).toMatchObject({
      state: 'spent',
      reason: expect.stringContaining('minutes of work'),
    });
  });
});

describe('B4 trouble a person has to mend', () => {
  test.each([
    ['quota', 'quota'],
    ['login', 'authentication'],
  ] as const)(
    '%s: one failed run, then nothing is started until the runner is started anew',
    async (word, kind) => {
      const world = await makeWorld();
      const runner = await startRunner(world, { program });
      expect(await run(world, runner, word)).toMatchObject({ ending: 'failed' });
      expect(await runner.status('suspended')).toMatchObject({ kind });
      const from = runner.said.all.length;
      await world.owner.mention(runner.pubkey, 'hello');
      await runner.status('queue', line => line.waiting.length === 1, from);
      await runner.stop();
      expect(runner.said.all.slice(from).some(({ type }) => type === 'run')).toBe(false);
      const again = await runner.again().start();
      expect(await again.ended()).toMatchObject({ ending: 'done' });
    },
  );

  test('a program without a protocol says it on stderr', async () => {
    const world = await makeWorld();
    const args = ['-e', 'console.error("Error: 401 Unauthorized"); process.exit(1)'];
    const runner = await startRunner(world, { command: process.execPath, args, protocol: 'command' });
    expect(await run(world, runner, 'x')).toMatchObject({ ending: 'failed' });
    expect(await runner.status('suspended')).toMatchObject({
      kind: 'authentication',
      reason: 'the program says: Error: 401 Unauthorized',
    });
  });

  test('an ordinary failure suspends nothing', async () => {
    const world = await makeWorld();
    const runner = await startRunner(world, { program });
    expect(await run(world, runner, 'fails')).toMatchObject({ ending: 'failed' });
    expect(await run(world, runner, 'hello')).toMatchObject({ ending: 'done' });
  });

  test.each([
    ['insufficient_quota', 'quota'],
    ['Claude usage limit reached. Your limit will reset at 3pm', 'quota'],
    ['Your credit balance is too low to access the API', 'quota'],
    ['got status: 429 RESOURCE_EXHAUSTED', 'quota'],
    ["You've hit your usage limit", 'quota'],
    ['API key not valid. Please pass a valid API key.', 'authentication'],
    ['Please set an Auth method in your settings', 'authentication'],
    ['Not logged in · Please run /login', 'authentication'],
    ['OAuth token has expired', 'authentication'],
    ['connect ECONNREFUSED 127.0.0.1:443', null],
    ['429 Too Many Requests', null],
    ['the file key.pem is missing', null],
  ])('%s is %s', (reason, kind) => {
    expect(troubleIn(reason)).toBe(kind);
  });
});
