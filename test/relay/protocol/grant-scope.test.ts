import { describe, expect, test } from 'vitest';
import type { GrantScope } from '../../../relay/protocol/grant.ts';
import {
  allowsKind,
  grantStateRefusal,
  scopeRefusal,
  siteLifetime,
  uploadTerms,
} from '../../../relay/protocol/grant-scope.ts';
import { namedSiteLabel, rootSiteLabel } from '../../../relay/protocol/site.ts';
import { hex, madeEvent } from './made.ts';

const now = 1_700_000_000;
const agent = hex('a1');
const owner = hex('0f');
const nothing: GrantScope = { kinds: [], rooms: [], repos: [], rate: 60 };

function refusalOf(scope: Partial<GrantScope>, kind: number, tags: string[][] = []): string | null {
  return scopeRefusal({ ...nothing, ...scope }, madeEvent({ kind, tags, pubkey: agent }), now);
}

test('a grant with no k tags lets only profile, relay list and AUTH through', () => {
  expect([0, 10002, 22242, 1, 9, 1111].filter(kind => allowsKind(nothing, kind))).toEqual([0, 10002, 22242]);
});

test.each([
  ['wiki propose', { wiki: 'propose' }, [30818, 818]],
  ['wiki edit', { wiki: 'edit' }, [30818, 818, 30819]],
  ['jobs request', { jobs: 'request' }, [43001, 43005]],
  ['jobs serve', { jobs: 'serve' }, [43002, 43003, 43004, 43006]],
  ['jobs both', { jobs: 'both' }, [43001, 43002, 43003, 43004, 43005, 43006]],
  ['sites', { sites: [{ label: '*' }] }, [15128, 35128]],
  ['no sites', { sites: [] }, []],
  ['k', { kinds: [5128, 43004] }, [5128, 43004]],
] as const)('%s admits exactly its kinds', (_, fields, kinds) => {
  const scope = { ...nothing, ...fields } as GrantScope;
  const all = [818, 5128, 15128, 30818, 30819, 35128, 43001, 43002, 43003, 43004, 43005, 43006];
  expect(all.filter(kind => allowsKind(scope, kind))).toEqual([...kinds].sort((a, b) => a - b));
});

test.each([
  ['active', null],
  ['paused', 'restricted: agent grant is paused'],
  ['revoked', 'restricted: agent grant is revoked'],
  ['expired', 'restricted: agent grant has expired'],
] as const)('a grant that is %s', (state, refusal) => {
  expect(grantStateRefusal(state)).toBe(refusal);
});

describe('rooms', () => {
  const scope = { kinds: [9], rooms: ['general'] };
  test('a granted room passes, no room passes, another does not', () => {
    expect(refusalOf(scope, 9, [['h', 'general']])).toBeNull();
    expect(refusalOf(scope, 9)).toBeNull();
    expect(refusalOf(scope, 9, [['h', '']])).toBeNull();
    expect(refusalOf(scope, 9, [['h', 'secret']])).toBe('restricted: agent grant does not allow room secret');
  });
  test('a second h tag does not get past the first', () => {
    const tags = [
      ['h', 'general'],
      ['h', 'secret'],
    ];
    expect(refusalOf(scope, 9, tags)).toBe('restricted: agent grant does not allow room secret');
  });
  test('the kind is refused before the room', () => {
    expect(refusalOf(scope, 1, [['h', 'secret']])).toBe('restricted: agent grant does not allow kind 1');
  });
});

