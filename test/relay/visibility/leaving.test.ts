// Who is shut out hears nothing more, whatever is open (case F-22).

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import { Edge } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';

let edge: Edge;
let witness: WireClient;
const clients: WireClient[] = [];
beforeAll(async () => {
  edge = await Edge.start();
  await edge.room('general');
  witness = await open(edge.owner);
  await witness.ask({ kinds: [9] }, { id: 'all', stay: true });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await edge.close();
});

async function open(...signers: Signer[]): Promise<WireClient> {
  const client = await WireClient.open(edge.relay.url, signers);
  clients.push(client);
  return client;
}

const say = (content: string) => edge.publish(edge.owner, { kind: 9, content, tags: [['h', 'general']] });

const SHUT_OUT: [string, (key: Signer) => Promise<unknown>][] = [
  ['removed', key => edge.call(edge.owner, 'removemember', key.pubkey)],
  ['removed with those it brought', key => edge.call(edge.owner, 'removesubtree', key.pubkey)],
  ['banned', key => edge.call(edge.owner, 'banpubkey', key.pubkey)],
];

test.each(SHUT_OUT)('F-22 a person %s: subscriptions end at once and nothing follows', async (_, shutOut) => {
  const key = await edge.member();
  const client = await open(key);
  await client.ask({ kinds: [9] }, { id: 'room', stay: true });
  await client.ask({ kinds: [0] }, { id: 'people', stay: true });
  const [first, second] = ['room', 'people'].map(id =>
    client.next(frame => frame[0] === 'CLOSED' && frame[1] === id),
  );
  await shutOut(key);
  expect((await first)?.[2]).toMatch(/^blocked:/);
  expect((await second)?.[2]).toMatch(/^blocked:/);
  const heard = witness.next(frame => frame[0] === 'EVENT' && frame[1] === 'all');
  await witness.ask({ kinds: [9] }, { id: 'all', stay: true });
  const message = await say('after');
  expect((await heard)[2]).toMatchObject({ content: 'after' });
  expect((await client.ask({ ids: [message.id] })).closed).toMatch(/^restricted:/);
  expect(client.received('room')).not.toContainEqual(message);
});

test('F-22 an agent revoked: subscriptions end, and the room too', async () => {
  const agent = await edge.agent([
    ['room', 'general'],
    ['k', '9'],
  ]);
  const client = await open(agent);
  await client.ask({ '#h': ['general'] }, { id: 'room', stay: true });
  const closed = client.next(frame => frame[0] === 'CLOSED' && frame[1] === 'room');
  await edge.call(edge.owner, 'revokeagent', agent.pubkey);
  expect((await closed)[2]).toMatch(/^blocked:/);
  expect((await client.ask({ '#h': ['general'] })).closed).toMatch(/^restricted:/);
});

test('F-22 with two keys on a connection the other one still reads', async () => {
  const [gone, here] = [await edge.member(), await edge.member()];
  const client = await open(gone, here);
  await client.ask({ kinds: [9] }, { id: 'room', stay: true });
  const closed = client.next(frame => frame[0] === 'CLOSED' && frame[1] === 'room');
  await edge.call(edge.owner, 'removemember', gone.pubkey);
  await closed;
  const message = await say('still here');
  expect((await client.ask({ ids: [message.id] })).events).toEqual([message]);
});

test('F-22 an address that is blocked: its connections end, and it has no say over HTTP', async () => {
  const own = await Edge.start();
  await own.room('general');
  const client = await WireClient.open(own.relay.url, own.owner);
  const closed = client.closed();
  await own.call(own.owner, 'blockip', '127.0.0.1', 'test');
  expect(await closed).toBe(1008);
  const event = own.sign(own.owner, { kind: 9, content: 'x', tags: [['h', 'general']] });
  expect((await own.post(own.owner, '/events', event)).status).toBe(403);
  expect((await own.post(own.owner, '/query', [{}])).json).toEqual({
    error: 'blocked: this address is blocked',
  });
  await own.call(own.owner, 'unblockip', '127.0.0.1');
  expect((await own.post(own.owner, '/events', event)).status).toBe(200);
  await own.close();
});
