// Proving a key (NIP-42), and what each key may then read and write.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import { Edge, person } from '../http/edge.ts';
import { seconds, WireClient } from './wire-client.ts';

let edge: Edge;
let member: Signer;
let client: WireClient;

beforeAll(async () => {
  edge = await Edge.start();
  member = await edge.member();
});
afterAll(() => edge.close());
beforeEach(async () => {
  client = await WireClient.open(edge.relay.url);
});
afterEach(() => client.close());

async function relayTag(relay: string): Promise<unknown[]> {
  return client.authenticate(member, {
    tags: [
      ['relay', relay],
      ['challenge', await client.challenge],
    ],
  });
}

describe('F-20 AUTH', () => {
  test('a good one is answered with OK true, and opens what members may read', async () => {
    expect((await client.ask({ kinds: [1] })).closed).toMatch(/^auth-required: .*members-only/);
    expect(await client.count({ kinds: [1] })).toMatch(/^auth-required:/);
    expect((await client.authenticate(member)).slice(2)).toEqual([true, '']);
    expect((await client.ask({ kinds: [1] })).closed).toBeNull();
  });

  test('a key that is no member is restricted', async () => {
    await client.authenticate(person());
    expect((await client.ask({ kinds: [1] })).closed).toMatch(/^restricted: .*members-only/);
  });

  test.each([
    ['another kind', async () => client.authenticate(member, { kind: 1 })],
    ['11 minutes ago', async () => client.authenticate(member, { created_at: seconds() - 660 })],
    ['11 minutes ahead', async () => client.authenticate(member, { created_at: seconds() + 660 })],
    [
      'another challenge',
      async () =>
        client.authenticate(member, {
          tags: [
            ['relay', client.url],
            ['challenge', 'x'],
          ],
        }),
    ],
    ['no challenge', async () => client.authenticate(member, { tags: [['relay', client.url]] })],
    ['no relay', async () => client.authenticate(member, { tags: [['challenge', await client.challenge]] })],
    ['another relay', async () => relayTag('wss://relay.example/')],
    ['another port', async () => relayTag('ws://127.0.0.1:1/')],
    ['another path', async () => relayTag(`${client.url}other`)],
    ['no address at all', async () => relayTag('relay')],
  ])('%s is answered with OK false and changes nothing', async (_, attempt) => {
    const [verb, , accepted, reason] = await attempt();
    expect([verb, accepted]).toEqual(['OK', false]);
    expect(reason).toMatch(/^invalid: /);
    expect((await client.ask({ kinds: [1] })).closed).toMatch(/^auth-required:/);
  });

  test('a forged signature is answered with OK false', async () => {
    const tags = [
      ['relay', client.url],
      ['challenge', await client.challenge],
    ];
    const event = member.sign({ kind: 22242, created_at: seconds(), tags, content: '' });
    client.send(['AUTH', { ...event, sig: 'ab'.repeat(64) }]);
    expect((await client.frame(frame => frame[0] === 'OK')).slice(2)).toEqual([
      false,
      'invalid: the signature is not that of the author',
    ]);
  });

  test.each([
    ['without the slash', (url: URL) => `ws://${url.host}`],
    ['as localhost', (url: URL) => `ws://localhost:${url.port}/`],
    ['in capitals', (url: URL) => `WS://LOCALHOST:${url.port}/`],
    ['as http', (url: URL) => `http://${url.host}/`],
  ])('the address %s is ours as well', async (_, spell) => {
    expect((await relayTag(spell(new URL(client.url))))[2]).toBe(true);
  });

  test('a proof of another socket is none here', async () => {
    const other = await WireClient.open(edge.relay.url);
    const tags = [
      ['relay', client.url],
      ['challenge', await other.challenge],
    ];
    expect((await client.authenticate(member, { tags }))[3]).toMatch(/challenge/);
    expect(await other.challenge).not.toBe(await client.challenge);
    other.close();
  });

  test('several keys may be held at once, and either opens what it may read', async () => {
    const second = await edge.member();
    await client.authenticate(person());
    await client.authenticate(member);
    await client.authenticate(second);
    const wrap = person().sign({
      kind: 1059,
      created_at: seconds(),
      tags: [['p', second.pubkey]],
      content: 'x',
    });
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ openKinds: [1059] }));
    expect(await client.publish(wrap)).toBe('true: ');
    expect((await client.ask({ kinds: [1059] })).events).toEqual([wrap]);
  });

  test('what follows an AUTH in the same breath is asked with the key', async () => {
    const tags = [
      ['relay', client.url],
      ['challenge', await client.challenge],
    ];
    const end = client.next(frame => frame[1] === 'breath');
    client.send(['AUTH', member.sign({ kind: 22242, created_at: seconds(), tags, content: '' })]);
    client.send(['REQ', 'breath', { kinds: [1] }]);
    expect((await end)[0]).toBe('EOSE');
  });

  test('credentials sent as events are refused and never stored', async () => {
    await client.authenticate(edge.owner);
    for (const kind of [22_242, 24_242, 27_235]) {
      expect(await client.publish(edge.sign(edge.owner, { kind }))).toMatch(/^false: blocked:/);
    }
  });
});

describe('protected events (NIP-70)', () => {
  const tags = [['-']];

  test('are taken from their author alone, who has proved it', async () => {
    const event = edge.sign(member, { kind: 1, tags });
    expect(await client.publish(event)).toMatch(/^false: auth-required:/);
    await client.authenticate(edge.owner);
    expect(await client.publish(event)).toMatch(/^false: restricted:/);
    await client.authenticate(member);
    expect(await client.publish(event)).toBe('true: ');
  });

  test('are not reposted', async () => {
    const content = JSON.stringify(edge.sign(member, { kind: 1, tags }));
    expect(await client.publish(edge.sign(member, { kind: 6, content }))).toMatch(
      /^false: blocked: a protected/,
    );
  });
});

describe('who may write', () => {
  test('members with or without AUTH, others not', async () => {
    expect(await client.publish(edge.sign(member, { kind: 1 }))).toBe('true: ');
    expect(await client.publish(edge.sign(person(), { kind: 1 }))).toMatch(/^false: blocked: write policy/);
  });
});
