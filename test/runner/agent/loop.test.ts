// Two agents that mention each other answer each other for ever, unless somebody counts.

import { expect, test } from 'vitest';
import { signerFrom } from '../../../relay/client/signer.ts';
import { fixture, makeWorld, Person, type Runner, seconds, startRunner } from '../world.ts';

const setup = { program: fixture('scripted'), exchanges: 2, times: { recheck: 50 } };

/** Says something with the key of an agent, as its program could over the bridge. */
async function speakAs(runner: Runner, to: string, content: string): Promise<void> {
  const voice = new Person(runner.options.relay, signerFrom(runner.secret));
  voice.connection.connect();
  await voice.mention(to, content);
}

test('two agents that answer each other are held after so many exchanges, until a person speaks', async () => {
  const world = await makeWorld();
  const one = await startRunner(world, setup);
  const other = await startRunner(world, setup);
  // Each reply names whom it answers: without a limit this would not end.
  // The program answers with its whole prompt, so that no two answers are the same event.
  await speakAs(one, other.pubkey, 'prompt');
  const held = (runner: Runner) => runner.status('loop', line => line.held).then(() => runner);
  const stopped = await Promise.race([held(one), held(other)]);
  const [line] = stopped.said.all.filter(({ type }) => type === 'loop');
  expect(line).toMatchObject({
    room: 'general',
    exchanges: 2,
    reason: expect.stringContaining('without a person'),
  });
  const replies = await world.owner.query({ kinds: [9], authors: [one.pubkey, other.pubkey] });
  expect(replies.length).toBeLessThanOrEqual(6);
  // What is held is shown as waiting.
  const queues = stopped.said.all.filter(each => each.type === 'queue');
  expect(queues.at(-1)?.waiting).toHaveLength(1);
  const from = stopped.said.all.length;
  await world.owner.publish({
    kind: 9,
    content: 'go on',
    tags: [['h', 'general']],
    created_at: seconds() + 2,
  });
  await stopped.status('loop', each => !each.held, from);
  expect(await stopped.ended(from)).toMatchObject({ ending: 'done' });
});

test('a person overtakes what agents are held for, and what was counted outlives a restart', async () => {
  const world = await makeWorld();
  const one = await startRunner(world, { ...setup, exchanges: 1, times: { recheck: 60_000 } });
  const speaker = await startRunner(world, { ...setup, rooms: ['other'] });
  await speakAs(speaker, one.pubkey, 'first');
  await one.ended();
  await one.stop();
  const again = await one.again().start();
  await speakAs(speaker, again.pubkey, 'second');
  await again.status('loop', line => line.held);
  const from = again.said.all.length;
  const mention = await world.owner.mention(again.pubkey, 'mine');
  const mine = await again.status('run', line => line.phase === 'accepted' && line.root === mention.id, from);
  expect(mine).toMatchObject({ room: 'general' });
  await again.status('loop', line => !line.held, from);
});
