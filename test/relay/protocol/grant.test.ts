import { describe, expect, test } from 'vitest';
import { grantState, MAX_GRANT_DAYS, parseGrant } from '../../../relay/protocol/grant.ts';
import { namedSiteLabel, rootSiteLabel } from '../../../relay/protocol/site.ts';
import { hex, madeEvent } from './made.ts';

const now = 1_700_000_000;
const owner = hex('0f');
const agent = hex('a1');
const other = hex('b2');
const base = [
  ['d', agent],
  ['p', agent],
  ['expiration', String(now + 1000)],
];

function grantWith(tags: string[][], fields: { content?: string; pubkey?: string } = {}) {
  return madeEvent({ kind: 30392, pubkey: owner, tags: [...base, ...tags], ...fields });
}

function scopeWith(...tags: string[][]) {
  const parsed = parseGrant(grantWith(tags), now);
  if (!parsed.ok) throw new Error(parsed.refusal);
  return parsed.value.scope;
}

test('a grant with nothing but the required tags allows nothing, sixty times a minute', () => {
  expect(parseGrant(grantWith([]), now)).toEqual({
    ok: true,
    value: { agent, name: '', expires: now + 1000, scope: { kinds: [], rooms: [], repos: [], rate: 60 } },
  });
});

test('every field of the seed is read', () => {
  const parsed = parseGrant(
    grantWith([
      ['name', '  release-notes  '],
      ['room', ' general '],
      ['room', 'general'],
      ['room', 'build'],
      ['repo', `${other}:tinyrelay:read`],
      ['repo', `${other}:tinyrelay:maintain`],
      ['repo', `${other}:a:b:c:propose`],
      ['k', '1'],
      ['k', '1111'],
      ['k', '1'],
      ['wiki', 'propose'],
      ['jobs', 'both'],
      ['sites', rootSiteLabel(agent), 'ttl=7', 'encrypted'],
      ['sites', namedSiteLabel(agent, 'blog'), 'encrypted', 'ttl=365'],
      ['sites', '*'],
      ['sites', '*', 'ttl=1'],
      ['rate', '30'],
      ['future', 'kept and ignored'],
    ]),
    now,
  );
  expect(parsed).toEqual({
    ok: true,
    value: {
      agent,
      name: 'release-notes',
      expires: now + 1000,
      scope: {
        kinds: [1, 1111],
        rooms: ['general', 'build'],
        repos: [
          { owner: other, identifier: 'tinyrelay', level: 'read' },
          { owner: other, identifier: 'a:b:c', level: 'propose' },
        ],
        wiki: 'propose',
        jobs: 'both',
        sites: [
          { label: rootSiteLabel(agent), ttl: 7, encrypted: true },
          { label: namedSiteLabel(agent, 'blog'), ttl: 365, encrypted: true },
          { label: '*' },
        ],
        rate: 30,
      },
    },
  });
});

test('a name is cut to 64 characters, counted as people count them', () => {
  const parsed = parseGrant(grantWith([['name', '🌱'.repeat(70)]]), now);
  expect(parsed.ok && [...parsed.value.name]).toHaveLength(64);
});

test('of several scalar tags the first with a value counts', () => {
  expect(scopeWith(['rate', ''], ['rate', '5'], ['rate', '6'], ['wiki', ''], ['jobs', ''])).toMatchObject({
    rate: 5,
  });
  expect(scopeWith(['wiki', '']).wiki).toBeUndefined();
});

test('an expiration that has passed is read: it means revoke', () => {
  const passed = madeEvent({
    kind: 30392,
    pubkey: owner,
    tags: [
      ['d', agent],
      ['p', agent],
      ['expiration', '1'],
    ],
  });
  expect(parseGrant(passed, now)).toMatchObject({ ok: true, value: { expires: 1 } });
});

test.each(['', '{}', '"a note"', 'null', '[1]'])('content %j is taken', content => {
  expect(parseGrant(grantWith([], { content }), now).ok).toBe(true);
});

