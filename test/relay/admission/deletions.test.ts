// Deletion (NIP-09): of one's own alone, for good, and whichever of the two arrives first.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import { type Draft, Edge, person } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';

let edge: Edge;
let client: WireClient;
let author: Signer;

beforeAll(async () => {
  edge = await Edge.start({ reads: 'open', writes: 'open' });
  client = await WireClient.open(edge.relay.url);
  author = person();
});
afterAll(async () => {
  client.close();
  await edge.close();
});

async function offer(signer: Signer, draft: Draft): Promise<string> {
  const { accepted, message } = await edge.offer(edge.sign(signer, draft));
  return `${accepted}: ${message}`;
}

test('deletes one’s own events by id, keeps the deletion, and refuses them from then on', async () => {
  const event = await edge.publish(author, { kind: 1, content: 'mine' });
  expect(
    await offer(author, {
      kind: 5,
      tags: [
        ['e', event.id],
        ['k', '1'],
      ],
    }),
  ).toBe('true: ');
  expect((await client.ask({ ids: [event.id] })).events).toEqual([]);
  expect((await client.ask({ kinds: [5], '#e': [event.id] })).events).toHaveLength(1);
  expect(await edge.offer(event)).toEqual({ accepted: false, message: 'blocked: this event was deleted' });
});

test('somebody else’s deletion does nothing, now or later', async () => {
  const event = edge.sign(author, { kind: 1, content: 'stays' });
  const other = person();
  await edge.publish(other, { kind: 5, tags: [['e', event.id]] });
  expect((await edge.offer(event)).accepted).toBe(true);
  await edge.publish(other, { kind: 5, tags: [['e', event.id]], content: 'again' });
  await edge.publish(other, { kind: 5, tags: [['a', `30023:${author.pubkey}:x`]] });
  expect((await client.ask({ ids: [event.id] })).events).toEqual([event]);
});

test('a deletion that arrives before its target works as well', async () => {
  const event = edge.sign(author, { kind: 1, content: 'late' });
  await edge.publish(author, { kind: 5, tags: [['e', event.id]] });
  expect((await edge.offer(event)).message).toBe('blocked: this event was deleted');
});

describe('B-09 by address', () => {
  test('gone from REQ, COUNT and live, older versions refused, newer ones taken', async () => {
    const at = edge.now - 100;
    const version = (created_at: number) =>
      edge.sign(author, { kind: 30_023, created_at, tags: [['d', 'post']], content: String(created_at) });
    const address = `30023:${author.pubkey}:post`;
    await edge.offer(version(at));
    await edge.publish(author, { kind: 5, created_at: at + 10, tags: [['a', address]] });
    const filter = { kinds: [30_023], authors: [author.pubkey] };
    const live = await client.ask(filter, { id: 'posts', stay: true });
    expect(live.events).toEqual([]);
    expect(await client.count(filter)).toBe(0);
    expect((await edge.offer(version(at + 10))).message).toBe('blocked: this event was deleted');
    await client.settled();
    expect(client.received('posts')).toEqual([]);
    const newer = version(at + 11);
    expect((await edge.offer(newer)).accepted).toBe(true);
    await client.settled();
    expect(client.received('posts')).toEqual([newer]);
  });

  test('a version newer than the deletion survives it', async () => {
    const event = await edge.publish(author, { kind: 30_023, tags: [['d', 'kept']] });
    await edge.publish(author, {
      kind: 5,
      created_at: event.created_at - 1,
      tags: [['a', `30023:${author.pubkey}:kept`]],
    });
    expect((await client.ask({ ids: [event.id] })).events).toEqual([event]);
  });

  test('a replaceable kind is named with a trailing colon, a d may hold colons', async () => {
    const list = await edge.publish(author, { kind: 10_002 });
    const colons = await edge.publish(author, { kind: 30_023, tags: [['d', 'a:b:c']] });
    await edge.publish(author, {
      kind: 5,
      tags: [
        ['a', `10002:${author.pubkey}:`],
        ['a', `30023:${author.pubkey}:a:b:c`],
      ],
    });
    expect((await client.ask({ ids: [list.id, colons.id] })).events).toEqual([]);
  });

  test('B-21 only a tags, malformed ones among them, never take more than they name', async () => {
    const [first, second] = [
      await edge.publish(author, { kind: 1, content: '1' }),
      await edge.publish(author, { kind: 1, content: '2' }),
    ];
    const tags = [
      ['a', ''],
      ['a'],
      ['a', `1:${author.pubkey}:`],
      ['a', `x:${author.pubkey}:y`],
      ['a', `30023:${author.pubkey}`],
      ['e', ''],
      ['e'],
    ];
    expect(await offer(author, { kind: 5, tags })).toBe('true: ');
    expect(await offer(author, { kind: 5 })).toBe('true: ');
    expect((await client.ask({ ids: [first.id, second.id] })).events).toHaveLength(2);
  });
});

test('a deletion of a deletion has no effect', async () => {
  const event = await edge.publish(author, { kind: 1, content: 'gone' });
  const deletion = await edge.publish(author, { kind: 5, tags: [['e', event.id]] });
  await edge.publish(author, { kind: 5, tags: [['e', deletion.id]], content: 'undo' });
  expect((await client.ask({ ids: [deletion.id] })).events).toEqual([deletion]);
  expect((await edge.offer(event)).accepted).toBe(false);
});

test('a gift wrap is its recipient’s to delete', async () => {
  const recipient = person();
  const wrap = edge.sign(person(), { kind: 1059, tags: [['p', recipient.pubkey]], content: 'sealed' });
  await edge.offer(wrap);
  await edge.publish(person(), { kind: 5, tags: [['e', wrap.id]] });
  expect(edge.relay.context.store.events.get(wrap.id)).not.toBeNull();
  await edge.publish(recipient, { kind: 5, tags: [['e', wrap.id]] });
  expect(edge.relay.context.store.events.get(wrap.id)).toBeNull();
  expect((await edge.offer(wrap)).accepted).toBe(false);
});
