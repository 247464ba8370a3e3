import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../../relay/limits.ts';
import { Edge } from '../http/edge.ts';
import { WireClient } from './wire-client.ts';

let edge: Edge;

beforeAll(async () => {
  edge = await Edge.start({ reads: 'open', writes: 'open' });
});
afterAll(() => edge.close());

test('a client gone wild is told so, and the others are served', async () => {
  const [wild, calm] = await Promise.all([WireClient.open(edge.relay.url), WireClient.open(edge.relay.url)]);
  const limited = wild.next(frame => frame[0] === 'CLOSED');
  // Far more in one breath than the burst and what is added meanwhile.
  for (let index = 0; index < LIMITS.rates.queries.burst * 3; index += 1)
    wild.send(['REQ', 'x', { limit: 0 }]);
  expect((await limited)[2]).toBe('rate-limited: too many queries');
  await calm.settled();
  wild.close();
  calm.close();
});

test('proofs without end are refused, and so are frames that say nothing', async () => {
  const client = await WireClient.open(edge.relay.url);
  const proof = edge.sign(edge.owner, { kind: 22_242 });
  const limited = client.next(frame => frame[0] === 'OK' && String(frame[3]).startsWith('rate-limited:'));
  for (let index = 0; index <= LIMITS.rates.proofs.burst * 2; index += 1) client.send(['AUTH', proof]);
  expect((await limited)[2]).toBe(false);
  const code = client.closed();
  for (let index = 0; index <= LIMITS.rates.faults.burst * 2; index += 1) client.ws.send('?');
  expect(await code).toBe(1008);
});
