// Rooms (NIP-29, spec/membership-and-rooms.md section 3): who may do what, and what the relay signs about it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generateSecret, type Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { type Relay, startRelay } from '../../../relay/relay.ts';
import { type Draft, Edge, person } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';

let edge: Edge;
let admin: Signer;
let member: Signer;
let outsider: Signer;

beforeEach(async () => {
  edge = await Edge.start();
  [admin, member, outsider] = await Promise.all([edge.member(), edge.member(), edge.member()]);
});
afterEach(() => edge.close());

async function offer(signer: Signer, draft: Draft): Promise<string> {
  const { accepted, message } = await edge.offer(edge.sign(signer, draft));
  return `${accepted}: ${message}`;
}

function record(kind: number, room: string): NostrEvent | null {
  return edge.relay.context.store.events.current(`${kind}:${edge.relay.self}:${room}`);
}

function names(room: string, kind = 39_002): string[] {
  return (record(kind, room)?.tags ?? [])
    .filter(tag => tag[0] === 'p')
    .map(([, key, role]) => `${key} ${role}`);
}

/** A members-only room of the owner's with an admin and a member. */
async function closedRoom(): Promise<void> {
  await edge.room('closed', 'members');
  await edge.publish(edge.owner, {
    kind: 9000,
    tags: [
      ['h', 'closed'],
      ['p', admin.pubkey, 'admin'],
      ['p', member.pubkey],
    ],
  });
}

const h = (room: string) => [['h', room]];

describe('creating (9007)', () => {
  test('any member creates and owns; the relay signs the records', async () => {
    const tags = [
      ['h', 'den'],
      ['name', 'The den'],
      ['about', 'Quiet'],
      ['access', 'private'],
    ];
    expect(await offer(member, { kind: 9007, tags })).toBe('true: ');
    expect(record(39_000, 'den')?.tags).toEqual([
      ['d', 'den'],
      ['name', 'The den'],
      ['about', 'Quiet'],
      ['closed'],
      ['private'],
    ]);
    expect(names('den', 39_001)).toEqual([`${member.pubkey} owner`]);
    expect(names('den')).toEqual([`${member.pubkey} owner`]);
    expect(edge.relay.context.store.audit.list(1)[0]).toMatchObject({
      action: 'create-room',
      target: 'den',
      detail: 'members',
    });
  });

  test('an id that is taken, one that is none, a stranger, and too many rooms are refused', async () => {
    await edge.room('den');
    expect(await offer(member, { kind: 9007, tags: h('den') })).toBe('false: duplicate: room den exists');
    expect(await offer(member, { kind: 9007, tags: h('Not a room') })).toMatch(/^false: invalid:/);
    expect(await offer(person(), { kind: 9007, tags: h('x') })).toMatch(
      /^false: restricted: rooms are for members/,
    );
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ rooms: 1 }));
    expect(await offer(member, { kind: 9007, tags: h('more') })).toBe(
      'false: restricted: this relay allows 1 rooms',
    );
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ rooms: 0 }));
    expect(await offer(member, { kind: 9007, tags: h('more') })).toMatch(/^false: restricted: room creation/);
  });

  test('an agent creates a room its grant lists with kind 9007', async () => {
    const agent = await edge.agent([
      ['k', '9007'],
      ['room', 'lab'],
    ]);
    expect(await offer(agent, { kind: 9007, tags: h('den') })).toMatch(/does not allow room den/);
    expect(await offer(agent, { kind: 9007, tags: h('lab') })).toBe('true: ');
    expect(names('lab')).toEqual([`${agent.pubkey} agent`]);
  });
});

