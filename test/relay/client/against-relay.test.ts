// The client and the relay as they meet in the program: AUTH, access changes, the same key over HTTP.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RelayConnection, RelayRefusal } from '../../../relay/client/connection.ts';
import type { Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge, person } from '../http/edge.ts';

let edge: Edge;
let member: Signer;
beforeAll(async () => {
  edge = await Edge.start();
  member = await edge.member();
  await edge.room('general');
});
afterAll(() => edge.close());

const open: RelayConnection[] = [];
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
});

function connect(signer: Signer | null): RelayConnection {
  const connection = new RelayConnection({ url: edge.relay.url, signer, minBackoff: 20, maxBackoff: 100 });
  open.push(connection);
  connection.connect();
  return connection;
}

const say = (signer: Signer, content: string) =>
  edge.sign(signer, { kind: 9, content, tags: [['h', 'general']] });

/** Hands out what a subscription receives, one event at a time. */
function inbox() {
  const waiting: ((event: NostrEvent) => void)[] = [];
  const arrived: NostrEvent[] = [];
  return {
    event(event: NostrEvent) {
      const next = waiting.shift();
      if (next === undefined) arrived.push(event);
      else next(event);
    },
    next(): Promise<NostrEvent> {
      const event = arrived.shift();
      return event === undefined ? new Promise(resolve => waiting.push(resolve)) : Promise.resolve(event);
    },
  };
}

test('a member publishes, reads and listens', async () => {
  const connection = connect(member);
  const said = say(member, 'hello');
  expect(await connection.publish(said)).toEqual({ ok: true, reason: '' });
  expect((await connection.publish(said)).ok).toBe(true);
  expect(await connection.query([{ ids: [said.id] }])).toEqual([said]);
  const box = inbox();
  await new Promise<void>(resolve => {
    connection.subscribe('room', () => [{ kinds: [9], '#h': ['general'], limit: 0 }], {
      ...box,
      eose: resolve,
    });
  });
  const next = say(edge.owner, 'and back');
  await edge.offer(next);
  expect((await box.next()).id).toBe(next.id);
});

test('a stranger is refused with the reason, as values and as a refusal', async () => {
  const stranger = person();
  const connection = connect(stranger);
  const publication = await connection.publish(say(stranger, 'hello'));
  expect(publication.ok).toBe(false);
  expect(publication.reason).toMatch(/^restricted:/);
  const refusal = await connection.query([{ kinds: [9] }]).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RelayRefusal);
  expect((refusal as RelayRefusal).reason).toMatch(/^restricted:.*members-only/);
});

test('without a key the relay asks for one', async () => {
  const connection = connect(null);
  await expect(connection.query([{ kinds: [9] }])).rejects.toThrow(/^auth-required:/);
});

test('F-22 a subscription survives a change of access and shows what it may', async () => {
  await edge.room('closed', 'members');
  const late = await edge.member();
  const connection = connect(late);
  const box = inbox();
  const filters = () => [{ kinds: [9], '#h': ['closed'] }];
  await new Promise<void>(resolve => {
    connection.subscribe('closed', filters, { ...box, eose: resolve });
  });
  const said = await edge.publish(edge.owner, {
    kind: 9,
    content: 'before you came',
    tags: [['h', 'closed']],
  });
  await edge.publish(edge.owner, {
    kind: 9000,
    tags: [
      ['h', 'closed'],
      ['p', late.pubkey],
    ],
  });
  expect((await box.next()).id).toBe(said.id);
});
