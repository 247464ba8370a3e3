import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { AuditRow } from '../../../relay/context.ts';
import { Edge, person } from '../http/edge.ts';

let edge: Edge;
let moderator: Signer;
let member: Signer;
beforeAll(async () => {
  edge = await Edge.start();
  moderator = await edge.member('moderator');
  member = await edge.member();
  await edge.room('general');
});
afterAll(() => edge.close());

const newest = async () => {
  const [row] = await edge.call<AuditRow[]>(edge.owner, 'listaudit');
  return row;
};
let said = 0;
const say = (signer: Signer, content = '') => {
  said += 1;
  return edge.offer(edge.sign(signer, { kind: 9, content: `${content} ${said}`, tags: [['h', 'general']] }));
};
const roleOf = (signer: Signer) => edge.relay.context.roles.roleOf(signer.pubkey);

describe('members', () => {
  test('setmember adds, names and lifts a ban; the row says how it came', async () => {
    const key = person();
    await edge.call(edge.owner, 'banpubkey', key.pubkey, 'noise');
    expect(await edge.call(moderator, 'setmember', key.pubkey, { name: 'ann', note: 'from work' })).toEqual({
      pubkey: key.pubkey,
      role: 'member',
    });
    expect((await say(key)).accepted).toBe(true);
    const { self, members } = await edge.call<{ self: string; members: Record<string, unknown>[] }>(
      moderator,
      'listmembers',
    );
    expect(self).toBe(edge.owner.pubkey);
    expect(members.find(row => row.pubkey === key.pubkey)).toEqual({
      pubkey: key.pubkey,
      name: 'ann',
      note: 'from work',
      role: 'member',
      invited_by: moderator.pubkey,
      via: 'management',
      created_at: expect.any(Number),
      keep_days: 0,
    });
    expect(await newest()).toMatchObject({ action: 'setmember', target: key.pubkey, detail: 'member' });
  });

  test('a text as patch is the note; allowpubkey answers true as NIP-86 says', async () => {
    const key = person().pubkey;
    expect(await edge.call(edge.owner, 'allowpubkey', key, 'a friend')).toBe(true);
    const allowed = await edge.call<{ pubkey: string; reason: string }[]>(edge.owner, 'listallowedpubkeys');
    expect(allowed).toContainEqual({ pubkey: key, reason: 'a friend' });
    expect(allowed.map(row => row.pubkey)).not.toContain(edge.owner.pubkey);
    expect(await edge.call(edge.owner, 'unallowpubkey', key)).toBe(true);
  });

  test('only the owner appoints and changes moderators, and nobody changes the owner', async () => {
    const key = person().pubkey;
    expect(await edge.refusal(moderator, 'setmember', key, { role: 'moderator' })).toMatch(
      /^403 restricted:/,
    );
    const other = await edge.member('moderator');
    expect(await edge.refusal(moderator, 'setmember', other.pubkey, { note: 'x' })).toMatch(
      /^403 restricted:/,
    );
    expect(await edge.refusal(moderator, 'removemember', other.pubkey)).toMatch(/^403 restricted:/);
    expect(await edge.refusal(moderator, 'banpubkey', other.pubkey)).toMatch(/^403 restricted:/);
    for (const method of ['setmember', 'removemember', 'banpubkey']) {
      expect(await edge.refusal(edge.owner, method, edge.owner.pubkey)).toMatch(/^403 restricted: the owner/);
    }
    await edge.call(edge.owner, 'setmember', other.pubkey, { role: 'member' });
    expect(roleOf(other)).toBe('member');
  });

  test('bad values are invalid', async () => {
    const key = person().pubkey;
    expect(await edge.refusal(edge.owner, 'setmember', 'bob')).toMatch(/^400 invalid: bad pubkey/);
    expect(await edge.refusal(edge.owner, 'setmember', key, { role: 'owner' })).toMatch(/^400 invalid:/);
    expect(await edge.refusal(edge.owner, 'setmember', key, { name: 'No Name' })).toMatch(/^400 invalid:/);
    expect(await edge.refusal(edge.owner, 'removemember', key)).toMatch(/^400 not found:/);
  });

  test('removemember takes the role at once', async () => {
    const key = await edge.member();
    expect(await edge.call(moderator, 'removemember', key.pubkey)).toEqual({ removed: key.pubkey });
    expect((await say(key)).message).toMatch(/^restricted:/);
    expect(await newest()).toMatchObject({ action: 'removemember', target: key.pubkey, detail: '' });
  });

  test('removesubtree takes everyone a member brought in', async () => {
    const { store, transact } = edge.relay.context;
    const [root, child, grandchild] = [await edge.member(), await edge.member(), await edge.member()];
    const invite = (key: Signer, by: Signer) => {
      const row = store.members.get(key.pubkey);
      if (row !== null) transact(() => store.members.put({ ...row, invited_by: by.pubkey }));
    };
    invite(child, root);
    invite(grandchild, child);
    invite(root, grandchild);
    expect(await edge.call(edge.owner, 'removesubtree', root.pubkey)).toEqual({ removed: 3 });
    expect([root, child, grandchild].map(roleOf)).toEqual(['', '', '']);
    expect(await newest()).toMatchObject({ action: 'removesubtree', target: root.pubkey, detail: '3' });
  });

  test.each(['listmembers', 'setmember', 'removemember', 'banpubkey', 'getpolicy', 'listaudit', 'blockip'])(
    '%s is closed to members',
    async method => {
      expect(await edge.refusal(member, method)).toBe(`403 restricted: member may not ${method}`);
    },
  );
});

