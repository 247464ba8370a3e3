// Requests for more access are there for the agent and the operator alone, at every door (spec/agent-grants.md
// section 4, case F-21), and what may not even be asked.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge, person } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';

let edge: Edge;
let moderator: Signer;
const clients: WireClient[] = [];
beforeAll(async () => {
  edge = await Edge.start({ reads: 'open' });
  moderator = await edge.member('moderator');
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

type Grant = { agent: Signer; base: NostrEvent; operator: Signer };

async function granted(tags: string[][] = [['k', '9']], operator = moderator): Promise<Grant> {
  const agent = person();
  const base = await edge.grant(agent.pubkey, tags, { by: operator, at: edge.now - 100 });
  return { agent, base, operator };
}

type Change = { changes?: object; more?: string[][]; content?: string; patch?: unknown; operator?: string };

function request({ agent, base, operator }: Grant, change: Change = {}): NostrEvent {
  const { changes = { kinds: [12] }, more = [], content = 'I need it' } = change;
  const key = change.operator ?? operator.pubkey;
  const tags = [
    ['E', base.id, '', key],
    ['K', '30392'],
    ['P', key],
    ['e', base.id, '', key],
    ['k', '30392'],
    ['p', key],
    ['request', 'grant'],
    ['grant', JSON.stringify(change.patch ?? { base: base.id, changes })],
  ];
  return edge.sign(agent, { kind: 1111, content, tags: [...tags, ...more] });
}

describe('F-21 a request for more access', () => {
  let grant: Grant;
  let event: NostrEvent;
  beforeAll(async () => {
    grant = await granted();
    event = request(grant);
  });
  const doors = () => [
    { ids: [event.id] },
    { kinds: [1111] },
    { authors: [grant.agent.pubkey], kinds: [1111] },
    { '#p': [moderator.pubkey], kinds: [1111] },
    { '#e': [grant.base.id] },
    { '#E': [grant.base.id] },
  ];

  test('reaches the operator live, and nobody else', async () => {
    const [outsider, operator] = [await open(edge.owner), await open(moderator)];
    for (const client of [outsider, operator]) {
      await client.ask({ kinds: [1111], limit: 0 }, { id: 'live', stay: true });
    }
    const arrived = operator.next(frame => frame[0] === 'EVENT' && frame[1] === 'live');
    expect(await edge.offer(event)).toEqual({ accepted: true, message: '' });
    expect((await arrived)[2]).toEqual(event);
    await outsider.settled();
    expect(outsider.received('live')).toEqual([]);
  });

  test('is read by the agent and the operator through REQ, COUNT, /query, /count and browse', async () => {
    for (const reader of [grant.agent, moderator]) {
      const client = await open(reader);
      for (const filter of doors()) {
        expect((await client.ask(filter)).events.map(({ id }) => id)).toContain(event.id);
        expect(await client.count({ ...filter, ids: [event.id] })).toBe(1);
      }
      expect((await edge.post(reader, '/query', [{ ids: [event.id] }])).json).toEqual([event]);
      expect((await edge.post(reader, '/count', [{ ids: [event.id] }])).json).toEqual({ count: 1 });
      const found = await edge.call(reader, 'browseapproval', { id: event.id });
      expect(found).toMatchObject({ item: { id: event.id } });
    }
  });

  test('is not there for the owner, a member, another agent, a stranger or without a key', async () => {
    const other = await granted();
    const readers = [edge.owner, await edge.member(), other.agent, person()];
    for (const reader of [...readers, null]) {
      const client = reader === null ? await open() : await open(reader);
      for (const filter of doors()) {
        expect((await client.ask(filter)).events.map(({ id }) => id)).not.toContain(event.id);
        expect(await client.count({ ...filter, ids: [event.id] })).toBe(0);
      }
      if (reader === null) continue;
      expect((await edge.post(reader, '/query', [{ ids: [event.id] }])).json).toEqual([]);
      expect((await edge.post(reader, '/count', [{ ids: [event.id] }])).json).toEqual({ count: 0 });
      const refusal = await edge.refusal(reader, 'browseapproval', { id: event.id });
      expect(refusal).toMatch(/^400 not found: request/);
    }
    const { events } = await edge.call<{ events: NostrEvent[] }>(edge.owner, 'browseagent', {
      agent: grant.agent.pubkey,
    });
    expect(events.map(({ id }) => id)).not.toContain(event.id);
  });
});

describe('a request that may not be made', () => {
  test.each<[string, Change]>([
    ['asks for nothing', { changes: {} }],
    ['asks for an unknown field', { changes: { admin: true } }],
    ['asks for the expiration', { changes: { expiration: 9e9 } }],
    ['asks for a rate that is none', { changes: { rate: 6000 } }],
    ['names a room that is none', { changes: { rooms: ['Not A Room'] } }],
    ['names a kind twice', { changes: { kinds: [12, 12] } }],
    ['has a tag twice', { more: [['k', '30392']] }],
    ['has no reason', { content: '  ' }],
    ['has a long reason', { content: 'x'.repeat(501) }],
    ['has a patch that is no object', { patch: [] }],
    ['has a patch for another grant', { patch: { base: 'a'.repeat(64), changes: { kinds: [1] } } }],
    ['names another operator', { operator: 'b'.repeat(64) }],
    ['has expired', { more: [['expiration', '1000']] }],
  ])('%s', async (_, change) => {
    const { message } = await edge.offer(request(await granted(), change));
    expect(message).toMatch(/^invalid:/);
  });

  test('goes past the rate of the agent', async () => {
    const grant = await granted([
      ['k', '9'],
      ['rate', '1'],
    ]);
    expect((await edge.offer(request(grant))).message).toBe('');
    const second = await edge.offer(request(grant, { changes: { kinds: [13] } }));
    expect(second.message).toBe('restricted: agent grant does not allow more than 1 events per minute');
  });

  test('asks an operator who may not grant any more', async () => {
    const former = await edge.member('moderator');
    const grant = await granted([['k', '9']], former);
    await edge.call(edge.owner, 'setmember', former.pubkey, { role: 'member' });
    expect((await edge.offer(request(grant))).message).toMatch(/^restricted: the operator/);
  });

  test('is about a paused or revoked grant', async () => {
    const grant = await granted();
    await edge.call(edge.owner, 'pauseagent', grant.agent.pubkey);
    expect((await edge.offer(request(grant))).message).toBe('restricted: agent grant is paused');
    await edge.call(edge.owner, 'revokeagent', grant.agent.pubkey);
    expect((await edge.offer(request(grant))).message).toBe('restricted: agent grant is revoked');
  });
});