describe('writing and reading', () => {
  test('a room that is not there, and a key that is not of the relay', async () => {
    await edge.room('den');
    expect(await offer(member, { kind: 9, tags: h('nowhere') })).toBe('false: invalid: unknown room nowhere');
    expect(await offer(person(), { kind: 9, tags: h('den') })).toMatch(
      /^false: restricted: rooms are for members/,
    );
  });

  test('the first message in an open room makes a member, with a notice the relay signs', async () => {
    await edge.room('den');
    expect(await offer(member, { kind: 9, tags: h('den'), content: 'hello' })).toBe('true: ');
    expect(names('den')).toContain(`${member.pubkey} member`);
    const [notice] = [...edge.relay.context.store.events.scan({ kinds: [44_100], '#p': [member.pubkey] })];
    expect(notice).toMatchObject({
      pubkey: edge.relay.self,
      tags: [
        ['h', 'den'],
        ['p', member.pubkey],
      ],
    });
  });

  test('typing and reactions make nobody a member', async () => {
    await edge.room('den');
    await offer(member, { kind: 20_002, tags: h('den') });
    await offer(member, { kind: 7, tags: [...h('den'), ['e', 'a'.repeat(64)]], content: '+' });
    expect(names('den')).toEqual([`${edge.owner.pubkey} owner`]);
  });

  test('a members-only room: its members, the owner and moderators of the relay', async () => {
    await closedRoom();
    const moderator = await edge.member('moderator');
    expect(await offer(outsider, { kind: 9, tags: h('closed') })).toBe(
      'false: restricted: not a member of room closed',
    );
    expect(await offer(member, { kind: 9, tags: h('closed'), content: 'secret' })).toBe('true: ');
    expect(await offer(moderator, { kind: 9, tags: h('closed'), content: 'here' })).toBe('true: ');
    const clients = await Promise.all(
      [outsider, member, moderator].map(who => WireClient.open(edge.relay.url, who)),
    );
    const filters = [{ '#h': ['closed'] }, { kinds: [9] }, { kinds: [39_000, 39_002], '#d': ['closed'] }];
    const seen = await Promise.all(clients.map(async one => (await one.ask(filters)).events.length));
    expect(seen[0]).toBe(0);
    expect(seen[1]).toBeGreaterThan(4);
    expect(seen[2]).toBe(seen[1]);
    expect(await clients[0]!.count({ '#h': ['closed'] })).toBe(0);
    for (const one of clients) one.close();
  });

  test('live: a member removed hears that and no more, its subscription ends with blocked:', async () => {
    await closedRoom();
    const client = await WireClient.open(edge.relay.url, member);
    await client.ask({ '#h': ['closed'], limit: 0 }, { id: 'live', stay: true });
    await edge.publish(admin, { kind: 9, tags: h('closed'), content: 'one' });
    const closed = client.next(frame => frame[0] === 'CLOSED');
    await edge.publish(admin, { kind: 9001, tags: [...h('closed'), ['p', member.pubkey]] });
    expect(String((await closed)[2])).toMatch(/^blocked: .*subscribe again/);
    await client.ask({ '#h': ['closed'], limit: 0 }, { id: 'live', stay: true });
    await edge.publish(admin, { kind: 9, tags: h('closed'), content: 'two' });
    await client.settled();
    expect(
      client
        .received('live')
        .filter(({ kind }) => kind === 9)
        .map(({ content }) => content),
    ).toEqual(['one']);
    const notices = (await client.ask({ kinds: [44_101], '#p': [member.pubkey] })).events;
    expect(notices.map(({ pubkey }) => pubkey)).toEqual([edge.relay.self]);
    client.close();
  });

  test('records and notices are signed by the relay alone', async () => {
    await edge.room('den');
    for (const kind of [39_000, 39_001, 39_002, 39_005]) {
      expect(await offer(edge.owner, { kind, tags: [['d', 'den']] })).toMatch(
        /^false: blocked: kind .* signed by the relay/,
      );
    }
    for (const kind of [44_100, 44_101]) {
      expect(await offer(edge.owner, { kind, tags: h('den') })).toBe(
        'false: blocked: member notices are signed by the relay',
      );
    }
  });

  test('the h of a Marmot message is not a room', async () => {
    expect(await offer(member, { kind: 445, tags: h('f'.repeat(64)) })).toBe('true: ');
  });
});

