import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../../relay/limits.ts';
import { Edge } from '../http/edge.ts';
import { WireClient } from './wire-client.ts';

let edge: Edge;
let writer: WireClient;

beforeAll(async () => {
  edge = await Edge.start({ reads: 'open', writes: 'open' });
  writer = await WireClient.open(edge.relay.url);
});
afterAll(async () => {
  writer.close();
  await edge.close();
});

function large(topic: string, index: number) {
  return edge.sign(edge.owner, { kind: 1, tags: [['t', topic]], content: `${index} `.padEnd(64_000, 'x') });
}

test('F-15 B-31 a subscriber that stops reading is cut off, the healthy one gets everything', async () => {
  const [healthy, stalled] = await Promise.all([
    WireClient.open(edge.relay.url),
    WireClient.open(edge.relay.url),
  ]);
  for (const reader of [healthy, stalled]) await reader.ask({ '#t': ['flow'] }, { id: 'flow', stay: true });
  const connections = edge.relay.context.live.size().connections;
  stalled.ws.pause();
  for (let index = 0; index < 192; index += 1) await writer.publish(large('flow', index));
  await healthy.settled();
  expect(healthy.received('flow')).toHaveLength(192);
  await expect.poll(() => edge.relay.context.live.size().connections).toBe(connections - 1);
  stalled.ws.resume();
  await once(stalled.ws, 'close');
  // What reached it is what the system's own buffers took, and no more than the cap beside.
  expect(stalled.received('flow').length).toBeLessThan(192);
  healthy.close();
});

test('F-15 history waits for the client that reads it', async () => {
  for (let index = 0; index < 192; index += 1) await writer.publish(large('history', index));
  const reader = await WireClient.open(edge.relay.url);
  reader.ws.pause();
  reader.send(['REQ', 'history', { '#t': ['history'], limit: LIMITS.filterLimit }]);
  // The relay serves others meanwhile and holds no more for this one than it would for any.
  for (let round = 0; round < 5; round += 1) {
    await writer.settled();
    await pause(10);
  }
  reader.ws.resume();
  await reader.frame(frame => frame[0] === 'EOSE' && frame[1] === 'history');
  expect(reader.received('history')).toHaveLength(192);
  reader.close();
});
