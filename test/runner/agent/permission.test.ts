// Permission prompts: who is asked, what is shown, and the endings kept apart.

import { expect, test } from 'vitest';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { parsePermissionPrompt } from '../../../relay/protocol/permission-prompt.ts';
import { fixture, makeWorld, startRunner } from '../world.ts';

const tag = (event: NostrEvent, name: string) => event.tags.find(([key]) => key === name)?.[1];

test('D1 nothing is allowed by itself: the person sees the options as offered and says yes', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  const mention = await owner.mention(runner.pubkey, 'ask');
  const prompt = await owner.prompt(runner.pubkey);
  await runner.status('run', line => line.phase === 'waiting');
  expect(prompt.tags).toContainEqual(['e', mention.id, '', 'root']);
  expect(tag(prompt, 'p')).toBe(owner.signer.pubkey);
  expect(tag(prompt, 'd')).toMatch(/^[0-9a-f-]{36}$/);
  const parsed = parsePermissionPrompt(prompt);
  expect(parsed).toMatchObject({
    title: 'Run ls',
    command: 'ls -l',
    tool: 'execute',
    folder: runner.options.cwd,
  });
  expect(parsed?.answers).toEqual(['Approve: Yes, once', 'Deny: No']);
  await owner.react(prompt, '+');
  expect((await owner.reply(runner.pubkey)).content).toBe('yes (allowed)');
  const line = await runner.status('permission', ({ ending }) => ending !== undefined);
  expect([line.ending, line.by]).toEqual(['allowed', owner.signer.pubkey]);
});

test('D6 only + allows: an emoji or an empty reaction decides nothing, - refuses', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'ask');
  const prompt = await owner.prompt(runner.pubkey);
  for (const content of ['', '👍', 'yes', '+1']) await owner.react(prompt, content);
  await owner.react(prompt, ' - ');
  expect((await owner.reply(runner.pubkey)).content).toBe('no (denied)');
});

test('D5 an action too long to show whole is refused to the program, never half shown', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'ask-long');
  const reply = await owner.reply(runner.pubkey);
  expect(reply.content).toMatch(/^error: Permission not asked: the action is too long to show whole/);
  expect(owner.events.all.some(event => tag(event, 'request') !== undefined)).toBe(false);
});

test('D7 two questions at once stand side by side and are answered one by one', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'ask-two');
  const two = await owner.prompt(runner.pubkey, event => tag(event, 'subject') === 'Run two');
  const one = await owner.prompt(runner.pubkey, event => tag(event, 'subject') === 'Run one');
  await owner.react(two, '+');
  await owner.react(one, '-');
  expect((await owner.reply(runner.pubkey)).content).toBe('one no (denied), two yes (allowed)');
});

test('D7 the same call asked again joins the question that is open', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'ask-twice-same');
  await owner.react(await owner.prompt(runner.pubkey), '+');
  expect((await owner.reply(runner.pubkey)).content).toBe('yes (allowed), yes (allowed)');
  expect(owner.events.all.filter(event => tag(event, 'request') === 'approve')).toHaveLength(1);
});

test('D7 the same call id with another action is a question of its own', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'ask-twice-changed');
  const harmless = await owner.prompt(runner.pubkey, event => event.content.includes('\nls\n'));
  await owner.react(harmless, '+');
  const harmful = await owner.prompt(runner.pubkey, event => event.content.includes('rm -rf'));
  await owner.react(harmful, '-');
  expect((await owner.reply(runner.pubkey)).content).toBe('first yes (allowed), second no (denied)');
});

test('D18 expired, denied and not asked are told apart, to the program and in the log', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted'), promptMs: 900 });
  await owner.mention(runner.pubkey, 'ask');
  expect((await owner.reply(runner.pubkey)).content).toBe('cancelled (expired)');
  await runner.status('permission', line => line.ending === 'expired');
  await runner.status('log', line => line.text.includes('expired: nobody answered in time'));
  await owner.mention(runner.pubkey, 'ask-always-only');
  const reply = await owner.reply(runner.pubkey, event => event.content.startsWith('no'));
  expect(reply.content).toBe('no (refused)');
  await runner.status('log', line => line.text.includes('nothing that allows it once only'));
});

test('D17 a run whose approval was not given is failed, never done, and what it said is kept', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted'), promptMs: 900 });
  await owner.mention(runner.pubkey, 'ask');
  const end = await runner.ended();
  expect(end.ending).toBe('failed');
  const error = await owner.hears(43006, runner.pubkey);
  expect(error.content).toBe('Agent stopped: an approval it needed was not given: "Run ls" expired');
  expect((await owner.reply(runner.pubkey)).content).toBe('cancelled (expired)');
  expect(await owner.query({ kinds: [43004] })).toEqual([]);
});

test('an open prompt is withdrawn when its run ends, and a late yes changes nothing', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'ask');
  const prompt = await owner.prompt(runner.pubkey);
  await owner.mention(runner.pubkey, '/stop');
  expect((await runner.ended()).ending).toBe('cancelled');
  const withdrawal = await owner.hears(5, runner.pubkey);
  expect(withdrawal.tags).toContainEqual(['e', prompt.id]);
  await runner.status('permission', line => line.ending === 'withdrawn');
  expect(await owner.query({ ids: [prompt.id] })).toEqual([]);
});

test('I15 after Stop nothing more is asked and a late approval starts nothing', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const { folder } = await import('../world.ts');
  const told = `${folder()}/told.txt`;
  const runner = await startRunner(world, { program: fixture('asks-after-cancel'), programArgs: [told] });
  await owner.mention(runner.pubkey, 'go');
  await runner.status('run', line => line.phase === 'running');
  await runner.status('program', line => line.state === 'ready');
  await owner.hears(20001, runner.pubkey);
  await owner.mention(runner.pubkey, '/stop');
  expect((await runner.ended()).ending).toBe('cancelled');
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(told, 'utf8')).toBe('cancelled (withdrawn)\n');
  expect(owner.events.all.some(event => tag(event, 'request') !== undefined)).toBe(false);
});

test('D16 D17 told to stop the job at an unanswered prompt, it ends failed and names the question', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const setup = { program: fixture('scripted'), promptMs: 900, onExpiry: 'stop' as const };
  const runner = await startRunner(world, setup);
  await owner.mention(runner.pubkey, 'ask');
  await runner.status('permission', line => line.ending === 'expired');
  const end = await runner.ended();
  expect(end).toMatchObject({
    ending: 'failed',
    reason: expect.stringContaining('nobody answered "Run ls"'),
  });
  expect((await owner.hears(43006, runner.pubkey)).content).toContain('nobody answered "Run ls" in time');
});

test('D16 limits changed while the runner lives hold for the next question, which names its job', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  runner.order({ order: 'limits', timeoutMs: 60_000, promptMs: 900, onExpiry: 'stop' });
  await owner.mention(runner.pubkey, 'ask');
  const prompt = await owner.prompt(runner.pubkey);
  const end = await runner.ended();
  expect(end.ending).toBe('failed');
  expect(tag(prompt, 'job')).toBe(end.run);
});
