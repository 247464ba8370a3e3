import { expect, test } from 'vitest';
import {
  callbackCoverage,
  callbackMatcher,
  parseCallbackFilter,
} from '../../../relay/protocol/callback-filter.ts';
import type { GrantScope, GrantState } from '../../../relay/protocol/grant.ts';
import { random, runSeed } from '../negentropy/seeded.ts';

const key = 'ab'.repeat(32);
const other = 'cd'.repeat(32);

test('a filter with every key is read, values once, since left out', () => {
  const filter = {
    kinds: [9, 11, 9],
    authors: [key],
    '#a': [`30617:${key}:tiny:relay`, `10002:${key}:`],
    '#e': [key],
    '#p': [key, other, key],
    '#h': ['build'],
    since: 'whatever',
  };
  expect(parseCallbackFilter(filter)).toEqual({
    ok: true,
    value: {
      kinds: [9, 11],
      authors: [key],
      '#a': filter['#a'],
      '#e': [key],
      '#p': [key, other],
      '#h': ['build'],
    },
  });
});

const refusals: [name: string, filter: unknown, told: RegExp][] = [
  ['nothing', null, /must be an object/],
  ['a list', [], /must be an object/],
  ['no kinds', { '#p': [key] }, /kinds/],
  ['empty kinds', { kinds: [] }, /kinds/],
  ['33 kinds', { kinds: Array.from({ length: 33 }, (_, i) => i) }, /kinds/],
  ['a kind too large', { kinds: [65_536] }, /kinds/],
  ['a fractional kind', { kinds: [1.5] }, /kinds/],
  ['a kind as text', { kinds: ['1'] }, /kinds/],
  ['nine authors', { kinds: [1], authors: Array(9).fill(key) }, /authors/],
  ['an upper-case key', { kinds: [1], authors: [key.toUpperCase()] }, /authors/],
  ['a short id', { kinds: [1], '#e': ['ab'] }, /#e/],
  ['an empty list', { kinds: [1], '#p': [] }, /#p/],
  ['an address without identifier', { kinds: [1], '#a': [`30617:${key}`] }, /#a/],
  ['an address of kind 070000', { kinds: [1], '#a': [`070000:${key}:x`] }, /#a/],
  ['an address of no key', { kinds: [1], '#a': ['30617:me:x'] }, /#a/],
  ['a room id with a space', { kinds: [1], '#h': ['a room'] }, /#h/],
  ['ids', { kinds: [1], ids: [key] }, /unknown key ids/],
  ['another tag', { kinds: [1], '#t': ['x'] }, /unknown key #t/],
  ['limit', { kinds: [1], limit: 1 }, /unknown key limit/],
  ['__proto__', JSON.parse('{"kinds":[1],"__proto__":[1]}'), /unknown key __proto__/],
];

test.each(refusals)('refuses %s and names the key', (_name, filter, told) => {
  const parsed = parseCallbackFilter(filter);
  expect(parsed.ok ? '' : parsed.refusal).toMatch(/^invalid: callback filter /);
  expect(parsed.ok ? '' : parsed.refusal).toMatch(told);
});

test('what is read reads again the same, and nothing throws', () => {
  const seed = runSeed();
  const next = random(seed);
  const pool: unknown[] = [1, 9, 70_000, -1, key, 'x', `1:${key}:d`, null, [], {}, 'build', 1.5];
  const keys = ['kinds', 'authors', '#a', '#e', '#p', '#h', '#t', 'since', 'ids'];
  for (let round = 0; round < 2000; round += 1) {
    const filter = Object.fromEntries(
      Array.from({ length: next(4) }, () => [
        keys[next(keys.length)],
        Array.from({ length: next(4) }, () => pool[next(pool.length)]),
      ]),
    );
    const parsed = parseCallbackFilter(filter);
    if (parsed.ok) expect(parseCallbackFilter(parsed.value), `seed ${seed}`).toEqual(parsed);
  }
});

test('an event matches when its kind is listed and every named tag has a listed value', () => {
  const matches = callbackMatcher({ kinds: [9], '#h': ['build', 'main'], '#p': [key] });
  const event = (kind: number, tags: string[][]) => ({
    id: '',
    pubkey: key,
    created_at: 0,
    kind,
    tags,
    content: '',
    sig: '',
  });
  expect(
    matches(
      event(9, [
        ['h', 'main'],
        ['p', other],
        ['p', key],
      ]),
    ),
  ).toBe(true);
  expect(matches(event(9, [['h', 'main']]))).toBe(false);
  expect(
    matches(
      event(9, [
        ['h', 'else'],
        ['p', key],
      ]),
    ),
  ).toBe(false);
  expect(
    matches(
      event(1, [
        ['h', 'main'],
        ['p', key],
      ]),
    ),
  ).toBe(false);
  expect(matches(event(9, [['h'], ['p', key]]))).toBe(false);
});

test('an agent’s filter must stay inside its grant; kinds are not limited by it', () => {
  const scope: GrantScope = {
    kinds: [9],
    rooms: ['build'],
    repos: [{ owner: key, identifier: 'tiny', level: 'read' }],
    rate: 60,
  };
  const ask = (filter: object, state: GrantState = 'active') => {
    const parsed = parseCallbackFilter({ kinds: [7], ...filter });
    return parsed.ok ? callbackCoverage(parsed.value, { scope, state }) : parsed.refusal;
  };
  expect(ask({})).toBeNull();
  expect(ask({ '#h': ['build'], '#a': [`30617:${key}:tiny`, `30023:${other}:x`] })).toBeNull();
  expect(ask({ '#h': ['build', 'else'] })).toMatch(/^restricted: .*does not cover room else/);
  expect(ask({ '#a': [`30617:${other}:tiny`] })).toMatch(/^restricted: .*does not cover repository tiny/);
  for (const state of ['paused', 'revoked', 'expired'] as const)
    expect(ask({}, state)).toMatch(/^restricted: agent grant/);
  expect(callbackCoverage({ kinds: [1] }, null)).toBe('restricted: agent grant is not active');
});
