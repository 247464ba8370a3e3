import { describe, expect, test } from 'vitest';
import { approvalRequest, askedKeys, settleApproval } from '../../../relay/protocol/approval.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { hex, madeEvent } from './made.ts';

const now = 1_700_000_100;
const asker = hex('a1');
const ann = hex('b2');
const bob = hex('c3');
const stranger = hex('d4');

function asked(fields: Partial<NostrEvent> = {}, ...tags: string[][]): NostrEvent {
  return madeEvent({
    kind: 9,
    pubkey: asker,
    tags: [['h', 'general'], ['request', 'approve'], ['p', ann], ['p', bob], ...tags],
    ...fields,
  });
}

function reaction(content: string, request: NostrEvent, fields: Partial<NostrEvent> = {}): NostrEvent {
  return madeEvent({ kind: 7, pubkey: ann, created_at: now, content, tags: [['e', request.id]], ...fields });
}

function reply(request: NostrEvent, content: string, fields: Partial<NostrEvent> = {}): NostrEvent {
  const kind = String(request.kind);
  return madeEvent({
    kind: 1111,
    pubkey: ann,
    created_at: now,
    content,
    tags: [
      ['h', 'general'],
      ['E', request.id],
      ['K', kind],
      ['P', request.pubkey],
      ['e', request.id],
      ['k', kind],
      ['p', request.pubkey],
    ],
    ...fields,
  });
}

function settle(event: NostrEvent, ...answers: NostrEvent[]) {
  const request = approvalRequest(event);
  if (request === null) throw new Error('no request');
  return settleApproval(request, answers, now);
}

describe('what counts as a request', () => {
  test.each([1111, 9, 11])('kind %i with a request tag and an asked key', kind => {
    expect(approvalRequest(asked({ kind }))).toMatchObject({ type: 'approve', asked: [ann, bob] });
  });
  test.each([1, 12, 7, 30023])('kind %i never', kind => {
    expect(approvalRequest(asked({ kind }))).toBeNull();
  });
  test.each([' Approve ', 'DECIDE', 'question'])('the word %j', word => {
    const event = asked({
      tags: [
        ['request', word],
        ['p', ann],
      ],
    });
    expect(approvalRequest(event)?.type).toBe(word.trim().toLowerCase());
  });
  test.each([
    [
      'an unknown word',
      [
        ['request', 'confirm'],
        ['p', ann],
      ],
    ],
    ['no word', [['p', ann]]],
    ['nobody asked', [['request', 'approve']]],
    [
      'only the author asked',
      [
        ['request', 'approve'],
        ['p', asker],
      ],
    ],
    [
      'only P',
      [
        ['request', 'approve'],
        ['P', ann],
      ],
    ],
    [
      'no key',
      [
        ['request', 'approve'],
        ['p', 'ann'],
      ],
    ],
    [
      'grant without its contract',
      [
        ['request', 'grant'],
        ['p', ann],
      ],
    ],
    [
      'a malformed native card',
      [
        ['request', 'question'],
        ['p', ann],
        ['tinyagent', '1'],
      ],
    ],
  ])('%s is an ordinary message', (_, tags) => {
    expect(approvalRequest(asked({ tags }))).toBeNull();
  });
  test('asked are the p values other than the author, each once, sixteen at most', () => {
    const many = Array.from({ length: 20 }, (_, n) => ['p', n.toString(16).padStart(64, '0')]);
    const tags = [['p', asker], ['p', ann], ['p', ann], ['P', bob], ...many];
    const keys = askedKeys({ pubkey: asker, tags });
    expect(keys).toHaveLength(16);
    expect(keys.slice(0, 2)).toEqual([ann, '0'.repeat(64)]);
    expect(keys).not.toContain(bob);
  });
});