describe('changing (9000, 9001, 9002)', () => {
  beforeEach(closedRoom);

  test('admins add relay members; only owners appoint owners', async () => {
    const put = (by: Signer, ...p: string[]) =>
      offer(by, { kind: 9000, tags: [...h('closed'), ['p', ...p]] });
    expect(await put(admin, outsider.pubkey)).toBe('true: ');
    expect(await put(member, outsider.pubkey)).toBe('false: restricted: only room admins add members');
    expect(await put(admin, person().pubkey)).toMatch(/^false: restricted: .* is not a member of this relay/);
    expect(await put(admin, outsider.pubkey, 'owner')).toMatch(/^false: restricted: only a room owner/);
    expect(await put(admin, edge.owner.pubkey, 'member')).toMatch(/^false: restricted: only a room owner/);
    expect(await put(edge.owner, edge.owner.pubkey, 'member')).toMatch(/the last owner of a room stays/);
    expect(await put(edge.owner, outsider.pubkey, 'owner')).toBe('true: ');
    expect(await put(admin)).toMatch(/^false: invalid: .* p tag/);
    expect(names('closed', 39_001)).toEqual(
      expect.arrayContaining([`${outsider.pubkey} owner`, `${admin.pubkey} admin`]),
    );
  });

  test('admins remove members, owners remove owners, the last owner stays', async () => {
    const remove = (by: Signer, key: string) =>
      offer(by, { kind: 9001, tags: [...h('closed'), ['p', key]], content: String(Math.random()) });
    expect(await remove(member, admin.pubkey)).toBe('false: restricted: only room admins remove members');
    expect(await remove(admin, edge.owner.pubkey)).toMatch(
      /^false: restricted: only a room owner removes an owner/,
    );
    expect(await remove(edge.owner, edge.owner.pubkey)).toMatch(/the last owner of a room stays/);
    expect(await remove(admin, member.pubkey)).toBe('true: ');
    expect(await remove(admin, member.pubkey)).toBe('true: duplicate: not a member');
  });

  test('admins edit; opening the room ends the subscriptions of all', async () => {
    const client = await WireClient.open(edge.relay.url, outsider);
    await client.ask({ '#h': ['closed'] }, { id: 'x', stay: true });
    expect(await offer(member, { kind: 9002, tags: [...h('closed'), ['name', 'New']] })).toMatch(
      /only room admins edit/,
    );
    const closed = client.next(frame => frame[0] === 'CLOSED');
    expect(await offer(admin, { kind: 9002, tags: [...h('closed'), ['name', 'New'], ['open']] })).toBe(
      'true: ',
    );
    expect(String((await closed)[2])).toMatch(/^blocked: /);
    expect(record(39_000, 'closed')?.tags).toContainEqual(['name', 'New']);
    expect((await client.ask({ kinds: [39_000], '#d': ['closed'] })).events).toHaveLength(1);
    client.close();
  });
});

describe('joining and leaving (9021, 9022)', () => {
  test('open rooms take who asks, members-only ones do not', async () => {
    await edge.room('den');
    await closedRoom();
    expect(await offer(outsider, { kind: 9021, tags: h('den') })).toBe('true: ');
    expect(await offer(outsider, { kind: 9021, tags: h('den'), content: '2' })).toBe(
      'true: duplicate: already a member',
    );
    expect(await offer(outsider, { kind: 9021, tags: h('closed') })).toMatch(
      /^false: restricted: this room is members-only/,
    );
    expect(await offer(outsider, { kind: 9022, tags: h('den') })).toBe('true: ');
    expect(await offer(outsider, { kind: 9022, tags: h('den'), content: '2' })).toBe(
      'false: invalid: not a member of this room',
    );
    expect(await offer(edge.owner, { kind: 9022, tags: h('den') })).toMatch(/the last owner of a room stays/);
    const own = [
      ...edge.relay.context.store.events.scan({ kinds: [9000, 9001], authors: [edge.relay.self] }),
    ];
    expect(own.map(({ kind, tags }) => [kind, tags[1]?.[1]])).toEqual(
      expect.arrayContaining([
        [9000, outsider.pubkey],
        [9001, outsider.pubkey],
      ]),
    );
  });
});

