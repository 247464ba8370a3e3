// A grant that does not hold: the runner is told, stops, waits, and goes on when it holds again.

import { expect, test } from 'vitest';
import { RelayRpc } from '../../../relay/client/rpc.ts';
import { fixture, makeWorld, startRunner } from '../world.ts';

test('a paused grant interrupts the run; resumed, the same work goes on', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const rpc = new RelayRpc({ url: world.relay.url, signer: owner.signer });
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'wait');
  const running = await runner.status('run', line => line.phase === 'running');
  await rpc.call('pauseagent', [runner.pubkey]);
  runner.order({ order: 'pause', reason: 'paused by the owner' });
  const told = await runner.status('grant', line => line.state === 'paused');
  expect(told.reason).toBe('paused by the owner');
  expect((await runner.ended()).ending).toBe('interrupted');
  await owner.mention(runner.pubkey, 'while paused', { room: 'other' });
  await runner.status('queue', line => line.waiting.length === 1);
  await rpc.call('resumeagent', [runner.pubkey]);
  const from = runner.said.all.length;
  runner.order({ order: 'resume' });
  await runner.status('grant', line => line.state === 'active', from);
  const again = await runner.status('run', line => line.phase === 'running' && line.room === 'general', from);
  expect(again.run).toBe(running.run);
  await owner.reply(runner.pubkey, event => event.content === 'heard: paused');
});

test('F-22 a revoked grant stops the run at once and is told with the reason of the relay', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const rpc = new RelayRpc({ url: world.relay.url, signer: owner.signer });
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'wait');
  await runner.status('run', line => line.phase === 'running');
  await rpc.call('revokeagent', [runner.pubkey]);
  const told = await runner.status('grant', line => line.state !== 'active');
  expect(['none', 'revoked']).toContain(told.state);
  expect((await runner.ended()).ending).toBe('interrupted');
});
