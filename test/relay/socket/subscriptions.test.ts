import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge, person } from '../http/edge.ts';
import { seconds, WireClient } from './wire-client.ts';

let edge: Edge;
let writer: WireClient;
let reader: WireClient;
let made = 0;

beforeAll(async () => {
  edge = await Edge.start({ reads: 'open', writes: 'open' });
  writer = await WireClient.open(edge.relay.url);
  reader = await WireClient.open(edge.relay.url);
});
afterAll(async () => {
  writer.close();
  reader.close();
  await edge.close();
});

function note(topic: string, change: Partial<NostrEvent> = {}): NostrEvent {
  made += 1;
  const draft = { kind: 1, created_at: seconds(), tags: [['t', topic]], content: `${made}`, ...change };
  return edge.owner.sign(draft);
}

function idsOf(events: readonly NostrEvent[]): string[] {
  return events.map(({ id }) => id);
}

describe('publishing', () => {
  test('every EVENT gets one OK with four elements', async () => {
    const event = note('ok');
    expect(await writer.publish(event)).toBe('true: ');
    expect(await writer.publish(event)).toBe('true: duplicate: already have this event');
    expect(await writer.publish({ ...event, sig: 'ab'.repeat(64) })).toMatch(/^true: duplicate/);
    const forged = { ...note('ok'), sig: 'ab'.repeat(64) };
    expect(await writer.publish(forged)).toBe('false: invalid: the signature is not that of the author');
    const changed = { ...note('ok'), content: 'changed' };
    expect(await writer.publish(changed)).toMatch(/^false: invalid: the id/);
    await writer.settled();
    const oks = writer.frames.filter(frame => frame[0] === 'OK');
    expect(oks).toHaveLength(5);
    expect(oks.every(frame => frame.length === 4)).toBe(true);
  });

  test('an older version is accepted and not stored', async () => {
    const author = person();
    const version = (created_at: number) => author.sign({ kind: 10_002, created_at, tags: [], content: '' });
    const [first, second] = [version(1000), version(2000)];
    expect(await writer.publish(second)).toBe('true: ');
    expect(await writer.publish(first)).toBe('true: duplicate: have a newer version');
    expect((await reader.ask({ authors: [author.pubkey] })).events).toEqual([second]);
  });

  test('what one client sends in a row is judged in a row', async () => {
    const author = person();
    const room = author.sign({ kind: 9007, created_at: seconds(), tags: [['h', 'x']], content: '' });
    const events = [room, ...Array.from({ length: 50 }, () => note('row'))];
    const answers = events.map(event => writer.next(frame => frame[0] === 'OK' && frame[1] === event.id));
    const start = writer.frames.length;
    for (const event of events) writer.send(['EVENT', event]);
    await Promise.all(answers);
    const order = writer.frames
      .slice(start)
      .filter(frame => frame[0] === 'OK')
      .map(frame => frame[1]);
    expect(order).toEqual(idsOf(events));
  });

  test('the sender hears OK before its own event comes back', async () => {
    await writer.ask({ '#t': ['own'] }, { id: 'own', stay: true });
    const event = note('own');
    await writer.publish(event);
    await writer.settled();
    const at = (verb: string) =>
      writer.frames.findIndex(frame => frame[0] === verb && frame.includes(verb === 'OK' ? event.id : 'own'));
    const delivered = writer.frames.findIndex(frame => frame[0] === 'EVENT' && frame[1] === 'own');
    expect(at('OK')).toBeLessThan(delivered);
  });
});

describe('ephemeral events', () => {
  test('reach those who listen, and are in no history', async () => {
    await reader.ask({ kinds: [20_001] }, { id: 'presence', stay: true });
    const event = note('presence', { kind: 20_001 });
    const arrived = reader.next(frame => frame[0] === 'EVENT' && frame[1] === 'presence');
    expect(await writer.publish(event)).toBe('true: ');
    expect((await arrived)[2]).toEqual(event);
    expect((await reader.ask({ kinds: [20_001] })).events).toEqual([]);
    expect(await reader.count({ kinds: [20_001] })).toBe(0);
    reader.send(['CLOSE', 'presence']);
  });
});

