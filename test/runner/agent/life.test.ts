// The ordinary life of a runner against a real relay: asked, accepted, answered, stopped.

import { expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { fixture, makeWorld, Person, startRunner } from '../world.ts';

const tag = (event: { tags: string[][] }, name: string) => event.tags.find(([key]) => key === name)?.[1];

test('a mention becomes a job with every step, and a reply in its thread', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('echo') });
  const mention = await owner.mention(runner.pubkey, 'hello there');
  const reply = await owner.reply(runner.pubkey);
  expect(reply.content).toBe('echo: hello there');
  expect(reply.tags).toEqual([
    ['h', 'general'],
    ['e', mention.id, '', 'root'],
    ['p', owner.signer.pubkey],
  ]);
  const request = await owner.hears(43001, runner.pubkey);
  expect(tag(request, 'subject')).toBe('hello there');
  expect(request.tags).toContainEqual(['e', mention.id, '', 'root']);
  expect(request.tags).toContainEqual(['e', mention.id, '', 'mention']);
  expect(tag(await owner.hears(43002, runner.pubkey), 'e')).toBe(request.id);
  const result = await owner.hears(43004, runner.pubkey);
  expect([tag(result, 'e'), tag(result, 'p'), tag(result, 'h')]).toEqual([
    request.id,
    runner.pubkey,
    'general',
  ]);
  expect(result.content).toBe('echo: hello there');
  const words = () => owner.events.all.filter(({ kind }) => kind === 20001).map(({ content }) => content);
  await owner.events.until(event => event.kind === 20001 && event.content === 'idle');
  expect(words()).toEqual(['working', 'idle']);
  const end = await runner.ended();
  expect([end.ending, end.run, end.root]).toEqual(['done', request.id, mention.id]);
  const delivered = await runner.status('reply', line => line.delivered);
  expect(delivered.event).toBe(reply.id);
});

test('mentions of one thread that wait together are one batch; another thread is the next', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  const first = await owner.mention(runner.pubkey, 'wait');
  await runner.status('run', line => line.phase === 'running');
  await owner.mention(runner.pubkey, 'more one', { root: first.id });
  await owner.mention(runner.pubkey, 'more prompt', { root: first.id });
  const other = await owner.mention(runner.pubkey, 'elsewhere');
  await runner.status('queue', line => line.waiting.length === 3);
  const run = await owner.hears(43001, runner.pubkey);
  runner.order({ order: 'cancel', run: run.id });
  const batch = await owner.reply(runner.pubkey, event => event.content.includes('more one'));
  expect(batch.content).toContain('more prompt');
  const single = await owner.reply(runner.pubkey, event => event.content === 'heard: elsewhere');
  expect(single.tags).toContainEqual(['e', other.id, '', 'root']);
});

test('a reply to a reply is answered under the original root', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('echo') });
  const root = await owner.publish({ kind: 9, content: 'a thread', tags: [['h', 'general']] });
  const under = await owner.publish({
    kind: 12,
    content: 'under it',
    tags: [
      ['h', 'general'],
      ['e', root.id, '', 'root'],
    ],
  });
  await owner.mention(runner.pubkey, 'and you', { root: under.id });
  const reply = await owner.reply(runner.pubkey);
  expect(reply.tags).toContainEqual(['e', root.id, '', 'root']);
});

test('a job request that names the agent is served on its card', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('echo') });
  const request = await owner.request(runner.pubkey, 'sum it up', [['subject', 'A summary']]);
  const result = await owner.hears(43004, runner.pubkey);
  expect(result.tags).toEqual([
    ['e', request.id],
    ['h', 'general'],
    ['p', owner.signer.pubkey],
  ]);
  expect(result.content).toBe('echo: sum it up');
  expect((await runner.status('reply', line => line.delivered)).event).toBe(result.id);
  const threads = await owner.publish({ kind: 9, content: 'a thread', tags: [['h', 'general']] });
  await owner.request(runner.pubkey, 'in a thread', [['e', threads.id, '', 'root']]);
  const reply = await owner.reply(runner.pubkey);
  expect(reply.tags).toContainEqual(['e', threads.id, '', 'root']);
  expect(owner.events.all.filter(event => event.kind === 43001 && event.pubkey === runner.pubkey)).toEqual(
    [],
  );
});

