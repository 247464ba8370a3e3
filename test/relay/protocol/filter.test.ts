import { describe, expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { matches, parseFilter, parseFilters } from '../../../relay/protocol/filter.ts';

const CAPS = { filters: 3, filterValues: 4 };
const HEX = 'a'.repeat(64);

function reason(filter: unknown): string {
  const parsed = parseFilter(filter, CAPS);
  return parsed.ok ? 'taken' : parsed.refusal;
}

describe('reading a filter', () => {
  test('every key of NIP-01', () => {
    const filter = {
      ids: [HEX],
      authors: [HEX],
      kinds: [0, 65_535],
      '#e': [HEX],
      '#h': ['room'],
      since: 0,
      until: 9,
      limit: 0,
    };
    expect(parseFilter(filter, CAPS)).toEqual({ ok: true, value: filter });
  });

  test('values named twice count once', () => {
    expect(parseFilter({ kinds: [1, 1, 2], '#t': ['a', 'a'] }, CAPS)).toEqual({
      ok: true,
      value: { kinds: [1, 2], '#t': ['a'] },
    });
  });

  test.each([{ unknown: 1 }, { '#tt': ['a'] }, { '&t': ['a'] }, { Kinds: [1] }, { '#-': ['a'] }])(
    'unknown key in %j is refused instead of widening the answer',
    filter => expect(reason(filter)).toMatch(/^invalid: bad filter: unknown key/),
  );

  test.each([{ ids: [] }, { authors: [] }, { kinds: [] }, { '#t': [] }])('empty list in %j', filter => {
    expect(reason(filter)).toMatch(/^invalid: bad filter: .* at least one/);
  });

  test.each([{ ids: ['ab'] }, { authors: [HEX.toUpperCase()] }, { '#e': ['x'] }, { '#p': [`${HEX}0`] }])(
    'prefixes and other spellings in %j',
    filter => expect(reason(filter)).toMatch(/^invalid: bad filter: .* 64 hex/),
  );

  test.each([
    { since: 1.5 },
    { since: -1 },
    { until: '9' },
    { since: Number.POSITIVE_INFINITY },
    { limit: -1 },
    { limit: 0.1 },
    { limit: null },
  ])('B-05 a bound that is no whole number in %j is refused, never dropped', filter => {
    expect(reason(filter)).toMatch(/^invalid: bad filter: .* whole number/);
  });

  test.each([{ kinds: ['1'] }, { kinds: [65_536] }, { '#t': [1] }, { ids: 'x' }, { '#t': ['\ud800'] }])(
    'wrong values in %j',
    filter => expect(reason(filter)).toMatch(/^invalid: bad filter/),
  );

  test.each([null, 1, 'x', [], undefined])('%j is no filter', filter => {
    expect(reason(filter)).toMatch(/^invalid: bad filter/);
  });

  test('F-12 lists and requests have an end', () => {
    expect(reason({ kinds: [1, 2, 3, 4, 5] })).toMatch(/more than 4 values/);
    expect(parseFilters([{}, {}, {}, {}], CAPS)).toMatchObject({ ok: false });
    expect(parseFilters([], CAPS)).toMatchObject({ ok: false });
  });

  test('F-11 a key called __proto__ is an unknown key', () => {
    expect(reason(JSON.parse('{"__proto__":{"kinds":[1]}}'))).toMatch(/unknown key __proto__/);
  });
});

describe('matching', () => {
  const event = signerFrom(generateSecret()).sign({
    kind: 9,
    created_at: 100,
    tags: [['h', 'room'], ['t', 'a', 'second'], ['e'], ['T', 'b']],
    content: '',
  });

  test('B-12 since and until include their second', () => {
    expect(matches({ since: 100, until: 100 }, event)).toBe(true);
    expect(matches({ since: 101 }, event)).toBe(false);
    expect(matches({ until: 99 }, event)).toBe(false);
  });

  test('a bound of 0 is a bound', () => {
    expect(matches({ until: 0 }, event)).toBe(false);
  });

  test('only the first value of a tag counts, and letters keep their case', () => {
    expect(matches({ '#t': ['second'] }, event)).toBe(false);
    expect(matches({ '#t': ['b'] }, event)).toBe(false);
    expect(matches({ '#T': ['b'] }, event)).toBe(true);
  });

  test('conditions are joined by and, values by or', () => {
    expect(matches({ kinds: [1, 9], '#h': ['x', 'room'] }, event)).toBe(true);
    expect(matches({ kinds: [9], '#h': ['x'] }, event)).toBe(false);
  });
});
