// Who sees what of a room, over real sockets.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { SqliteStore } from '../../../relay/store/store.ts';
import { signOwn } from '../../../relay/verify/verified-event.ts';
import { Edge } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';

let edge: Edge;
let ann: Signer;
let bob: Signer;
const clients: WireClient[] = [];
beforeAll(async () => {
  edge = await Edge.start();
  [ann, bob] = [await edge.member(), await edge.member()];
  await edge.room('open-room');
  await edge.room('secret', 'members');
  await edge.publish(edge.owner, {
    kind: 9000,
    tags: [
      ['h', 'secret'],
      ['p', ann.pubkey],
    ],
  });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await edge.close();
});

async function open(signer: Signer): Promise<WireClient> {
  const client = await WireClient.open(edge.relay.url, signer);
  clients.push(client);
  return client;
}

describe('an event belongs to one room', () => {
  test.each([
    {
      tags: [
        ['h', 'open-room'],
        ['h', 'secret'],
      ],
      why: 'an event belongs to one room',
    },
    { tags: [['h'], ['h', 'secret']], why: 'an h tag must name a room' },
    {
      tags: [
        ['h', ''],
        ['h', 'secret'],
      ],
      why: 'an h tag must name a room',
    },
    {
      tags: [
        ['h', 'open-room'],
        ['h', ''],
      ],
      why: 'an h tag must name a room',
    },
  ])('$tags is refused on a socket, over HTTP and on import', async ({ tags, why }) => {
    const client = await open(ann);
    const event = edge.sign(ann, { kind: 9, content: 'both', tags });
    expect(await client.publish(event)).toBe(`false: invalid: ${why}`);
    expect((await edge.post(ann, '/events', event)).json).toMatchObject({ message: `invalid: ${why}` });
    const copy = await edge.relay.context.admission.publish(event, { via: 'import', keys: [] });
    expect(copy).toEqual({ accepted: false, message: `invalid: ${why}` });
  });

  test('the same room named twice is that room', async () => {
    const client = await open(ann);
    const tags = [
      ['h', 'open-room'],
      ['h', 'open-room'],
    ];
    expect(await client.publish(edge.sign(ann, { kind: 9, content: 'twice', tags }))).toBe('true: ');
  });

  test('the h of a Marmot message is no room', async () => {
    const client = await open(ann);
    const tags = [
      ['h', 'group one'],
      ['h', 'group two'],
    ];
    expect(await client.publish(edge.sign(ann, { kind: 445, content: 'x', tags }))).toBe('true: ');
  });

  test('an event that is held with two rooms all the same needs both of them to be read', async () => {
    const store = edge.relay.context.store as SqliteStore;
    const tags = [
      ['h', 'open-room'],
      ['h', 'secret'],
    ];
    const draft = { kind: 9, created_at: edge.now, content: 'from before', tags };
    const made = signOwn(ann, draft);
    store.transact(() => store.events.save(made));
    const seen = async (signer: Signer) => {
      const client = await open(signer);
      const byRoom = await client.ask({ '#h': ['open-room'], kinds: [9] });
      const byId = await client.ask({ ids: [made.event.id] });
      const named = byRoom.events.some(event => event.id === made.event.id);
      return [named, byId.events.length, await client.count({ ids: [made.event.id] })];
    };
    expect(await seen(ann)).toEqual([true, 1, 1]);
    expect(await seen(bob)).toEqual([false, 0, 0]);
  });
});

test('F-21 a reaction to a message of a members-only room stays in that room', async () => {
  const secret = await edge.publish(ann, { kind: 9, content: 'between us', tags: [['h', 'secret']] });
  const open = await edge.publish(ann, { kind: 9, content: 'for all', tags: [['h', 'open-room']] });
  const react = async (signer: Signer, target: string, ...more: string[][]) =>
    (await edge.offer(edge.sign(signer, { kind: 7, content: '+', tags: [['e', target], ...more] }))).message;
  expect(await react(ann, secret.id)).toBe('invalid: a reaction to a message of room secret needs its h tag');
  expect(await react(ann, secret.id, ['h', 'secret'])).toBe('');
  expect(await react(ann, open.id)).toBe('');
  // To one who may not read it the message is one that never was.
  expect(await react(bob, secret.id)).toBe('');
  expect(await react(bob, 'f'.repeat(64))).toBe('');
});