describe('repositories', () => {
  const address = (identifier: string) => `30617:${owner}:${identifier}`;
  const kinds = [1617, 1618, 1619, 1621, 1111, 1630, 1631, 1632, 1633, 30618];
  const scope = (level: 'propose' | 'read' | 'maintain') => ({
    kinds,
    repos: [{ owner, identifier: 'tiny:relay', level }],
  });
  test.each([1617, 1618, 1619, 1621, 1111])('kind %i needs any level on the repository', kind => {
    for (const level of ['propose', 'read', 'maintain'] as const) {
      expect(refusalOf(scope(level), kind, [['a', address('tiny:relay')]])).toBeNull();
    }
    expect(refusalOf(scope('maintain'), kind, [['a', address('other')]])).toBe(
      `restricted: agent grant does not allow repository ${owner}:other`,
    );
  });
  test('every a and A has to be covered', () => {
    const tags = [
      ['a', address('tiny:relay')],
      ['A', address('other')],
    ];
    expect(refusalOf(scope('read'), 1111, tags)).toMatch(/does not allow repository .*:other$/);
  });
  test('all but comments need a repository address', () => {
    expect(refusalOf(scope('read'), 1621)).toMatch(/without a repository address$/);
    expect(refusalOf(scope('read'), 1621, [['a', `30818:${owner}:page`]])).toMatch(/without a repository/);
    expect(refusalOf(scope('read'), 1111)).toBeNull();
  });
  test.each([1630, 1631, 1632, 1633])('status kind %i needs maintain', kind => {
    const tags = [['a', address('tiny:relay')]];
    expect(refusalOf(scope('maintain'), kind, tags)).toBeNull();
    expect(refusalOf(scope('read'), kind, tags)).toBe(
      `restricted: agent grant does not allow status changes in repository ${owner}:tiny:relay`,
    );
  });
});

describe('sites', () => {
  const label = rootSiteLabel(agent);
  const named = namedSiteLabel(agent, 'blog');
  const expiring = (days: number) => [['expiration', String(now + days * 86_400)]];
  test('only a covered label passes', () => {
    expect(refusalOf({ sites: [{ label }] }, 15128)).toBeNull();
    expect(refusalOf({ sites: [{ label: named }] }, 35128, [['d', 'blog']])).toBeNull();
    expect(refusalOf({ sites: [{ label: '*' }] }, 35128, [['d', 'blog']])).toBeNull();
    expect(refusalOf({ sites: [{ label }] }, 35128, [['d', 'blog']])).toBe(
      `restricted: agent grant does not allow site ${named}`,
    );
  });
  test('a k tag without a sites entry admits the kind and still no site', () => {
    expect(refusalOf({}, 15128)).toBe('restricted: agent grant does not allow kind 15128');
    expect(refusalOf({ kinds: [15128] }, 15128)).toBe(`restricted: agent grant does not allow site ${label}`);
  });
  test('snapshots are never covered', () => {
    expect(refusalOf({ sites: [{ label: '*' }] }, 5128)).toBe(
      'restricted: agent grant does not allow kind 5128',
    );
  });
  test('a ttl asks for an expiration and says what to add', () => {
    const scope = { sites: [{ label: '*', ttl: 7 }] };
    const latest = now + 7 * 86_400;
    expect(refusalOf(scope, 15128)).toBe(
      `invalid: agent grant allows site ${label} for 7 days: add an expiration tag no later than ${latest}`,
    );
    expect(refusalOf(scope, 15128, expiring(8))).toBe(
      `invalid: agent grant allows site ${label} for 7 days: set the expiration tag no later than ${latest}`,
    );
    expect(refusalOf(scope, 15128, [['expiration', 'soon']])).toMatch(/^invalid: /);
    expect(refusalOf(scope, 15128, expiring(7))).toBeNull();
  });
  test('of several entries the longest counts, and one without ttl lifts the rule', () => {
    const sites = [
      { label, ttl: 3 },
      { label: '*', ttl: 9 },
    ];
    expect(siteLifetime({ ...nothing, sites }, label)).toBe(9);
    expect(siteLifetime({ ...nothing, sites: [...sites, { label: '*' }] }, label)).toBeNull();
    expect(siteLifetime({ ...nothing, sites }, named)).toBe(9);
    expect(siteLifetime(nothing, label)).toBeUndefined();
  });
  test('uploads live as long as the longest entry and are encrypted when any says so', () => {
    expect(uploadTerms(nothing)).toEqual({ days: null, encrypted: false });
    const sites = [
      { label, ttl: 3 },
      { label: '*', ttl: 9, encrypted: true as const },
    ];
    expect(uploadTerms({ ...nothing, sites })).toEqual({ days: 9, encrypted: true });
    expect(uploadTerms({ ...nothing, sites: [...sites, { label: named }] }).days).toBeNull();
  });
});