describe('answers to ordinary requests', () => {
  const request = asked();
  test('plus approves, minus denies', () => {
    expect(settle(request, reaction('+', request))).toMatchObject({
      state: 'answered',
      answer: { decision: 'approved', author: ann, kind: 7 },
    });
    expect(settle(request, reaction(' -\n', request)).answer?.decision).toBe('denied');
  });
  test.each(['', '👍', '++', 'yes', '+1', ':+1:'])('D6 the reaction %j decides nothing', content => {
    expect(settle(request, reaction(content, request))).toEqual({ state: 'open' });
  });
  test('a stranger, the asker and an answer to something else change nothing', () => {
    const other = asked();
    const answers = [
      reaction('+', request, { pubkey: stranger }),
      reaction('+', request, { pubkey: asker }),
      reaction('+', other),
      reply(request, 'sure', { pubkey: stranger }),
    ];
    expect(settle(request, ...answers)).toEqual({ state: 'open' });
  });
  test('the newest deciding reaction of those asked counts, in one second the lower id', () => {
    const older = reaction('+', request, { created_at: now - 5 });
    const newer = reaction('-', request, { pubkey: bob });
    expect(settle(request, newer, older).answer).toMatchObject({ decision: 'denied', author: bob });
    const [low, high] = [reaction('+', request), reaction('-', request)];
    expect(settle(request, high, low).answer?.decision).toBe('approved');
  });
  test('a reply counts when nobody has decided, a decision wins over a later reply', () => {
    const early = reaction('+', request, { created_at: now - 50 });
    const words = reply(request, 'Which one?');
    expect(settle(request, words).answer).toMatchObject({ decision: 'replied', content: 'Which one?' });
    expect(settle(request, words, early).answer?.decision).toBe('approved');
    expect(settle(request, words, reaction('👀', request)).answer?.decision).toBe('replied');
  });
  test('a reply that asks something itself is no answer', () => {
    const counter = reply(request, 'May I ask back?');
    counter.tags.push(['request', 'question']);
    expect(settle(request, counter)).toEqual({ state: 'open' });
  });
  test('without an answer it expires at its expiration', () => {
    expect(settle(asked({}, ['expiration', String(now)]))).toEqual({ state: 'expired' });
    expect(settle(asked({}, ['expiration', String(now + 1)]))).toEqual({ state: 'open' });
  });
});

describe('answers to native cards', () => {
  const card = (...tags: string[][]) =>
    asked({
      tags: [
        ['h', 'general'],
        ['p', ann],
        ['request', 'question'],
        ['tinyagent', '1'],
        ['interaction', 'question'],
        ['selection', 'single'],
        ['option', 'continue', 'Continue playing'],
        ['option', 'stop', 'Stop here'],
        ...tags,
      ],
    });
  const request = card(['expiration', String(now + 10)]);
  test('a valid reply settles it with the raw content', () => {
    expect(settle(request, reply(request, ' stop ')).answer).toMatchObject({
      decision: 'replied',
      content: ' stop ',
    });
  });
  test('a reaction never does', () => {
    expect(settle(request, reaction('+', request))).toEqual({ state: 'open' });
  });
  const change = (name: string, value: string | null) => {
    const event = reply(request, 'stop');
    event.tags = event.tags.flatMap(tag => (tag[0] !== name ? [tag] : value === null ? [] : [[name, value]]));
    return event;
  };
  test.each([
    ['an id that is no option', reply(request, 'later')],
    ['a stranger', reply(request, 'stop', { pubkey: stranger })],
    ['before the request', reply(request, 'stop', { created_at: request.created_at - 1 })],
    ['at the expiration', reply(request, 'stop', { created_at: now + 10 })],
    ['another room', change('h', 'other')],
    ['no room', change('h', null)],
    ['another e', change('e', hex('99'))],
    ['another E', change('E', hex('99'))],
    ['another p', change('p', bob)],
    ['another P', change('P', bob)],
    ['another k', change('k', '1')],
    ['another K', change('K', '1')],
    ['another kind', reply(request, 'stop', { kind: 9 })],
  ])('%s is passed over', (_, answer) => {
    expect(settle(request, answer)).toEqual({ state: 'open' });
  });
  test('of valid and invalid answers the newest valid counts', () => {
    const good = reply(request, 'continue', { created_at: now - 5 });
    expect(settle(request, reply(request, 'nonsense'), good).answer?.content).toBe('continue');
  });
});
