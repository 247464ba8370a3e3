// Kill -9 of the runner at random moments of a run: no request lost, none answered twice, no process left. The seed
// is printed; TINY_SEED and TINY_ROUNDS choose another seed and more rounds.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { signerFrom } from '../../../relay/client/signer.ts';
import { markedProcesses } from '../../../runner/agent/process-tree.ts';
import { agentOptions, fixture, isPrompt, makeWorld, RunnerProcess } from '../world.ts';

const seed = Number(process.env.TINY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const rounds = Number(process.env.TINY_ROUNDS ?? 6);

/** Mulberry32: small and good enough to pick moments. */
function random(state: number) {
  let a = state;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

test(`I6 F-50 F-56 kill -9 at random moments, ${rounds} rounds, seed ${seed}`, async () => {
  const world = await makeWorld();
  const { owner } = world;
  const options = await agentOptions(world, { program: fixture('scripted') });
  const { pubkey } = signerFrom(options.secret);
  const next = random(seed);
  owner.connection.subscribe(
    'approve',
    () => [{ kinds: [9], authors: [pubkey], '#h': ['general'], limit: 0 }],
    {
      event: event => {
        // A prompt withdrawn in the meantime refuses nothing but this reaction.
        if (isPrompt(event)) void owner.react(event, '+').catch(() => undefined);
      },
    },
  );
  const mentions: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const victim = new RunnerProcess(options);
    await victim.status('program', line => line.state === 'ready');
    const mention = await owner.mention(pubkey, `round ${round} ask`);
    mentions.push(mention.id);
    await pause(next() * 120);
    await victim.kill();
    const survivor = new RunnerProcess(options);
    await survivor.status('ready');
    await owner.reply(pubkey, event =>
      event.tags.some(([name, value]) => name === 'e' && value === mention.id),
    );
    survivor.child.kill('SIGTERM');
    expect(await survivor.exit).toEqual({ code: 0, signal: null });
    expect(markedProcesses([`TINY_AGENT=${pubkey}`])).toEqual([]);
  }
  const said = await owner.query({ kinds: [9], authors: [pubkey], limit: 500 });
  const roots = said
    .filter(event => !isPrompt(event))
    .map(event => event.tags.find(([name]) => name === 'e')?.[1]);
  expect(roots.sort()).toEqual(mentions.sort());
  const requests = await owner.query({ kinds: [43001], authors: [pubkey] });
  const results = await owner.query({ kinds: [43004], authors: [pubkey] });
  expect(results).toHaveLength(mentions.length);
  expect(requests.length).toBeGreaterThanOrEqual(mentions.length);
  // Whatever was asked and not answered was taken back.
  const open = said.filter(isPrompt).map(({ id }) => id);
  const answered = (await owner.query({ kinds: [7], authors: [owner.signer.pubkey] })).map(
    ({ tags }) => tags.find(([name]) => name === 'e')?.[1],
  );
  for (const prompt of open) expect(answered).toContain(prompt);
}, 120_000);
