import { npubEncode } from 'nostr-tools/nip19';
import { expect, test } from 'vitest';
import type { GrantView } from '../../../main/contract/agents.ts';
import {
  checkGrant,
  dayOf,
  endOf,
  newGrant,
  readRepos,
  readSites,
  valuesOf,
} from '../../../renderer/agents/grant-form.ts';

const OWNER = 'ab'.repeat(32);

test('repositories, one a line, their owner as hex or npub', () => {
  const { entries, problem } = readRepos(`${OWNER}:tools:read\n\n ${npubEncode(OWNER)}:a:b:maintain `);
  expect(problem).toBe(null);
  expect(entries).toEqual([
    { owner: OWNER, identifier: 'tools', level: 'read' },
    { owner: OWNER, identifier: 'a:b', level: 'maintain' },
  ]);
  for (const line of ['tools:read', `${OWNER}:tools`, `${OWNER}:tools:own`, `${OWNER}::read`]) {
    expect(readRepos(line).problem, line).toContain('is no repository');
  }
});

test('sites, one a line, with their days and encryption', () => {
  const { entries } = readSites('* ttl=7 encrypted\nnpub1x');
  expect(entries).toEqual([{ label: '*', ttl: 7, encrypted: true }, { label: 'npub1x' }]);
  for (const line of ['* ttl=0', '* ttl=366', '* forever'])
    expect(readSites(line).problem, line).toContain('is no site');
});

test('the form filled with a grant gives that grant again', () => {
  const expires = Math.floor(Date.now() / 1000) + 12_345;
  const scope: GrantView['scope'] = {
    kinds: [9, 31337],
    rooms: ['general', 'gone'],
    repos: [{ owner: OWNER, identifier: 'tools', level: 'propose' }],
    sites: [{ label: '*', ttl: 3 }],
    wiki: 'edit',
    jobs: 'both',
    rate: 7,
  };
  const base = { event: 'e'.repeat(64), owner: OWNER, paused: false, revoked: 0, words: [] };
  const values = valuesOf({ ...base, name: 'Far', expires, scope });
  expect(checkGrant(values, expires)).toEqual({ problems: null, draft: { ...scope, name: 'Far', expires } });
});

test('every complaint is at its field', () => {
  const values = { ...newGrant(undefined), rate: '' as const, ends: '', repos: 'x', sites: '* y' };
  expect(Object.keys(checkGrant(values).problems ?? {}).sort()).toEqual([
    'expires',
    'name',
    'rate',
    'repos',
    'sites',
  ]);
});

test('a day ends with itself, the last possible one as late as it may', () => {
  const day = dayOf(Date.now() + 10 * 86_400_000);
  expect(dayOf((endOf(day) ?? 0) * 1000)).toBe(day);
  const last = dayOf(Date.now() + 365 * 86_400_000 - 120_000);
  expect(endOf(last)).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + 365 * 86_400);
  expect(endOf('2026-13-01')).toBe(null);
  expect(endOf('')).toBe(null);
});