describe('subscriptions', () => {
  test('B-14 limit 0 skips history, ends with EOSE and stays live', async () => {
    await writer.publish(note('zero'));
    const answer = await reader.ask({ '#t': ['zero'], limit: 0 }, { id: 'zero', stay: true });
    expect(answer).toMatchObject({ events: [], closed: null });
    const event = note('zero');
    const arrived = reader.next(frame => frame[0] === 'EVENT' && frame[1] === 'zero');
    await writer.publish(event);
    expect((await arrived)[2]).toEqual(event);
  });

  test('limit shapes history alone, newest first', async () => {
    const events = Array.from({ length: 6 }, (_, index) => note('limit', { created_at: 1000 + index }));
    for (const event of events) await writer.publish(event);
    const { events: found } = await reader.ask({ '#t': ['limit'], limit: 2 }, { id: 'limit', stay: true });
    expect(idsOf(found)).toEqual(idsOf([events[5]!, events[4]!]));
    const live = [note('limit'), note('limit'), note('limit')];
    for (const event of live) await writer.publish(event);
    await reader.settled();
    expect(reader.received('limit')).toHaveLength(5);
  });

  test('NIP-67 EOSE says whether everything was sent', async () => {
    for (let index = 0; index < 3; index += 1) await writer.publish(note('hint'));
    expect((await reader.ask({ '#t': ['hint'], limit: 3 })).hints).toEqual(['finish']);
    expect((await reader.ask({ '#t': ['hint'], limit: 2 })).hints).toEqual(['more']);
    expect((await reader.ask({ '#t': ['hint'] })).hints).toEqual(['finish']);
  });

  test('an event that fits several filters comes once', async () => {
    const event = note('twice');
    await writer.publish(event);
    const filters = [{ '#t': ['twice'] }, { ids: [event.id] }, { authors: [event.pubkey], '#t': ['twice'] }];
    expect((await reader.ask(filters, { id: 'twice', stay: true })).events).toEqual([event]);
    const live = note('twice');
    await writer.publish(live);
    await reader.settled();
    expect(idsOf(reader.received('twice'))).toEqual([event.id, live.id]);
  });

  test('F-16 an id used again replaces the subscription, CLOSE before EOSE ends it', async () => {
    await reader.ask({ '#t': ['old'] }, { id: 'same', stay: true });
    await reader.ask({ '#t': ['new'] }, { id: 'same', stay: true });
    await writer.publish(note('old'));
    const event = note('new');
    await writer.publish(event);
    await reader.settled();
    expect(idsOf(reader.received('same'))).toEqual([event.id]);
    expect(reader.frames.some(frame => frame[0] === 'CLOSED' && frame[1] === 'same')).toBe(false);
    reader.send(['REQ', 'brief', { '#t': ['old'] }]);
    reader.send(['CLOSE', 'brief']);
    await reader.settled();
    const before = reader.received('brief').length;
    await writer.publish(note('old'));
    await reader.settled();
    expect(reader.received('brief')).toHaveLength(before);
  });

  test('a REQ that is refused ends the one it replaces', async () => {
    await reader.ask({ '#t': ['ended'] }, { id: 'ended', stay: true });
    expect((await reader.ask({ kinds: [] }, { id: 'ended' })).closed).toMatch(/^invalid:/);
    await writer.publish(note('ended'));
    await reader.settled();
    expect(reader.received('ended')).toEqual([]);
  });
});

test('COUNT counts each event once and opens nothing', async () => {
  for (let index = 0; index < 4; index += 1) await writer.publish(note('count'));
  expect(await reader.count({ '#t': ['count'] })).toBe(4);
  expect(await reader.count([{ '#t': ['count'] }, { '#t': ['count'], kinds: [1] }])).toBe(4);
  expect(await reader.count({ kinds: [] })).toMatch(/^invalid: bad filter/);
});

test('F-19 each event once across the stored and live boundary', async () => {
  const rounds = Number(process.env.BOUNDARY_ROUNDS ?? 400);
  const expected = new Set<string>();
  const readers = await Promise.all(Array.from({ length: 4 }, () => WireClient.open(edge.relay.url)));
  // A hundred old ones, so that history takes a while.
  for (let index = 0; index < 100; index += 1)
    await writer.publish(note('edge', { created_at: 1000 + index }));
  const first = await reader.ask({ '#t': ['edge'] });
  for (const event of first.events) expected.add(event.id);
  for (let round = 0; round < rounds; round += 1) {
    const event = note('edge');
    const before = note('edge');
    const done = writer.next(frame => frame[0] === 'OK' && frame[1] === event.id);
    writer.send(['EVENT', before]);
    const asking = readers[round % 4]!;
    const ended = asking.next(frame => frame[0] === 'EOSE' && frame[1] === `edge-${round}`);
    asking.send(['REQ', `edge-${round}`, { '#t': ['edge'], limit: 500, since: 1050 }]);
    writer.send(['EVENT', event]);
    await Promise.all([done, ended]);
    expected.add(before.id);
    expected.add(event.id);
    await asking.settled();
    const ids = idsOf(asking.received(`edge-${round}`));
    expect(new Set(ids).size, 'none twice').toBe(ids.length);
    expect(ids, 'none lost').toContain(event.id);
    expect(ids, 'none lost').toContain(before.id);
    asking.send(['CLOSE', `edge-${round}`]);
    asking.frames.length = 0;
    if (expected.size > 400) break;
  }
  for (const one of readers) one.close();
});

describe('F-16 fast opener', () => {
  test('B-13 nothing is left of subscriptions closed, replaced or abandoned in the middle of history', async () => {
    for (let index = 0; index < 300; index += 1) await writer.publish(note('many'));
    reader.close();
    reader = await WireClient.open(edge.relay.url);
    await expect.poll(() => edge.relay.context.live.size().subscriptions).toBe(1);
    const opener = await WireClient.open(edge.relay.url);
    for (let index = 0; index < 5000; index += 1) {
      opener.send(['REQ', `s${index % 7}`, { '#t': ['many'], limit: 5 }]);
      if (index % 2 === 0) opener.send(['CLOSE', `s${index % 7}`]);
    }
    await opener.settled();
    for (let index = 0; index < 7; index += 1) opener.send(['CLOSE', `s${index}`]);
    await opener.settled();
    await expect.poll(() => edge.relay.context.live.size().subscriptions).toBe(1);
    for (let index = 0; index < 50; index += 1) opener.send(['REQ', `gone${index}`, { '#t': ['many'] }]);
    opener.close();
    await expect.poll(() => edge.relay.context.live.size()).toEqual({ connections: 2, subscriptions: 1 });
  });
});