describe('bans', () => {
  test('banning a key removes its row and its events, and keeps it out', async () => {
    const key = await edge.member();
    const event = edge.sign(key, { kind: 9, content: 'x', tags: [['h', 'general']] });
    await edge.offer(event);
    expect(await edge.call(moderator, 'banpubkey', key.pubkey, 'spam')).toBe(true);
    expect(edge.relay.context.store.events.get(event.id)).toBeNull();
    expect((await say(key)).message).toMatch(/^blocked:/);
    const banned = await edge.call<{ pubkey: string; reason: string }[]>(edge.owner, 'listbannedpubkeys');
    expect(banned).toContainEqual({ pubkey: key.pubkey, reason: 'spam', at: expect.any(Number) });
    await edge.call(edge.owner, 'unbanpubkey', key.pubkey);
    expect((await say(key)).message).toMatch(/^restricted:/);
  });

  test('a banned key stays banned whether or not it holds a grant', async () => {
    const agent = await edge.agent([
      ['room', 'general'],
      ['k', '9'],
    ]);
    await edge.call(edge.owner, 'banpubkey', agent.pubkey);
    expect((await say(agent)).message).toMatch(/^blocked:/);
  });

  test('a banned event is gone and does not come back until it is allowed', async () => {
    const event = edge.sign(member, { kind: 9, content: 'bad', tags: [['h', 'general']] });
    await edge.offer(event);
    expect(await edge.call(moderator, 'banevent', event.id, 'rude')).toBe(true);
    expect((await edge.offer(event)).message).toMatch(/^blocked:/);
    const listed = await edge.call<unknown[]>(edge.owner, 'listbannedevents');
    expect(listed).toContainEqual({ id: event.id, reason: 'rude', at: expect.any(Number) });
    expect(await edge.call(edge.owner, 'allowevent', event.id)).toBe(true);
    expect((await edge.offer(event)).accepted).toBe(true);
    expect(await edge.refusal(edge.owner, 'banevent', 'x')).toMatch(/^400 invalid: bad event id/);
  });

  test('addresses are blocked and unblocked', async () => {
    expect(await edge.call(edge.owner, 'blockip', '203.0.113.9', 'noise')).toBe(true);
    expect(await edge.call(edge.owner, 'listblockedips')).toEqual([
      { ip: '203.0.113.9', reason: 'noise', at: expect.any(Number) },
    ]);
    expect(await edge.call(edge.owner, 'unblockip', '203.0.113.9')).toBe(true);
    expect(await edge.call(edge.owner, 'listblockedips')).toEqual([]);
    expect(await edge.refusal(edge.owner, 'blockip', '300.1.1.1')).toBe('400 invalid: not an IP address');
  });
});