describe('deleting (9005, 9008)', () => {
  test('admins delete any event of the room, authors their own; it does not come back', async () => {
    await closedRoom();
    const theirs = await edge.publish(edge.owner, { kind: 9, tags: h('closed'), content: 'theirs' });
    const own = await edge.publish(member, { kind: 9, tags: h('closed'), content: 'own' });
    const remove = (by: Signer, ...ids: string[]) =>
      offer(by, { kind: 9005, tags: [...h('closed'), ...ids.map(id => ['e', id])] });
    expect(await remove(member, theirs.id)).toMatch(/^false: restricted: only room admins/);
    expect(await remove(member)).toMatch(/^false: invalid: .* e tag/);
    expect(await remove(admin, 'a'.repeat(64))).toMatch(/^false: invalid: only events of this room/);
    expect(await remove(member, own.id)).toBe('true: ');
    expect(await remove(admin, theirs.id)).toBe('true: ');
    expect((await edge.offer(theirs)).message).toMatch(/^blocked: this event was deleted/);
  });

  test('an owner deletes the room with its messages, records and members', async () => {
    await closedRoom();
    await edge.publish(member, { kind: 9, tags: h('closed'), content: 'x' });
    expect(await offer(admin, { kind: 9008, tags: h('closed') })).toMatch(/only a room owner deletes/);
    expect(await offer(edge.owner, { kind: 9008, tags: h('closed') })).toBe('true: ');
    const left = [...edge.relay.context.store.events.scan({ '#h': ['closed'] })].map(({ kind }) => kind);
    expect(left).toEqual([9008]);
    expect([39_000, 39_001, 39_002].map(kind => record(kind, 'closed'))).toEqual([null, null, null]);
    expect(await offer(member, { kind: 9, tags: h('closed') })).toBe('false: invalid: unknown room closed');
  });

  test('9009 and 9010 have no meaning in a room', async () => {
    await closedRoom();
    for (const kind of [9009, 9010])
      expect(await offer(edge.owner, { kind, tags: h('closed') })).toMatch(/^false: unsupported:/);
  });
});

test('leaving the relay is leaving every room', async () => {
  await closedRoom();
  await edge.call(edge.owner, 'removemember', member.pubkey);
  expect(edge.relay.context.store.rooms.member('closed', member.pubkey)).toBeNull();
  expect(names('closed')).not.toContain(`${member.pubkey} member`);
});

test('everything about rooms, members and grants is as it was after a restart', async () => {
  const data = await mkdtemp(join(tmpdir(), 'tiny-rooms-'));
  const options = { data, owner: edge.owner.pubkey, selfSecret: generateSecret() };
  const standing = ({ context: { store } }: Relay) =>
    structuredClone([
      store.rooms.list(),
      store.rooms.members('den'),
      store.members.list(),
      store.grants.list(),
    ]);
  const first = await startRelay(options);
  const offer = async (draft: Draft) =>
    first.context.admission.publish(edge.sign(edge.owner, draft), { via: 'http', keys: [] });
  await offer({ kind: 9007, tags: [['h', 'den'], ['private']] });
  const expiration = ['expiration', String(edge.now + 60)];
  await offer({
    kind: 30_392,
    tags: [['d', member.pubkey], ['p', member.pubkey], expiration, ['room', 'den']],
  });
  await offer({
    kind: 9000,
    tags: [
      ['h', 'den'],
      ['p', member.pubkey, 'admin'],
    ],
  });
  const before = standing(first);
  await first.close();
  const second = await startRelay(options);
  expect(standing(second)).toEqual(before);
  expect(second.context.roles.roomRole('den', member.pubkey)).toBe('admin');
  await second.close();
  await rm(data, { recursive: true, force: true });
});