test('/cancel ends the work of the person who says it, and of nobody else', async () => {
  const world = await makeWorld();
  const { owner, relay } = world;
  const other = new Person(relay.url, signerFrom(generateSecret()));
  await owner
    .publish({
      kind: 9000,
      tags: [
        ['h', 'general'],
        ['p', other.signer.pubkey],
      ],
    })
    .catch(() => undefined);
  relay.context.transact(() =>
    relay.context.store.members.put({
      pubkey: other.signer.pubkey,
      role: 'member',
      name: '',
      note: '',
      invited_by: owner.signer.pubkey,
      via: 'management',
      created_at: 1,
    }),
  );
  await other.join();
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'wait');
  await runner.status('run', line => line.phase === 'running');
  await other.mention(runner.pubkey, 'mine prompt');
  await owner.mention(runner.pubkey, 'dropped');
  await runner.status('queue', line => line.waiting.length === 2);
  await other.mention(runner.pubkey, '/stopping is a word');
  await runner.status('queue', line => line.waiting.length === 3);
  await owner.mention(runner.pubkey, '@tester /cancel please');
  const end = await runner.ended();
  expect(end.ending).toBe('cancelled');
  const cancel = await owner.hears(43005, runner.pubkey);
  expect(tag(cancel, 'e')).toBe(end.run);
  const replies = await owner.reply(runner.pubkey, event => event.content.includes('mine prompt'));
  expect(replies.tags).toContainEqual(['p', other.signer.pubkey]);
  await owner.reply(runner.pubkey, event => event.content.includes('heard: word'));
  expect(owner.events.all.some(event => event.content === 'heard: dropped')).toBe(false);
});

test('/stop by the requester of a job ends it with 43006 Canceled; a 43005 of theirs needs no answer', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.request(runner.pubkey, 'wait');
  await runner.status('run', line => line.phase === 'running');
  await owner.mention(runner.pubkey, '/stop');
  expect((await owner.hears(43006, runner.pubkey)).content).toBe('Canceled');
  const from = runner.said.all.length;
  const second = await owner.request(runner.pubkey, 'again wait');
  await runner.status('run', line => line.phase === 'running', from);
  await owner.publish({
    kind: 43005,
    tags: [
      ['e', second.id],
      ['h', 'general'],
    ],
  });
  expect((await runner.ended(from)).ending).toBe('cancelled');
  const answers = await owner.query({ kinds: [43004, 43005, 43006], '#e': [second.id] });
  expect(answers.map(({ pubkey }) => pubkey)).toEqual([owner.signer.pubkey]);
});

test('steps, plans and thoughts are told to the supervisor, progress to the room, unknown updates to the log', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'steps');
  expect((await owner.reply(runner.pubkey)).content).toBe('stepped');
  const progress = await owner.hears(43003, runner.pubkey);
  expect(progress.content).toBe('Second (2 of 2)');
  const steps = runner.said.all.filter(line => line.type === 'activity');
  expect(steps).toContainEqual(
    expect.objectContaining({ kind: 'think', verb: 'Thought', object: 'Let me see.' }),
  );
  expect(steps).toContainEqual(expect.objectContaining({ kind: 'plan', object: '1 of 2 steps done' }));
  expect(steps).toContainEqual(
    expect.objectContaining({ verb: 'Read', object: 'Read a.txt', outcome: 'done' }),
  );
  const kept = await runner.status('log', line => line.text.includes('from_the_future'));
  expect(kept.text).toContain('"shine":7');
});

test('C1 what cannot be taken is said, and what is taken ends visibly', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted'), timeoutMs: 3_000 });
  await owner.mention(runner.pubkey, 'wait');
  await runner.status('run', line => line.phase === 'running');
  for (let count = 0; count < 32; count += 1) await owner.mention(runner.pubkey, `m${count}`);
  await runner.status('queue', line => line.waiting.length === 32);
  await owner.request(runner.pubkey, 'one too many');
  const refused = await owner.hears(43006, runner.pubkey);
  expect(refused.content).toContain('queue full');
  await runner.status('log', line => line.text.includes('queue full'));
  // The turn that never ends does not swallow what came after it.
  expect((await runner.ended()).ending).toBe('timed-out');
  await owner.reply(runner.pubkey, event => event.content.includes('m31'));
});

test('C2 the hard limit of a run is not moved by new input: cancelled, recorded, told', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted'), timeoutMs: 1_000 });
  await owner.mention(runner.pubkey, 'wait');
  const accepted = await runner.status('run', line => line.phase === 'running');
  await owner.mention(runner.pubkey, 'hurry');
  const end = await runner.ended();
  expect([end.ending, end.deadline]).toEqual(['timed-out', accepted.deadline]);
  expect((await owner.hears(43006, runner.pubkey)).content).toBe('Agent stopped: timed out after 1 s');
});
