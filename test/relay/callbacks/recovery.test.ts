import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { answers, Receiver, startReceiver } from './receiver.ts';
import { folder, openRelay, register, shown, signed, until } from './relay-with-callbacks.ts';

const idOf = (body: string): string => JSON.parse(body).id;

test('F-46 a POST broken off by the end of the relay is made after the next start', async () => {
  const receiver = await startReceiver();
  const data = folder();
  const relay = openRelay({ data });
  register(relay, relay.owner, { url: receiver.url(), filter: { kinds: [1, 20_001] } });
  receiver.answering = () => {};
  const events = [signed(relay.owner), signed(relay.owner, 20_001), signed(relay.owner)];
  for (const event of events) relay.publish(event);
  await receiver.until(1);
  await relay.close();
  receiver.answering = answers(200);
  const next = openRelay({ data, owner: relay.owner });
  next.callbacks.start();
  await receiver.until(4);
  await next.close();
  expect(receiver.received.map(({ body }) => idOf(body))).toEqual([
    events[0]!.id,
    ...events.map(event => event.id),
  ]);
  expect(receiver.received[1]!.headers['x-tiny-attempt']).toBe('1');
});

test('F-46 kill -9 between the commit and the POST loses nothing', async () => {
  const receiver = await startReceiver();
  const data = folder();
  const program = join(import.meta.dirname, 'dies-before-posting.ts');
  const child = spawn(process.execPath, [program, data, receiver.url()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  expect(receiver.connections).toBe(0);
  const { owner, ids } = JSON.parse(output) as { owner: string; ids: string[] };
  const relay = openRelay({ data, owner: { ...signerFrom(generateSecret()), pubkey: owner } });
  relay.callbacks.start();
  await receiver.until(ids.length);
  await relay.close();
  expect(receiver.received.map(({ body }) => idOf(body))).toEqual(ids);
});

test('F-46 retries that are owed survive a restart with their count', async () => {
  const receiver = new Receiver(true);
  await receiver.listen();
  await receiver.close();
  const data = folder();
  const relay = openRelay({ data, retryDelays: [3_600_000, 3_600_000] });
  const { id } = register(relay, relay.owner, { url: receiver.url(), filter: { kinds: [1] } });
  const event = signed(relay.owner);
  relay.publish(event);
  await until(() => shown(relay, relay.owner, id).failures === 1);
  expect(shown(relay, relay.owner, id).lastStatus).toBe('connection refused');
  await relay.close();
  await receiver.listen();
  // A start waits no longer than a retry of its own would.
  const next = openRelay({ data, owner: relay.owner, retryDelays: [10, 10] });
  next.callbacks.start();
  await receiver.until(1);
  expect(receiver.received[0]!.headers['x-tiny-attempt']).toBe('2');
  await next.close();
  await receiver.close();
});

test.each([-86_400_000, 86_400_000])('F-46 a clock that jumps by %i ms moves no retry', async jump => {
  const receiver = await startReceiver();
  let shift = 0;
  const relay = openRelay({ now: () => Date.now() + shift, retryDelays: [30, 30] });
  register(relay, relay.owner, { url: receiver.url(), filter: { kinds: [1] } });
  receiver.answering = response => {
    shift = jump;
    response.writeHead(500).end();
  };
  relay.publish(signed(relay.owner));
  await receiver.until(3);
  await relay.close();
  expect(receiver.received.map(({ headers }) => headers['x-tiny-attempt'])).toEqual(['1', '2', '3']);
});

test('an event is taken though its planning fails, and is planned later for who was there before it', async () => {
  const receiver = await startReceiver();
  let broken = true;
  const asked: NostrEvent[] = [];
  const canRead = (_reader: unknown, event: NostrEvent) => {
    asked.push(event);
    if (broken) throw new Error('out of order');
    return true;
  };
  const relay = openRelay({ visibility: { canRead }, planDelays: [5, 5, 5] });
  register(relay, relay.owner, { url: receiver.url('/before'), filter: { kinds: [1] } });
  await until(() => relay.now() > 0);
  const event = signed(relay.owner);
  await new Promise(resolve => setTimeout(resolve, 2));
  relay.publish(event);
  expect(relay.store.events.get(event.id)).toEqual(event);
  register(relay, relay.owner, { url: receiver.url('/after'), filter: { kinds: [1] } });
  broken = false;
  await receiver.until(1);
  await relay.close();
  expect(receiver.received.map(({ path, body }) => [path, idOf(body)])).toEqual([['/before', event.id]]);
});

test('planning is given up after three attempts in the background', async () => {
  const receiver = await startReceiver();
  let asked = 0;
  const canRead = () => {
    asked += 1;
    throw new Error('out of order');
  };
  const told: object[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => told.push(fields) };
  const relay = openRelay({ visibility: { canRead }, planDelays: [1, 1, 1], log });
  register(relay, relay.owner, { url: receiver.url(), filter: { kinds: [1] } });
  await new Promise(resolve => setTimeout(resolve, 2));
  relay.publish(signed(relay.owner));
  await until(() => told.length === 1);
  expect(told[0]).toMatchObject({ attempts: 3 });
  expect(asked).toBe(4);
});

test('F-46 a secret sealed under another key pauses the callback instead of signing wrongly', async () => {
  const receiver = await startReceiver();
  const data = folder();
  const relay = openRelay({ data });
  const { id } = register(relay, relay.owner, { url: receiver.url(), filter: { kinds: [1] } });
  await relay.close();
  const next = openRelay({ data, owner: relay.owner, sealKey: new Uint8Array(32).fill(9) });
  next.publish(signed(next.owner));
  await until(() => shown(next, next.owner, id).paused);
  expect(shown(next, next.owner, id).lastStatus).toMatch(/secret cannot be opened/);
  expect(receiver.connections).toBe(0);
});
