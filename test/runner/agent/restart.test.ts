// What survives the end of a runner: nothing is lost, nothing is answered twice, nothing is left open.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { signerFrom } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { startRelay } from '../../../relay/relay.ts';
import { markedProcesses } from '../../../runner/agent/process-tree.ts';
import {
  agentOptions,
  cleanup,
  fixture,
  isPrompt,
  makeWorld,
  Runner,
  RunnerProcess,
  startRunner,
} from '../world.ts';

const tag = (event: NostrEvent, name: string) => event.tags.find(([key]) => key === name)?.[1];
const replies = (events: NostrEvent[]) => events.filter(event => event.kind === 9 && !isPrompt(event));

test('F-56 an interrupted run is tried once more on the next start, under the same request', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'wait');
  await runner.status('run', line => line.phase === 'running');
  await runner.stop();
  const interrupted = await runner.ended();
  expect(interrupted.ending).toBe('interrupted');
  const again = await runner.again({ args: [fixture('echo')] }).start();
  expect((await owner.reply(runner.pubkey)).content).toBe('echo: wait');
  expect((await again.ended()).run).toBe(interrupted.run);
  expect(await owner.query({ kinds: [43001], authors: [runner.pubkey] })).toHaveLength(1);
});

test('F-56 a run interrupted twice is settled as that, not run a third time', async () => {
  const world = await makeWorld();
  const { owner } = world;
  let runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'wait');
  for (let time = 0; time < 2; time += 1) {
    await runner.status('run', line => line.phase === 'running');
    await runner.stop();
    runner = await runner.again().start();
  }
  const end = await runner.ended();
  expect([end.ending, end.reason]).toEqual(['failed', 'interrupted twice; ask again if it is still wanted']);
  expect((await owner.hears(43006, runner.pubkey)).content).toContain('interrupted twice');
});

test('I6 a restart answers nothing twice, also with a journal that was lost', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('echo') });
  const mention = await owner.mention(runner.pubkey, 'only once');
  await owner.reply(runner.pubkey);
  await runner.stop();
  const kept = await runner.again().start();
  await kept.status('connection', line => line.state === 'online');
  await kept.stop();
  const { state } = await agentOptions(world, { granted: false });
  const fresh = await runner.again({ state }).start();
  const marker = await owner.mention(runner.pubkey, 'and now');
  await owner.reply(runner.pubkey, event => event.content === 'echo: and now');
  const found = replies(await owner.query({ kinds: [9], authors: [runner.pubkey], '#h': ['general'] }));
  expect(found.map(event => tag(event, 'e')).sort()).toEqual([mention.id, marker.id].sort());
  await fresh.stop();
});

test('I6 a request answered under a journal that was lost is not answered again, one cancelled since is not begun', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('echo') });
  const answered = await owner.request(runner.pubkey, 'done before');
  await owner.hears(43004, runner.pubkey);
  await runner.stop();
  const cancelled = await owner.request(runner.pubkey, 'not any more');
  await owner.publish({
    kind: 43005,
    tags: [
      ['e', cancelled.id],
      ['h', 'general'],
    ],
  });
  const { state } = await agentOptions(world, { granted: false });
  await runner.again({ state }).start();
  const wanted = await owner.request(runner.pubkey, 'wanted');
  await owner.events.until(event => event.kind === 43004 && tag(event, 'e') === wanted.id);
  const accepted = await owner.query({ kinds: [43002], authors: [runner.pubkey] });
  expect(accepted.map(event => tag(event, 'e')).sort()).toEqual([answered.id, wanted.id].sort());
});

test('F-56 kill -9 in the middle of a run: the next start ends what was left, withdraws the question, answers once', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const options = await agentOptions(world, { program: fixture('scripted') });
  const { pubkey } = signerFrom(options.secret);
  const first = new RunnerProcess(options);
  await first.status('program', line => line.state === 'ready');
  await owner.mention(pubkey, 'ask');
  const prompt = await owner.prompt(pubkey);
  await first.kill();
  const second = new RunnerProcess(options);
  const withdrawal = await owner.hears(5, pubkey);
  expect(withdrawal.tags).toContainEqual(['e', prompt.id]);
  const again = await owner.prompt(pubkey, event => event.id !== prompt.id);
  await owner.react(again, '+');
  expect((await owner.reply(pubkey)).content).toBe('yes (allowed)');
  second.child.kill('SIGTERM');
  expect(await second.exit).toEqual({ code: 0, signal: null });
  expect(markedProcesses([`TINY_AGENT=${pubkey}`])).toEqual([]);
  expect(replies(await owner.query({ kinds: [9], authors: [pubkey] }))).toHaveLength(1);
});

