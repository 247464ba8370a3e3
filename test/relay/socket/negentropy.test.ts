// NIP-77 over real sockets: what a session finds, what it must never tell, and what it survives.

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import { LIMITS } from '../../../relay/limits.ts';
import type { Filter, NostrEvent } from '../../../relay/protocol/event.ts';
import { continueNegentropy, openNegentropy } from '../../../relay/protocol/negentropy.ts';
import { NegentropyBuilder } from '../../../relay/protocol/negentropy-items.ts';
import { NegentropySessions } from '../../../relay/socket/negentropy-sessions.ts';
import { RecordBudget } from '../../../relay/socket/negentropy-snapshot.ts';
import type { ReplayParts } from '../../../relay/socket/replay.ts';
import { Edge, person } from '../http/edge.ts';
import { type Frame, WireClient } from './wire-client.ts';

let edge: Edge;
let notes: NostrEvent[];
beforeAll(async () => {
  edge = await Edge.start();
  await edge.room('general');
  await edge.room('closed', 'members');
  notes = [];
  for (let index = 0; index < 120; index += 1) {
    const created_at = edge.now - (index % 40);
    notes.push(await edge.publish(edge.owner, { kind: 1, created_at, content: `note ${index}` }));
  }
});
afterAll(() => edge.close());

const NOTES = { kinds: [1] };
const EMPTY = '6100000200';

async function client(...signers: Signer[]): Promise<WireClient> {
  const opened = await WireClient.open(edge.relay.url, signers);
  onTestFinished(() => opened.close());
  return opened;
}

function setOf(events: readonly NostrEvent[]) {
  const builder = new NegentropyBuilder();
  for (const { created_at, id } of events) builder.add(created_at, id);
  return builder.build();
}

function answerTo(on: WireClient, id: string): Promise<Frame> {
  return on.next(frame => String(frame[0]).startsWith('NEG-') && frame[1] === id);
}

/** Opens a session and answers the frame that comes back. */
function open(on: WireClient, id: string, filter: unknown, message: unknown = EMPTY): Promise<Frame> {
  const answer = answerTo(on, id);
  on.send(['NEG-OPEN', id, filter, message]);
  return answer;
}

/** The whole dialogue of somebody who holds these events. */
async function reconciled(on: WireClient, filter: Filter, held: readonly NostrEvent[]) {
  const items = setOf(held);
  const have = new Set<string>();
  const need = new Set<string>();
  let frame = await open(on, 'all', filter, openNegentropy(items));
  for (;;) {
    if (frame[0] !== 'NEG-MSG') throw new Error(String(frame[2]));
    const progress = continueNegentropy(items, frame[2]);
    if (!progress.ok) throw new Error(progress.fault.text);
    for (const id of progress.have) have.add(id);
    for (const id of progress.need) need.add(id);
    if (progress.reply === null) break;
    const answer = answerTo(on, 'all');
    on.send(['NEG-MSG', 'all', progress.reply]);
    frame = await answer;
  }
  on.send(['NEG-CLOSE', 'all']);
  return { have: [...have].sort(), need: [...need].sort() };
}

const idsOf = (events: readonly NostrEvent[]) => events.map(({ id }) => id).sort();

/** Ids a session for that filter tells somebody who holds nothing. */
async function told(on: WireClient, filter: Filter): Promise<string[]> {
  return (await reconciled(on, filter, [])).need;
}

test('a session finds what each side lacks', async () => {
  const on = await client(edge.owner);
  const mine = Array.from({ length: 50 }, (_, index) => {
    return edge.sign(edge.owner, { kind: 1, created_at: edge.now - index, content: `mine ${index}` });
  });
  const found = await reconciled(on, NOTES, [...notes.slice(20), ...mine]);
  expect(found).toEqual({ have: idsOf(mine), need: idsOf(notes.slice(0, 20)) });
  const none = await reconciled(on, NOTES, notes);
  expect(none).toEqual({ have: [], need: [] });
  expect(await told(on, { ...NOTES, limit: 1 })).toHaveLength(1);
  expect(await told(on, { ...NOTES, limit: 0 })).toEqual([]);
});

test("nostr-tools' asking side reconciles over the socket", async () => {
  type Peer = {
    initiate(): string;
    reconcile(message: string, have: (id: string) => void, need: (id: string) => void): string | null;
  };
  type Storage = { insert(timestamp: number, id: string): void; seal(): void };
  type PeerModule = {
    NegentropyStorageVector: new () => Storage;
    Negentropy: new (storage: Storage, frameBytes: number) => Peer;
  };
  const path = resolve(import.meta.dirname, '../../../node_modules/nostr-tools/lib/esm/nip77.js');
  const { Negentropy, NegentropyStorageVector } = (await import(pathToFileURL(path).href)) as PeerModule;
  const storage = new NegentropyStorageVector();
  for (const { created_at, id } of notes.slice(0, 100)) storage.insert(created_at, id);
  storage.seal();
  const peer = new Negentropy(storage, 60_000);
  const on = await client(edge.owner);
  const need: string[] = [];
  const fail = () => {
    throw new Error('the peer holds nothing of its own');
  };
  let frame = await open(on, 'peer', NOTES, peer.initiate());
  for (;;) {
    const next = peer.reconcile(String(frame[2]), fail, id => need.push(id));
    if (next === null) break;
    const answer = answerTo(on, 'peer');
    on.send(['NEG-MSG', 'peer', next]);
    frame = await answer;
  }
  expect(need.sort()).toEqual(idsOf(notes.slice(100)));
});

