// What counts as asking, and as telling to stop.

import { expect, test } from 'vitest';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { isStopWord, readWork, resolveRoot } from '../../../runner/agent/mention.ts';

const me = 'a'.repeat(64);
const you = 'b'.repeat(64);
const id = (character: string) => character.repeat(64);
const now = 1_800_000_000;
const listener = { pubkey: me, rooms: ['general'] };

const event = (more: Partial<NostrEvent> = {}): NostrEvent => ({
  id: id('1'),
  pubkey: you,
  created_at: now,
  kind: 9,
  tags: [
    ['h', 'general'],
    ['p', me],
  ],
  content: 'hello',
  sig: '',
  ...more,
});

test.each<[string, Partial<NostrEvent>]>([
  ['its own', { pubkey: me }],
  ['another kind', { kind: 1 }],
  ['nobody named', { tags: [['h', 'general']] }],
  [
    'another room',
    {
      tags: [
        ['h', 'other'],
        ['p', me],
      ],
    },
  ],
  ['no room', { tags: [['p', me]] }],
  ['older than a day', { created_at: now - 86_401 }],
  ['from the future', { created_at: now + 61 }],
  ['too long', { content: 'é'.repeat(32_001) }],
  [
    'expired',
    {
      tags: [
        ['h', 'general'],
        ['p', me],
        ['expiration', String(now)],
      ],
    },
  ],
  [
    'an expiration that is none',
    {
      tags: [
        ['h', 'general'],
        ['p', me],
        ['expiration', 'soon'],
      ],
    },
  ],
])('passed over: %s', (_, more) => {
  expect(readWork(event(more), listener, now).ok).toBe(false);
});

test('taken in: mentions of three kinds, and requests with subject and thread', () => {
  for (const kind of [9, 11, 12]) expect(readWork(event({ kind }), listener, now).ok).toBe(true);
  const tags = [
    ['h', 'general'],
    ['p', me],
    ['subject', 'S'],
    ['e', id('2'), '', 'root'],
  ];
  const read = readWork(event({ kind: 43001, tags, content: '' }), listener, now);
  expect(read).toMatchObject({
    ok: true,
    work: { type: 'request', subject: 'S', root: id('2'), threaded: true },
  });
});

test.each([
  ['/cancel', true],
  ['  /stop now', true],
  ['@tester /cancel', true],
  ['@tester, /cancel', true],
  ['@My Agent: /stop', true],
  [`nostr:npub1${'q'.repeat(58)} /stop`, true],
  ['/cancelled', false],
  ['please /cancel', false],
  ['/Cancel', false],
  ['', false],
])('stop word %j: %s', (content, expected) => {
  expect(isStopWord(content, 'My Agent')).toBe(expected);
});

test('a root is followed upwards through messages of the room, and never in a circle', async () => {
  const parents: Record<string, string | undefined> = {
    [id('3')]: id('2'),
    [id('2')]: id('1'),
    [id('1')]: undefined,
  };
  const query = async ([filter]: { ids?: string[] }[]) => {
    const wanted = filter?.ids?.[0] ?? '';
    if (!(wanted in parents)) return [];
    const parent = parents[wanted];
    return [event({ id: wanted, kind: 12, tags: parent === undefined ? [] : [['e', parent, '', 'root']] })];
  };
  expect(await resolveRoot(id('3'), 'general', query)).toBe(id('1'));
  parents[id('1')] = id('3');
  expect([id('1'), id('2'), id('3')]).toContain(await resolveRoot(id('3'), 'general', query));
  expect(await resolveRoot(id('9'), 'general', query)).toBe(id('9'));
});
