// Queries over HTTP share the thread with everybody else (case F-17), and their answers have a largest size (F-12).

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SqliteStore } from '../../../relay/store/store.ts';
import { signOwn } from '../../../relay/verify/verified-event.ts';
import { WireClient } from '../socket/wire-client.ts';
import { Edge } from './edge.ts';

let edge: Edge;
let client: WireClient;
beforeAll(async () => {
  edge = await Edge.start();
  client = await WireClient.open(edge.relay.url, edge.owner);
  const store = edge.relay.context.store as SqliteStore;
  store.transact(() => {
    for (let index = 0; index < 20_000; index += 1) {
      store.events.save(
        signOwn(edge.owner, { kind: 1, created_at: 1000 + index, tags: [], content: `${index}` }),
      );
    }
  });
});
afterAll(async () => {
  client.close();
  await edge.close();
});

test('F-17 while /count and /query walk through everything a quick REQ is answered first', async () => {
  const order: string[] = [];
  const hidden = { kinds: [1], since: 0, until: 50_000 };
  const slow = Promise.all([
    edge.post(edge.owner, '/count', [{}, hidden, { authors: [edge.owner.pubkey] }]),
    edge.post(edge.owner, '/query', [{ authors: ['b'.repeat(64)] }, { '#t': ['nothing'] }, {}]),
    edge.post(edge.owner, '/count', [{}, hidden]),
  ]).then(answers => {
    order.push('slow');
    return answers;
  });
  // Only once the walk is under way is there something to be quicker than.
  await new Promise(resolve => setImmediate(resolve));
  await client.ask({ kinds: [0], limit: 1 });
  order.push('quick');
  const [count, query] = await slow;
  expect(order).toEqual(['quick', 'slow']);
  const total = (count?.json as { count: number } | undefined)?.count;
  expect(total).toBeGreaterThanOrEqual(20_000);
  expect(query?.json).toHaveLength(500);
});

test('F-12 an answer that would be too large is refused, not built', async () => {
  const store = edge.relay.context.store as SqliteStore;
  const content = 'x'.repeat(200_000);
  store.transact(() => {
    for (let index = 0; index < 200; index += 1) {
      store.events.save(
        signOwn(edge.owner, { kind: 30_023, created_at: 1000, tags: [['d', `${index}`]], content }),
      );
    }
  });
  const whole = await edge.post(edge.owner, '/query', [{ kinds: [30_023] }]);
  expect(whole).toMatchObject({
    status: 400,
    json: { error: expect.stringMatching(/^invalid: the answer would be/) },
  });
  const part = await edge.post(edge.owner, '/query', [{ kinds: [30_023], limit: 10 }]);
  expect(part.json).toHaveLength(10);
  expect((await edge.post(edge.owner, '/count', [{ kinds: [30_023] }])).json).toEqual({ count: 200 });
});
