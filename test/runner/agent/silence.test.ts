// The silence limit of a run: shown before it strikes, and never for a program that works or waits for a person.

import { expect, test } from 'vitest';
import { fixture, makeWorld, startRunner } from '../world.ts';

const program = fixture('spends');

test('C2 a program that says and does nothing is shown as silent, then stopped', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program, silenceMs: 600 });
  await world.owner.mention(runner.pubkey, 'silent');
  const shown = await runner.status('run', line => line.reason?.startsWith('it has said') === true);
  expect(shown).toMatchObject({
    phase: 'running',
    reason: expect.stringMatching(
      /^it has said and done nothing for 0\.\d s and is stopped in 0(\.\d)? s unless it does$/,
    ),
  });
  expect(await runner.ended()).toMatchObject({
    ending: 'timed-out',
    reason: 'said and did nothing for 0.6 s',
  });
});

test.skipIf(process.platform !== 'linux')(
  'B3 a program that works without a word is left to work',
  async () => {
    const world = await makeWorld();
    const runner = await startRunner(world, { program, silenceMs: 400 });
    await world.owner.mention(runner.pubkey, 'works');
    expect(await runner.ended()).toMatchObject({ ending: 'done' });
  },
);

test('B3 a question that waits for a person is no silence', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('scripted'), silenceMs: 300 });
  await world.owner.mention(runner.pubkey, 'ask');
  const prompt = await world.owner.prompt(runner.pubkey);
  // More than the limit, by the clock the limit itself goes by.
  await new Promise(resolve => setTimeout(resolve, 700));
  await world.owner.react(prompt, '+');
  expect(await runner.ended()).toMatchObject({ ending: 'done' });
});