describe('policy', () => {
  test('setpolicy is the owner’s; getpolicy the operators’', async () => {
    expect(await edge.refusal(moderator, 'setpolicy', { name: 'mine' })).toBe(
      '403 restricted: only the owner sets policy',
    );
    expect(await edge.call(moderator, 'getpolicy')).toMatchObject({ name: 'edge', reads: 'members' });
  });

  test('a patch replaces fields, merges features one level, ignores owner and unknown keys', async () => {
    const patch = { description: 'ours', features: { jobs: false }, owner: member.pubkey, nothing: 1 };
    const policy = await edge.call(edge.owner, 'setpolicy', patch);
    expect(policy).toMatchObject({
      description: 'ours',
      owner: edge.owner.pubkey,
      features: { jobs: false, count: true },
    });
    expect(policy).not.toHaveProperty('nothing');
    const row = await newest();
    expect(row).toMatchObject({ actor: edge.owner.pubkey, action: 'setpolicy' });
    await edge.call(edge.owner, 'setpolicy', { features: { jobs: true } });
  });

  test.each([
    [{ reads: 'nobody' }],
    [{ minPow: -1 }],
    [{ rooms: 1.5 }],
    [{ features: { jobs: 'yes' } }],
    [{ privacyPolicy: 'http://example.org' }],
    ['text'],
    [null],
  ])('%j is refused and changes nothing', async patch => {
    const before = await edge.call(edge.owner, 'getpolicy');
    expect(await edge.refusal(edge.owner, 'setpolicy', patch)).toMatch(/^400 /);
    expect(await edge.call(edge.owner, 'getpolicy')).toEqual(before);
  });

  test('NIP-86 changes name, description and icon', async () => {
    for (const [method, field] of [
      ['changerelayname', 'name'],
      ['changerelaydescription', 'description'],
      ['changerelayicon', 'icon'],
    ] as const) {
      expect(await edge.call(edge.owner, method, `new ${field}`)).toBe(true);
      expect(await edge.call(edge.owner, 'getpolicy')).toMatchObject({ [field]: `new ${field}` });
      expect(await edge.refusal(moderator, method, 'x')).toMatch(/^403 restricted:/);
    }
  });

  test('kinds and words are ruled by operators', async () => {
    expect(await edge.call(moderator, 'disallowkind', 9)).toBe(true);
    expect((await say(member)).message).toMatch(/^blocked:/);
    expect(await edge.call(moderator, 'listblockedkinds')).toEqual([9]);
    expect(await edge.call(moderator, 'unrulekind', 9)).toBe(true);
    expect((await say(member)).accepted).toBe(true);
    expect(await edge.call(moderator, 'setblockedwords', ['casino'])).toEqual(['casino']);
    expect((await say(member, 'best casino')).accepted).toBe(false);
    await edge.call(moderator, 'setblockedwords', []);
    expect(await edge.refusal(moderator, 'disallowkind', 70_000)).toMatch(/^400 invalid:/);
  });
});

test('each change is one audit row, a refused one none', async () => {
  const count = async () => (await edge.call<AuditRow[]>(edge.owner, 'listaudit'))[0]?.id ?? 0;
  const before = await count();
  await edge.call(edge.owner, 'setmember', person().pubkey);
  expect(await count()).toBe(before + 1);
  await edge.refusal(edge.owner, 'setmember', 'bob');
  await edge.refusal(edge.owner, 'setpolicy', { reads: 'x' });
  expect(await count()).toBe(before + 1);
});