test('the set is that of the opening: later, deleted and expired events are not told', async () => {
  const on = await client(edge.owner);
  const kind = 1111;
  const kept = await edge.publish(edge.owner, { kind, content: 'kept' });
  const gone = await edge.publish(edge.owner, { kind, content: 'gone' });
  await edge.publish(edge.owner, { kind: 5, tags: [['e', gone.id]] });
  await edge.publish(edge.owner, { kind, tags: [['expiration', String(edge.now + 1)]], content: 'brief' });
  const seen = () => edge.relay.context.count({ keys: [edge.owner.pubkey] }, [{ kinds: [kind] }]);
  await vi.waitUntil(async () => (await seen()) === 1, { timeout: 5000 });
  await open(on, 'snap', { kinds: [kind] });
  await edge.publish(edge.owner, { kind, content: 'later' });
  const answer = answerTo(on, 'snap');
  on.send(['NEG-MSG', 'snap', EMPTY]);
  expect((await answer)[2]).toBe(`6100000201${kept.id}`);
});

test('policy can switch it off', async () => {
  const on = await client(edge.owner);
  await edge.call(edge.owner, 'setpolicy', { features: { sync: false } });
  onTestFinished(() => edge.call(edge.owner, 'setpolicy', { features: { sync: true } }));
  expect((await open(on, 'off', NOTES))[2]).toMatch(/^unsupported:/);
});

test('a search finds the ids of what it matches', async () => {
  const on = await client(edge.owner);
  const kind = 30023;
  const found = await edge.publish(edge.owner, {
    kind,
    tags: [['d', 'q']],
    content: 'a quince in the garden',
  });
  const search = { kinds: [kind], search: 'quince' };
  await vi.waitUntil(async () => (await told(on, search)).length > 0);
  expect(await told(on, search)).toEqual([found.id]);
});

describe('F-21 a session tells nothing its client may not read', () => {
  test('a guest of a members-only relay, before and after AUTH', async () => {
    const on = await client();
    expect((await open(on, 'a', NOTES))[2]).toMatch(/^auth-required:/);
    const stranger = await client(person());
    expect((await open(stranger, 'a', NOTES))[2]).toMatch(/^restricted:/);
  });

  test('closed rooms and messages of others', async () => {
    const member = await edge.member();
    const secret = await edge.publish(edge.owner, { kind: 9, tags: [['h', 'closed']], content: 'secret' });
    const letter = await edge.publish(edge.owner, { kind: 4, tags: [['p', edge.owner.pubkey]] });
    const mine = await edge.publish(edge.owner, { kind: 4, tags: [['p', member.pubkey]] });
    const open = await edge.publish(edge.owner, { kind: 9, tags: [['h', 'general']], content: 'open' });
    const on = await client(member);
    expect(await told(on, { kinds: [4, 9] })).toEqual(idsOf([mine, open]));
    expect(await told(on, { ids: [secret.id, letter.id] })).toEqual([]);
    expect(await told(on, { '#h': ['closed'] })).toEqual([]);
    expect(await told(await client(edge.owner), { ids: [secret.id] })).toEqual([secret.id]);
  });

  test('losing access ends the session', async () => {
    const member = await edge.member();
    const on = await client(member);
    await open(on, 'lost', NOTES);
    const ended = answerTo(on, 'lost');
    await edge.call(edge.owner, 'removemember', member.pubkey);
    expect((await ended).slice(0, 2)).toEqual(['NEG-ERR', 'lost']);
    expect((await ended)[2]).toMatch(/^blocked:/);
    const after = answerTo(on, 'lost');
    on.send(['NEG-MSG', 'lost', EMPTY]);
    expect((await after)[2]).toMatch(/^closed:/);
  });
});

