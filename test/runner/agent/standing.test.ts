// Permissions given beforehand: what they cover, what they do not, and that every use is on record.

import { expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { allowedBeforehand, type PermissionRule } from '../../../relay/protocol/permission-rule.ts';
import { fixture, makeWorld, Person, type Runner, startRunner, type World } from '../world.ts';

const rule = (world: World, more: Partial<PermissionRule> = {}): PermissionRule => ({
  id: 'rule-1',
  by: world.owner.signer.pubkey,
  tool: 'execute',
  createdAt: Date.now(),
  ...more,
});
const allow = (runner: Runner, ...rules: PermissionRule[]) =>
  runner.order({ order: 'permissions', standing: { rules, bypass: null } });

async function started() {
  const world = await makeWorld();
  const runner = await startRunner(world, { program: fixture('scripted') });
  return { world, owner: world.owner, runner };
}

test('a remembered permission answers at once, the question is still published and names it', async () => {
  const { world, owner, runner } = await started();
  allow(runner, rule(world));
  await owner.mention(runner.pubkey, 'ask');
  const prompt = await owner.prompt(runner.pubkey);
  expect(prompt.tags).toContainEqual(['rule', 'rule-1']);
  expect((await owner.reply(runner.pubkey)).content).toBe('yes (allowed)');
  const line = await runner.status('permission');
  expect(line).toMatchObject({
    request: prompt.id,
    ending: 'allowed',
    rule: 'rule-1',
    by: owner.signer.pubkey,
  });
  expect((await runner.ended()).ending).toBe('done');
  expect(runner.said.all.some(said => said.type === 'run' && said.phase === 'waiting')).toBe(false);
});

test('it covers no other kind of tool, and never one that says nothing of itself', async () => {
  const { world, owner, runner } = await started();
  allow(runner, rule(world), rule(world, { id: 'rule-2', tool: 'other' }));
  for (const [word, title] of [
    ['ask-edit', 'Write a.txt'],
    ['ask-other', 'Do something'],
  ] as const) {
    const from = runner.said.all.length;
    await owner.mention(runner.pubkey, word);
    const prompt = await owner.prompt(runner.pubkey, event => event.content.includes(title));
    expect(prompt.tags.some(([name]) => name === 'rule')).toBe(false);
    await owner.react(prompt, '-');
    await runner.ended(from);
  }
});

test('revoked between two questions it is asked again', async () => {
  const { world, owner, runner } = await started();
  allow(runner, rule(world));
  await owner.mention(runner.pubkey, 'ask');
  await runner.ended();
  allow(runner);
  await owner.mention(runner.pubkey, 'once more\nask');
  const prompt = await owner.prompt(runner.pubkey, event => !event.tags.some(([name]) => name === 'rule'));
  await owner.react(prompt, '-');
  expect((await owner.reply(runner.pubkey, event => event.content.startsWith('no'))).content).toBe(
    'no (denied)',
  );
});

test('for one job it holds for that job alone', async () => {
  const { world, owner, runner } = await started();
  await owner.mention(runner.pubkey, 'ask-in-turn');
  const first = await owner.prompt(runner.pubkey);
  const job = first.tags.find(([name]) => name === 'job')?.[1] ?? '';
  allow(runner, rule(world, { job }));
  await owner.react(first, '+');
  expect((await owner.reply(runner.pubkey)).content).toBe('yes (allowed), yes (allowed), yes (allowed)');
  await runner.ended();
  await owner.mention(runner.pubkey, 'ask');
  const later = await owner.prompt(
    runner.pubkey,
    event => event.tags.every(tag => tag[1] !== job) && event.id !== first.id,
  );
  expect(later.tags.some(([name]) => name === 'rule')).toBe(false);
});

test("somebody else's work asks that somebody, whatever the owner remembers or lets pass", async () => {
  const { world, runner } = await started();
  const bypass = { by: world.owner.signer.pubkey, since: Date.now(), until: Date.now() + 60_000 };
  runner.order({ order: 'permissions', standing: { rules: [rule(world)], bypass } });
  const other = new Person(world.relay.url, signerFrom(generateSecret()));
  const member = { role: 'member' as const, name: '', note: '', via: 'management' as const, created_at: 1 };
  const { context } = world.relay;
  context.transact(() =>
    context.store.members.put({ ...member, pubkey: other.signer.pubkey, invited_by: bypass.by }),
  );
  await other.join();
  await other.mention(runner.pubkey, 'ask');
  const prompt = await other.prompt(runner.pubkey);
  expect(prompt.tags).toContainEqual(['p', other.signer.pubkey]);
  expect(prompt.tags.some(([name]) => name === 'rule')).toBe(false);
});

test('a bypass allows every kind of tool until its time is over', async () => {
  const { owner, runner } = await started();
  const by = owner.signer.pubkey;
  const standing = { rules: [], bypass: { by, since: Date.now(), until: Date.now() + 60_000 } };
  runner.order({ order: 'permissions', standing });
  await owner.mention(runner.pubkey, 'ask-other');
  expect((await owner.reply(runner.pubkey)).content).toBe('yes (allowed)');
  expect(await runner.status('permission')).toMatchObject({ ending: 'allowed', rule: 'bypass' });
  const question = { asked: by, job: 'x', tool: 'edit' };
  expect(allowedBeforehand(standing, { ...question, now: standing.bypass.until - 1 })).toBe('bypass');
  expect(allowedBeforehand(standing, { ...question, now: standing.bypass.until })).toBe(null);
});