test('C5 an answer made while the relay was away is kept, counted, and delivered when it is back', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'wait');
  const running = await runner.status('run', line => line.phase === 'running');
  await runner.status('program', line => line.state === 'ready');
  const port = Number(new URL(world.relay.url).port);
  await world.relay.close();
  await runner.status('connection', line => line.state === 'offline');
  const from = runner.said.all.length;
  runner.order({ order: 'cancel', run: running.run });
  await runner.ended(from);
  await runner.status('outbox', line => line.undelivered > 0, 0).catch(() => undefined);
  const waiting = JSON.parse(readFileSync(runner.options.state, 'utf8')).outbox;
  expect(waiting.map(({ event }: { event: NostrEvent }) => event.kind)).toContain(43005);
  const relay = await startRelay({ data: world.data, port, owner: owner.signer.pubkey });
  cleanup(() => relay.close());
  await runner.status('connection', line => line.state === 'online', from);
  await runner.status('outbox', line => line.undelivered === 0, runner.said.all.length - 1);
  const cancels = await owner.query({ kinds: [43005], authors: [runner.pubkey] });
  expect(cancels.map(event => tag(event, 'e'))).toEqual([running.run]);
});

test('C5 what the relay refuses for good is shown with its reason', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const options = await agentOptions(world, { program: fixture('echo'), granted: false });
  const { pubkey } = signerFrom(options.secret);
  // No kind 9: the job can be told, the message cannot.
  await owner.publish({
    kind: 30392,
    tags: [
      ['d', pubkey],
      ['p', pubkey],
      ['expiration', String(Math.floor(Date.now() / 1000) + 1000)],
      ['room', 'general'],
      ['k', '20001'],
      ['jobs', 'both'],
    ],
  });
  const runner = await new Runner(options).start();
  await owner.mention(pubkey, 'say it');
  const refused = await runner.status('outbox', line => line.refused.length > 0);
  expect(refused.refused[0]).toMatchObject({ kind: 9, reason: expect.stringContaining('kind 9') });
  const line = await runner.status('reply', ({ reason }) => reason !== undefined);
  expect(line.delivered).toBe(false);
  await runner.status(
    'log',
    ({ text }) => text.includes('the grant does not cover') && text.includes('kind 9'),
  );
});

test('I11 work that failed before anything was done may be taken in again after the program is mended', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const options = await agentOptions(world, { command: '/nowhere/agent' });
  const runner = await new Runner(options).start();
  await owner.mention(runner.pubkey, 'try me');
  const error = await owner.hears(43006, runner.pubkey);
  expect(error.content).toContain('"/nowhere/agent" was not found');
  await runner.stop();
  const mended = await runner.again({ command: process.execPath, args: [fixture('echo')] }).start();
  expect((await owner.reply(runner.pubkey)).content).toBe('echo: try me');
  await mended.ended();
  await mended.stop();
  const third = await mended.again().start();
  await third.status('connection', line => line.state === 'online');
  await third.status('queue');
  await third.stop();
  expect(replies(await owner.query({ kinds: [9], authors: [runner.pubkey] }))).toHaveLength(1);
});

test('a mention made while no runner was there is answered by the next one', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const options = await agentOptions(world, { program: fixture('echo') });
  await owner.mention(signerFrom(options.secret).pubkey, 'anybody there');
  const runner = await new Runner(options).start();
  expect((await owner.reply(runner.pubkey)).content).toBe('echo: anybody there');
});

test('a /stop while the runner was away settles the interrupted run instead of trying it again', async () => {
  const world = await makeWorld();
  const { owner } = world;
  const runner = await startRunner(world, { program: fixture('scripted') });
  await owner.mention(runner.pubkey, 'wait');
  await runner.status('run', line => line.phase === 'running');
  await runner.stop();
  await owner.mention(runner.pubkey, '/stop');
  const again = await runner.again({ args: [fixture('echo')] }).start();
  expect((await again.ended()).ending).toBe('cancelled');
  await owner.hears(43005, runner.pubkey);
  expect(replies(await owner.query({ kinds: [9], authors: [runner.pubkey] }))).toEqual([]);
});

test('one live runner a journal: the second is refused by name, a dead one does not block', async () => {
  const world = await makeWorld();
  const options = await agentOptions(world, { program: fixture('echo') });
  const first = new RunnerProcess(options);
  await first.status('ready');
  const second = new RunnerProcess(options);
  expect(await second.exit).toEqual({ code: 1, signal: null });
  expect(second.stderr.join('\n')).toContain(`in use by the runner with pid ${first.child.pid}`);
  await first.kill();
  expect(existsSync(`${options.state}.lock`)).toBe(true);
  const third = new RunnerProcess(options);
  await third.status('ready');
  third.order({ order: 'stop' });
  expect(await third.exit).toEqual({ code: 0, signal: null });
  expect(existsSync(`${options.state}.lock`)).toBe(false);
});
