// What the relay signs about its members (NIP-43) and the main room that mirrors them.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import { Edge, person } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';

let edge: Edge;
let client: WireClient;
beforeAll(async () => {
  edge = await Edge.start({ reads: 'open', name: 'The Workshop' });
  client = await WireClient.open(edge.relay.url, edge.owner);
});
afterAll(async () => {
  client.close();
  await edge.close();
});
beforeEach(() => edge.call(edge.owner, 'setpolicy', { reads: 'open', directoryPublic: true }));

const roster = async () => (await client.ask({ kinds: [13534] })).events;
const rosterOf = async (signer: Signer) => {
  const [event] = await roster();
  return event?.tags.find(tag => tag[1] === signer.pubkey);
};

describe('the roster (13534)', () => {
  test('is signed by the relay, protected, and names the owner and the roles', async () => {
    const [member, moderator] = [await edge.member(), await edge.member('moderator')];
    const agent = await edge.agent([['k', '9']]);
    const [event, ...others] = await roster();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ pubkey: edge.relay.self, content: '' });
    expect(event?.tags.slice(0, 2)).toEqual([['-'], ['member', edge.owner.pubkey, 'owner']]);
    expect(event?.tags).toContainEqual(['member', member.pubkey, 'member']);
    expect(event?.tags).toContainEqual(['member', moderator.pubkey, 'moderator']);
    expect(event?.tags).toContainEqual(['member', agent.pubkey, 'agent']);
  });

  test('is current after every change, and each coming and going is told once (8000, 8001)', async () => {
    const key = person();
    await client.ask({ kinds: [8000, 8001], '#p': [key.pubkey], limit: 0 }, { id: 'moves', stay: true });
    await edge.call(edge.owner, 'setmember', key.pubkey);
    expect(await rosterOf(key)).toEqual(['member', key.pubkey, 'member']);
    await edge.call(edge.owner, 'setmember', key.pubkey, { role: 'moderator' });
    expect(await rosterOf(key)).toEqual(['member', key.pubkey, 'moderator']);
    await edge.call(edge.owner, 'banpubkey', key.pubkey);
    expect(await rosterOf(key)).toBeUndefined();
    const told = await client.ask({ kinds: [8000, 8001], '#p': [key.pubkey] });
    expect(told.events.map(({ kind }) => kind).sort()).toEqual([8000, 8001]);
    expect(told.events.every(event => event.pubkey === edge.relay.self && event.tags[0]?.[0] === '-')).toBe(
      true,
    );
  });

  test('says what each role is (33534)', async () => {
    const { events } = await client.ask({ kinds: [33534] });
    const ids = events.map(event => event.tags.find(tag => tag[0] === 'd')?.[1]);
    expect(ids.sort()).toEqual(['agent', 'member', 'moderator', 'owner']);
    const names = events.map(event => event.tags.map(tag => tag[0]));
    for (const tags of names) expect(tags).toEqual(['-', 'd', 'label', 'description', 'color', 'order']);
  });

  test.each([13534, 8000, 8001, 33534, 28935])('nobody else publishes kind %i', async kind => {
    const tags = [['-'], ['d', 'owner'], ['p', person().pubkey]];
    expect(await client.publish(edge.sign(edge.owner, { kind, tags }))).toMatch(/^false: blocked:/);
  });

  test('is kept to members when the policy says so, main room included', async () => {
    await edge.call(edge.owner, 'setpolicy', { directoryPublic: false });
    const member = await WireClient.open(edge.relay.url, await edge.member());
    const guest = await WireClient.open(edge.relay.url, person());
    const doors = [{ kinds: [13534, 8000, 8001] }, { kinds: [39001, 39002], '#d': ['the-workshop'] }];
    for (const filter of doors) {
      expect((await guest.ask(filter)).events).toEqual([]);
      expect(await guest.count(filter)).toBe(0);
      expect((await member.ask(filter)).events).not.toEqual([]);
    }
    const room = await edge.call(person(), 'browseroom', { id: 'the-workshop' });
    expect(room).toMatchObject({ members: [] });
    member.close();
    guest.close();
  });
});

describe('the main room', () => {
  const main = 'the-workshop';
  const record = async (kind: number) => (await client.ask({ kinds: [kind], '#d': [main] })).events[0];

  test('is there from the start under the name of the relay, with no event behind it', () => {
    expect(edge.relay.context.store.rooms.get(main)).toMatchObject({
      id: main,
      name: 'The Workshop',
      access: 'open',
      event_id: '',
    });
  });

  test('mirrors the members and their roles', async () => {
    const [member, moderator] = [await edge.member(), await edge.member('moderator')];
    const agent = await edge.agent([['k', '9']]);
    const members = await record(39002);
    expect(members?.tags).toContainEqual(['p', edge.owner.pubkey, 'owner']);
    expect(members?.tags).toContainEqual(['p', moderator.pubkey, 'admin']);
    expect(members?.tags).toContainEqual(['p', member.pubkey, 'member']);
    expect(members?.tags).toContainEqual(['p', agent.pubkey, 'agent']);
    await edge.call(edge.owner, 'removemember', member.pubkey);
    expect((await record(39002))?.tags.map(tag => tag[1])).not.toContain(member.pubkey);
    expect((await record(39001))?.tags).not.toContainEqual(['p', member.pubkey, 'member']);
  });

  test('follows name, description and reads of the relay, and keeps its id', async () => {
    const patch = { name: 'The Studio', description: 'Where we paint', reads: 'members' };
    await edge.call(edge.owner, 'setpolicy', patch);
    expect((await record(39000))?.tags).toEqual([
      ['d', main],
      ['name', 'The Studio'],
      ['about', 'Where we paint'],
      ['closed'],
      ['private'],
    ]);
    await edge.call(edge.owner, 'setpolicy', { name: 'The Workshop', description: '', reads: 'open' });
  });

  test('takes messages of members, is no room of the quota, and is kept after a restart', async () => {
    const member = await edge.member();
    await edge.publish(member, { kind: 9, tags: [['h', main]], content: 'hello all' });
    await edge.call(edge.owner, 'setpolicy', { rooms: 1 });
    await edge.room('only-one');
    const second = edge.sign(edge.owner, { kind: 9007, tags: [['h', 'two']] });
    expect((await edge.offer(second)).message).toBe('restricted: this relay allows 1 rooms');
  });
});

test('a relay without a name has no main room', async () => {
  const plain = await Edge.start({ name: '' });
  expect(plain.relay.context.store.rooms.list()).toEqual([]);
  await plain.close();
});