describe('refused, each with the tag that is wrong', () => {
  const day = 86_400;
  const without = (name: string, ...tags: string[][]) =>
    madeEvent({ kind: 30392, pubkey: owner, tags: [...base.filter(tag => tag[0] !== name), ...tags] });
  test.each([
    ['d missing', without('d'), /d tag/],
    ['d short', without('d', ['d', 'abc']), /d tag/],
    ['d upper case', without('d', ['d', agent.toUpperCase()]), /d tag/],
    ['d is the signer', grantWith([], { pubkey: agent }), /another key than the signer/],
    ['p missing', without('p'), /p tag/],
    ['p differs', without('p', ['p', other]), /p tag/],
    ['p second', without('p', ['p', other], ['p', agent]), /p tag/],
    ['no expiration', without('expiration'), /expiration/],
    ['expiration text', without('expiration', ['expiration', 'tomorrow']), /expiration/],
    ['expiration zero', without('expiration', ['expiration', '0']), /expiration/],
    ['expiration negative', without('expiration', ['expiration', '-5']), /expiration/],
    ['expiration fraction', without('expiration', ['expiration', '1.5']), /expiration/],
    [
      'expiration over a year away',
      without('expiration', ['expiration', String(now + MAX_GRANT_DAYS * day + 1)]),
      /365 days/,
    ],
    ['content no JSON', grantWith([], { content: 'hello' }), /content/],
    ['room empty', grantWith([['room', ' ']]), /room tag/],
    ['room without value', grantWith([['room']]), /room tag/],
    ['room long', grantWith([['room', 'ä'.repeat(65)]]), /room tag/],
    ['repo without level', grantWith([['repo', `${other}:x`]]), /repo tag/],
    ['repo unknown level', grantWith([['repo', `${other}:x:write`]]), /repo tag/],
    ['repo bad owner', grantWith([['repo', 'me:x:read']]), /repo tag/],
    ['repo without identifier', grantWith([['repo', `${other}::read`]]), /repo tag/],
    ['repo long identifier', grantWith([['repo', `${other}:${'x'.repeat(257)}:read`]]), /repo tag/],
    ['kind text', grantWith([['k', 'nine']]), /k tag/],
    ['kind too high', grantWith([['k', '65536']]), /k tag/],
    ['kind hex', grantWith([['k', '0x9']]), /k tag/],
    ['kind exponent', grantWith([['k', '1e3']]), /k tag/],
    ['kind negative', grantWith([['k', '-1']]), /k tag/],
    ['kind empty', grantWith([['k', '']]), /k tag/],
    ['wiki unknown', grantWith([['wiki', 'read']]), /propose or edit/],
    ['jobs unknown', grantWith([['jobs', 'all']]), /request, serve or both/],
    ['rate zero', grantWith([['rate', '0']]), /rate/],
    ['rate too high', grantWith([['rate', '601']]), /rate/],
    ['rate fraction', grantWith([['rate', '1.5']]), /rate/],
    ['site without label', grantWith([['sites']]), /site label or \*/],
    ['site bad label', grantWith([['sites', 'blog']]), /site label or \*/],
    ['site snapshot', grantWith([['sites', `v${'0'.repeat(50)}`]]), /site label or \*/],
    ['site of another key', grantWith([['sites', rootSiteLabel(other)]]), /agent's own key/],
    ['site ttl zero', grantWith([['sites', '*', 'ttl=0']]), /between 1 and 365/],
    ['site ttl too long', grantWith([['sites', '*', 'ttl=366']]), /between 1 and 365/],
    ['site ttl text', grantWith([['sites', '*', 'ttl=x']]), /between 1 and 365/],
    ['site unknown flag', grantWith([['sites', '*', 'public']]), /only ttl=<days> and encrypted/],
    [
      'too many rooms',
      grantWith(Array.from({ length: 257 }, (_, n) => ['room', `r${n}`])),
      /more than 256 entries/,
    ],
  ])('%s', (_, event, reason) => {
    const parsed = parseGrant(event, now);
    expect(parsed.ok).toBe(false);
    const refusal = parsed.ok ? '' : parsed.refusal;
    expect(refusal).toMatch(/^invalid: agent grant /);
    expect(refusal).toMatch(reason);
  });
});

test('256 entries of each list are taken', () => {
  const tags = Array.from({ length: 256 }, (_, n) => ['k', String(n)]);
  expect(scopeWith(...tags).kinds).toHaveLength(256);
});

test.each([
  [{ paused: false, revoked: 0, expires: now + 1 }, 'active'],
  [{ paused: false, revoked: 0, expires: now }, 'expired'],
  [{ paused: true, revoked: 0, expires: now }, 'paused'],
  [{ paused: true, revoked: 5, expires: now + 1 }, 'revoked'],
] as const)('state of %j is %s', (grant, state) => {
  expect(grantState(grant, now)).toBe(state);
});
