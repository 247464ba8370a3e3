import { describe, expect, test } from 'vitest';
import {
  roleReaches,
  roomAccess,
  roomAssignments,
  roomFields,
  roomOf,
} from '../../../relay/protocol/room.ts';
import { namedSiteLabel, parseSiteLabel, rootSiteLabel } from '../../../relay/protocol/site.ts';
import { hex } from './made.ts';

describe('access', () => {
  test.each([
    ['open', 'open'],
    ['public', 'open'],
    ['members', 'members'],
    ['members-only', 'members'],
    ['private', 'members'],
    ['closed', 'members'],
    ['invite', 'members'],
    [' Private ', 'members'],
    ['secret', undefined],
    ['constructor', undefined],
  ])('%j means %s', (word, access) => {
    expect(roomAccess(word)).toBe(access);
  });
  test.each([
    [[['access', 'open']], 'open'],
    [[['visibility', 'private']], 'members'],
    [[['channel_type', 'invite']], 'members'],
    [[['closed']], 'members'],
    [[['public']], 'open'],
    [[['open'], ['private']], 'members'],
    [
      [
        ['access', 'open'],
        ['visibility', 'private'],
      ],
      'members',
    ],
    [[['name', 'private']], undefined],
    [[], undefined],
  ])('tags %j mean %s', (tags, access) => {
    expect(roomFields({ tags }).access).toBe(access);
  });
});

test('texts are cut to their limits in bytes, never inside a character', () => {
  const fields = roomFields({
    tags: [
      ['name', '🌱'.repeat(51)],
      ['about', 'a'.repeat(2001)],
      ['picture', 'p'],
    ],
  });
  expect(fields.name).toBe('🌱'.repeat(50));
  expect(fields.about).toHaveLength(2000);
  expect(fields.picture).toBe('p');
  expect(roomFields({ tags: [] })).toEqual({});
});

test('a room id is what its pattern says', () => {
  expect(roomOf({ tags: [['h', 'a-b_9']] })).toBe('a-b_9');
  for (const id of ['', 'A', 'a b', 'x'.repeat(65), 'ä'])
    expect(roomOf({ tags: [['h', id]] })).toBeUndefined();
});

test('a put-user gives the strongest role it lists, member without one', () => {
  const tags = [
    ['p', 'a'],
    ['p', 'b', 'admin'],
    ['p', 'c', 'moderator', 'member'],
    ['p', 'd', 'x', 'Owner'],
    ['p'],
  ];
  expect(roomAssignments({ tags })).toEqual([
    { pubkey: 'a', role: 'member' },
    { pubkey: 'b', role: 'admin' },
    { pubkey: 'c', role: 'admin' },
    { pubkey: 'd', role: 'owner' },
    { pubkey: '', role: 'member' },
  ]);
});

test('owner is over admin is over member', () => {
  expect(roleReaches('owner', 'admin')).toBe(true);
  expect(roleReaches('admin', 'owner')).toBe(false);
  expect(roleReaches('member', 'member')).toBe(true);
  expect(roleReaches('', 'member')).toBe(false);
});

describe('site labels', () => {
  const key = hex('a1');
  test('are read back as what they were made of', () => {
    expect(parseSiteLabel(rootSiteLabel(key))).toEqual({ type: 'root', pubkey: key });
    for (const pubkey of [key, hex('0'), hex('f')]) {
      expect(parseSiteLabel(namedSiteLabel(pubkey, 'my-blog'))).toEqual({
        type: 'named',
        pubkey,
        name: 'my-blog',
      });
    }
    expect(namedSiteLabel(hex('0'), 'x')).toHaveLength(51);
    expect(parseSiteLabel(`v${'0'.repeat(49)}1`)).toEqual({ type: 'snapshot', event: `${'0'.repeat(63)}1` });
  });
  test.each([
    '',
    'npub1',
    'npub1qqqq',
    'z'.repeat(51),
    `${'0'.repeat(50)}-`,
    `${'0'.repeat(50)}Blog`,
    '0'.repeat(50),
  ])('%j is none', label => {
    expect(parseSiteLabel(label)).toBeNull();
  });
});