describe('F-23 abuse is answered with NEG-ERR and costs nobody anything', () => {
  const bad: [string, unknown][] = [
    ['B-08 a bad version byte', '5100000200'],
    ['nothing at all', ''],
    ['no hex', 'zz'],
    ['upper-case hex', 'AB'],
    ['no text', 7],
    ['null', null],
    ['a bound cut short', '6105'],
    ['a list longer than the message', `610000${'02'}ffff7f`],
    ['an unknown mode', '61000009'],
    ['a number without end', `61${'ff'.repeat(5000)}`],
  ];
  test.each(bad)('%s', async (_, message) => {
    const on = await client(edge.owner);
    const answer = await open(on, 'bad', NOTES, message);
    expect(answer.slice(0, 2)).toEqual(['NEG-ERR', 'bad']);
    expect(answer[2]).toMatch(/^invalid: negentropy/);
    const again = answerTo(on, 'bad');
    on.send(['NEG-MSG', 'bad', EMPTY]);
    expect((await again)[2]).toMatch(/^closed:/);
    expect((await open(on, 'bad', NOTES))[0]).toBe('NEG-MSG');
  });

  test('another version is answered with ours', async () => {
    const on = await client(edge.owner);
    expect(await open(on, 'v', NOTES, '6200')).toEqual(['NEG-MSG', 'v', '61']);
  });

  test('a bad filter, a bad id, a message to nobody, a closing of nothing', async () => {
    const on = await client(edge.owner);
    expect((await open(on, 'f', { kinds: 'x' }))[2]).toMatch(/^invalid: bad filter/);
    expect((await open(on, 'f', undefined))[2]).toMatch(/^invalid: bad filter/);
    const notice = on.next(frame => frame[0] === 'NOTICE');
    on.send(['NEG-OPEN', 'x'.repeat(65), NOTES, EMPTY]);
    expect((await notice)[1]).toMatch(/^invalid:/);
    on.send(['NEG-CLOSE', 'nobody']);
    const answer = answerTo(on, 'nobody');
    on.send(['NEG-MSG', 'nobody', EMPTY]);
    expect((await answer)[2]).toMatch(/^closed:/);
  });

  test('more sessions than one connection may hold; one given back makes room', async () => {
    const on = await client(edge.owner);
    for (let index = 0; index < LIMITS.negentropySessions; index += 1) {
      expect((await open(on, `s${index}`, NOTES))[0]).toBe('NEG-MSG');
    }
    expect((await open(on, 'over', NOTES))[2]).toMatch(/^rate-limited:/);
    expect((await open(on, 's0', NOTES))[0]).toBe('NEG-MSG');
    on.send(['NEG-CLOSE', 's0']);
    expect((await open(on, 'over', NOTES))[0]).toBe('NEG-MSG');
  });

  test('a message of the largest size is answered within the frame limit', async () => {
    const on = await client(edge.owner);
    // Fingerprints that match nothing, one a second: the answer would be far larger than a frame may be.
    const range = `02000101${'11'.repeat(16)}`.slice(0, 6 + 32);
    const message = `61${range.repeat(12_000)}`.slice(0, LIMITS.messageBytes - 200);
    const whole = message.slice(0, 2 + Math.floor((message.length - 2) / range.length) * range.length);
    const answer = await open(on, 'large', {}, whole);
    expect(answer[0]).toBe('NEG-MSG');
    expect(String(answer[2]).length).toBeLessThan(140_000);
  });
});

describe('F-23 what sessions hold is bounded', () => {
  function sessions(terms: { records: number; idleMs: number }, budget: RecordBudget) {
    const { store, visibility } = edge.relay.context;
    const sent: unknown[][] = [];
    const { policy } = edge.relay.context;
    const parts = { events: store.events, visibility, policy, budget, negentropy: terms };
    const opened = new NegentropySessions(parts as ReplayParts & typeof parts, {
      reader: () => ({ keys: [edge.owner.pubkey] }),
      isOpen: true,
      send: message => void sent.push([...message]),
      failed: error => {
        throw error;
      },
    });
    onTestFinished(() => opened.closeAll());
    return { opened, sent };
  }
  const idleMs = 60_000;

  test('one session: NEG-ERR blocked with the cap as its fourth element', async () => {
    const budget = new RecordBudget(1000);
    const { opened, sent } = sessions({ records: 100, idleMs }, budget);
    opened.open('many', NOTES, EMPTY);
    const text = 'blocked: more than 100 events match, narrow the filter';
    await vi.waitUntil(() => sent.length > 0);
    expect(sent).toEqual([['NEG-ERR', 'many', text, 100]]);
    expect(budget.held).toBe(0);
  });

  test('all sessions together, and what is closed is given back', async () => {
    const budget = new RecordBudget(150);
    const { opened, sent } = sessions({ records: 1000, idleMs }, budget);
    opened.open('one', NOTES, EMPTY);
    opened.open('two', NOTES, EMPTY);
    await vi.waitUntil(() => sent.length === 2);
    expect(sent.map(frame => frame[0])).toEqual(['NEG-MSG', 'NEG-ERR']);
    expect(sent[1]?.[2]).toMatch(/^error: too many events/);
    expect(budget.held).toBe(notes.length);
    opened.close('one');
    expect(budget.held).toBe(0);
    opened.open('two', NOTES, EMPTY);
    await vi.waitUntil(() => sent.length === 3);
    expect(sent[2]?.[0]).toBe('NEG-MSG');
  });

  test('a session nobody speaks in is dropped', async () => {
    const budget = new RecordBudget(1000);
    const { opened, sent } = sessions({ records: 1000, idleMs: 5 }, budget);
    opened.open('idle', NOTES, EMPTY);
    await vi.waitUntil(() => sent.length === 2);
    expect(sent[1]).toEqual(['NEG-ERR', 'idle', 'closed: nothing was said for too long']);
    expect(budget.held).toBe(0);
  });
});
