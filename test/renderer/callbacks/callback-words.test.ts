import { expect, test } from 'vitest';
import type { CallbackView } from '../../../main/contract/callbacks.ts';
import {
  byOwner,
  callbackState,
  countCallbacks,
  countWords,
  outcomeWords,
  statusWords,
  waitWords,
} from '../../../renderer/callbacks/callback-words.ts';

const key = (digit: string) => digit.repeat(64);
const names = { party: (pubkey: string) => `P${pubkey[0]}`, room: (id: string) => id };

function callback(more: Partial<CallbackView> = {}): CallbackView {
  return {
    ...{ id: '1'.repeat(32), owner: key('a'), host: 'worker.example', filter: { kinds: [9] }, created: 1 },
    ...{ lastDelivery: 0, lastStatus: '', failures: 0, paused: false, ...more },
  };
}

test.each([
  [{ kinds: [9, 11, 12], '#h': ['build'], '#p': [key('b')] }, 'Messages in #build that name Pb'],
  [{ kinds: [7, 9, 1111], '#p': [key('b')] }, 'Reactions, messages and comments that name Pb'],
  [
    { kinds: [1621, 1618, 1111], '#a': [`30617:${key('a')}:tinyrelay`] },
    'Issues, pull requests and comments in tinyrelay',
  ],
  [{ kinds: [30618], authors: [key('a'), key('b')] }, 'Pushes by Pa or Pb'],
  [{ kinds: [12345], '#e': [key('c')] }, 'Kind 12345 on event cccccccc'],
])('%j reads "%s"', (filter, words) => {
  expect(waitWords(filter, names)).toBe(words);
});

test('each state has its word and its reason', () => {
  const told = (more: Partial<CallbackView>) => {
    const one = callback(more);
    return [callbackState(one), statusWords(one)];
  };
  expect(told({})).toEqual(['active', 'nothing sent yet']);
  expect(told({ lastDelivery: 5, lastStatus: 'HTTP 200' })).toEqual(['active', 'HTTP 200']);
  expect(told({ failures: 1, lastStatus: 'HTTP 500' })).toEqual(['failing', 'HTTP 500, once']);
  expect(told({ failures: 3, lastStatus: 'TLS' })).toEqual(['failing', 'TLS, 3 times in a row']);
  expect(told({ paused: true, failures: 3, lastStatus: 'HTTP 500' })).toEqual([
    'paused',
    'paused by a person',
  ]);
  expect(told({ paused: true, lastStatus: 'paused: the key is no member' })).toEqual([
    'paused',
    'the key is no member',
  ]);
});

test('counts, and whose each is with the person first', () => {
  const list = [
    callback({ owner: key('b') }),
    callback({ owner: key('a'), failures: 2 }),
    callback({ owner: key('b'), paused: true, failures: 20 }),
  ];
  expect(countCallbacks(list)).toEqual({ active: 2, paused: 1, failing: 1 });
  expect(countWords(countCallbacks(list))).toBe('2 active, 1 paused');
  expect(countWords({ active: 0, paused: 0, failing: 0 })).toBe('0 active');
  expect(byOwner(list, key('a')).map(([owner, some]) => [owner[0], some.length])).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
});

test('what came of a POST', () => {
  const entry = { event_id: key('e'), attempt: 1, at: 1, status: 200, outcome: '', milliseconds: 12 };
  expect(outcomeWords(entry)).toBe('HTTP 200 in 12 ms');
  expect(outcomeWords({ ...entry, status: 500, outcome: 'HTTP 500', attempt: 2 })).toBe(
    'HTTP 500 in 12 ms, attempt 2',
  );
  expect(outcomeWords({ ...entry, status: 0, outcome: 'not sent: the event is gone', milliseconds: 0 })).toBe(
    'not sent: the event is gone',
  );
});
