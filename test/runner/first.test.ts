import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { fixture, makeWorld, startRunner } from './world.ts';

test('a mention is taken, worked on and answered', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('echo') });
  await runner.status('program', line => line.state === 'ready');
  await world.owner.mention(runner.pubkey, 'hello there');
  const reply = await world.owner.reply(runner.pubkey);
  expect(reply.content).toBe('echo: hello there');
});

test('the demo agent', async () => {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: resolve('runner/demo/demo-agent.ts') });
  await world.owner.mention(runner.pubkey, '@demo write hello.md: hi');
  const prompt = await world.owner.prompt(runner.pubkey);
  console.log(prompt);
  await world.owner.react(prompt, '+');
  const reply = await world.owner.reply(runner.pubkey);
  console.log(reply.content);
  expect(readFileSync(join(runner.options.cwd, 'hello.md'), 'utf8')).toBe('hi\n');
  console.log(runner.said.all.map(l => JSON.stringify(l)).join('\n'));
});
