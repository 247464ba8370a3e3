// Hidden means hidden on every read path (spec/decisions.md 5).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge, person } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';

let edge: Edge;
let recipient: Signer;
let sender: Signer;

beforeAll(async () => {
  edge = await Edge.start({ reads: 'open', writes: 'open' });
  [recipient, sender] = await Promise.all([edge.member(), edge.member()]);
  await edge.room('closed', 'members');
});
afterAll(() => edge.close());

/** What a reader gets of an event by every way over the socket. */
async function ways(event: NostrEvent, signer: Signer | null): Promise<unknown[]> {
  const client = await WireClient.open(edge.relay.url, signer ?? []);
  const found = [];
  for (const filter of [{ ids: [event.id] }, { authors: [event.pubkey] }, { kinds: [event.kind, 0] }]) {
    found.push((await client.ask(filter)).events.some(({ id }) => id === event.id));
  }
  found.push(await client.count({ ids: [event.id] }));
  client.close();
  return found;
}

const HIDDEN = [false, false, false, 0];
const SHOWN = [true, true, true, 1];

describe('F-21 private kinds', () => {
  test.each([4, 13, 1059, 30_390])('kind %i is served to its author and recipients alone', async kind => {
    const event = await edge.publish(sender, { kind, tags: [['p', recipient.pubkey]], content: 'sealed' });
    expect(await ways(event, null)).toEqual(HIDDEN);
    expect(await ways(event, edge.owner)).toEqual(HIDDEN);
    expect(await ways(event, recipient)).toEqual(SHOWN);
    expect(await ways(event, sender)).toEqual(SHOWN);
  });

  test('asking for nothing else without a key is auth-required, REQ and COUNT alike', async () => {
    const client = await WireClient.open(edge.relay.url);
    expect((await client.ask({ kinds: [4, 1059] })).closed).toMatch(/^auth-required:/);
    expect(await client.count({ kinds: [1059] })).toMatch(/^auth-required:/);
    client.close();
  });

  test.each([20_001, 21_059, 24_133])('kind %i passes live to who may read it', async kind => {
    const [open, named] = [
      await WireClient.open(edge.relay.url),
      await WireClient.open(edge.relay.url, recipient),
    ];
    for (const one of [open, named]) await one.ask({ kinds: [kind, 1] }, { id: 'live', stay: true });
    await edge.publish(sender, { kind, tags: [['p', recipient.pubkey]] });
    await Promise.all([open.settled(), named.settled()]);
    expect(named.received('live')).toHaveLength(1);
    expect(open.received('live')).toHaveLength(kind === 20_001 ? 1 : 0);
    open.close();
    named.close();
  });
});

describe('F-21 members-only rooms on an open relay', () => {
  test('no content, no count, and a hint that AUTH would show more', async () => {
    const event = await edge.publish(edge.owner, { kind: 9, tags: [['h', 'closed']], content: 'secret' });
    expect(await ways(event, null)).toEqual(HIDDEN);
    expect(await ways(event, recipient)).toEqual(HIDDEN);
    expect(await ways(event, edge.owner)).toEqual(SHOWN);
    const client = await WireClient.open(edge.relay.url);
    const answer = await client.ask({ '#h': ['closed'] });
    expect(answer).toEqual({ events: [], closed: null, hints: ['finish', 'auth-required'] });
    expect((await client.ask({ '#h': ['nowhere'] })).hints).toEqual(['finish']);
    client.close();
  });
});

describe('F-22 what changes counts at the next delivery', () => {
  test('a revoked agent with an open subscription hears nothing more', async () => {
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ reads: 'members' }));
    const agent = await edge.agent([['k', '1']]);
    const client = await WireClient.open(edge.relay.url, agent);
    await client.ask({ kinds: [1] }, { id: 'live', stay: true });
    await edge.publish(sender, { kind: 1, content: 'before' });
    const closed = client.next(frame => frame[0] === 'CLOSED');
    await edge.call(edge.owner, 'revokeagent', agent.pubkey);
    await edge.publish(sender, { kind: 1, content: 'after' });
    expect(String((await closed)[2])).toMatch(/^blocked: your access/);
    expect((await client.ask({ kinds: [1] })).closed).toMatch(/^restricted:/);
    expect(client.received('live').map(({ content }) => content)).toEqual(['before']);
    client.close();
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ reads: 'open' }));
  });

  test('an event that expires is served until its second', async () => {
    const event = await edge.publish(person(), { kind: 1, tags: [['expiration', String(edge.now + 2)]] });
    expect(await ways(event, null)).toEqual(SHOWN);
    await expect.poll(() => edge.now, { timeout: 5000 }).toBeGreaterThanOrEqual(event.created_at + 2);
    expect(await ways(event, null)).toEqual(HIDDEN);
  });
});

test('reads auth: any key, but a key', async () => {
  edge.relay.context.transact(() => edge.relay.context.setPolicy({ reads: 'auth' }));
  const [open, named] = [
    await WireClient.open(edge.relay.url),
    await WireClient.open(edge.relay.url, person()),
  ];
  expect((await open.ask({ kinds: [1] })).closed).toMatch(/^auth-required:/);
  expect((await named.ask({ kinds: [1] })).closed).toBeNull();
  open.close();
  named.close();
  edge.relay.context.transact(() => edge.relay.context.setPolicy({ reads: 'open' }));
});
