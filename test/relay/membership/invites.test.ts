// Invite codes over the management endpoint, and the ones the relay makes when it is asked by kind 28935.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { InviteRecord } from '../../../relay/context.ts';
import type { Filter, NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge, person } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';

let edge: Edge;
let member: Signer;
beforeAll(async () => {
  edge = await Edge.start();
});
afterAll(() => edge.close());
beforeEach(async () => {
  member = await edge.member();
  await edge.call(edge.owner, 'setpolicy', { memberInvites: { depth: 0, quota: 0 } });
});

const create = (by: Signer, ...params: unknown[]) => edge.call<InviteRecord>(by, 'createinvite', ...params);

test('an invite has its fields, and its life is kept within bounds', async () => {
  const { now } = edge;
  expect(await create(edge.owner)).toEqual({
    code: expect.stringMatching(/^[0-9a-f]{32}$/),
    created_by: edge.owner.pubkey,
    created_at: expect.any(Number),
    expires_at: expect.any(Number),
    max_uses: 0,
    uses: 0,
    note: '',
  });
  const life = async (...params: unknown[]) => {
    const made = await create(edge.owner, ...params);
    return made.expires_at - made.created_at;
  };
  expect(await life()).toBe(259_200);
  expect(await life(1)).toBe(60);
  expect(await life(1e9)).toBe(2_592_000);
  expect((await create(edge.owner, null, 5, 'n'.repeat(300))).note).toBe('n'.repeat(200));
  expect(await edge.refusal(edge.owner, 'createinvite', 'soon')).toMatch(/^400 invalid:/);
  expect(await edge.refusal(edge.owner, 'createinvite', 60, -1)).toMatch(/^400 invalid:/);
  expect(edge.now - now).toBeLessThan(60);
});

test('createclaim takes a code of the operator, listclaims the live ones', async () => {
  expect(await edge.call(edge.owner, 'createclaim', 'summer-2026')).toBe(true);
  expect(await edge.refusal(edge.owner, 'createclaim', 'summer-2026')).toMatch(/^400 invalid:/);
  for (const code of ['abc', 'a b c d', 'x'.repeat(65)]) {
    expect(await edge.refusal(edge.owner, 'createclaim', code)).toMatch(/^400 invalid:/);
  }
  expect(await edge.call(edge.owner, 'listclaims')).toContain('summer-2026');
  expect(await edge.call(edge.owner, 'deleteclaim', 'summer-2026')).toEqual({ revoked: true });
  expect(await edge.call(edge.owner, 'deleteclaim', 'summer-2026')).toEqual({ revoked: false });
  expect(await edge.call(edge.owner, 'listclaims')).not.toContain('summer-2026');
});

test('any signed key may use a code, on a members-only relay too', async () => {
  const { code } = await create(edge.owner, 3600, 2);
  const guest = person();
  expect(await edge.call(guest, 'claiminvite', code)).toEqual({ claimed: true, code });
  expect(edge.relay.context.roles.roleOf(guest.pubkey)).toBe('member');
  const listed = await edge.call<InviteRecord[]>(edge.owner, 'listinvites');
  expect(listed.find(invite => invite.code === code)?.uses).toBe(1);
  expect(await edge.refusal(person(), 'claiminvite', 'nope')).toBe('400 invite_invalid');
  expect(await edge.refusal(null, 'claiminvite', code)).toMatch(/^401 auth-required:/);
});

describe('members', () => {
  test('invite only as far and as many as the policy says', async () => {
    expect(await edge.refusal(member, 'createinvite')).toMatch(
      /^403 restricted: only the owner and moderators/,
    );
    await edge.call(edge.owner, 'setpolicy', { memberInvites: { depth: 1, quota: 2 } });
    const first = await create(member);
    await create(member);
    expect(await edge.refusal(member, 'createinvite')).toBe(
      '403 restricted: you already hold 2 live invites',
    );
    await edge.call(member, 'revokeinvite', first.code);
    await create(member);
    const guest = person();
    const [code = ''] = await edge.call<string[]>(member, 'listclaims');
    await edge.call(guest, 'claiminvite', code);
    expect(await edge.refusal(guest, 'createinvite')).toBe('403 restricted: invites do not reach this far');
    await edge.call(edge.owner, 'setpolicy', { memberInvites: { depth: 2 } });
    expect((await create(guest)).created_by).toBe(guest.pubkey);
  });

  test('see and take back their own only', async () => {
    await edge.call(edge.owner, 'setpolicy', { memberInvites: { depth: 1, quota: 2 } });
    const own = await create(member);
    const other = await create(edge.owner);
    expect((await edge.call<InviteRecord[]>(member, 'listinvites')).map(({ code }) => code)).toEqual([
      own.code,
    ]);
    expect(await edge.call(member, 'revokeinvite', other.code)).toEqual({ revoked: false });
    expect(await edge.call(edge.owner, 'revokeinvite', own.code)).toEqual({ revoked: true });
  });

  test('agents and strangers do not', async () => {
    await edge.call(edge.owner, 'setpolicy', { memberInvites: { depth: 9, quota: 9 } });
    const agent = await edge.agent([['k', '9']]);
    for (const key of [agent, person()]) {
      for (const method of ['createinvite', 'listinvites', 'listclaims']) {
        expect(await edge.refusal(key, method)).toMatch(/^403 restricted:/);
      }
    }
  });

  test('removesubtree takes those they invited, and their codes die with them', async () => {
    await edge.call(edge.owner, 'setpolicy', { memberInvites: { depth: 5, quota: 5 } });
    const [child, grandchild] = [person(), person()];
    await edge.call(child, 'claiminvite', (await create(member)).code);
    await edge.call(grandchild, 'claiminvite', (await create(child)).code);
    const open = await create(grandchild);
    expect(await edge.call(edge.owner, 'removesubtree', member.pubkey)).toEqual({ removed: 3 });
    expect(await edge.refusal(person(), 'claiminvite', open.code)).toBe('400 invite_revoked');
  });
});

describe('kind 28935 on demand (NIP-43)', () => {
  const asked = async (signer: Signer, filter: Filter = { kinds: [28935] }): Promise<NostrEvent[]> => {
    const client = await WireClient.open(edge.relay.url, signer);
    const { events } = await client.ask(filter);
    client.close();
    return events;
  };

  test('who may invite is told a code, signed by the relay, that works once', async () => {
    const [invite, ...more] = await asked(edge.owner);
    expect(more).toEqual([]);
    expect(invite).toMatchObject({
      kind: 28935,
      pubkey: edge.relay.self,
      tags: [['-'], ['claim', expect.any(String)]],
    });
    const code = invite?.tags[1]?.[1] ?? '';
    expect((await asked(edge.owner, { kinds: [28935], authors: [edge.relay.self] }))[0]?.tags[1]?.[1]).toBe(
      code,
    );
    const guest = person();
    expect(await edge.call(guest, 'claiminvite', code)).toEqual({ claimed: true, code });
    expect(await edge.refusal(person(), 'claiminvite', code)).toBe('400 invite_exhausted');
    expect((await asked(edge.owner))[0]?.tags[1]?.[1]).not.toBe(code);
  });

  test('nobody else is, and only where it is asked for', async () => {
    expect(await asked(member)).toEqual([]);
    expect(await asked(await edge.agent([['k', '9']]))).toEqual([]);
    expect((await asked(edge.owner, {})).map(({ kind }) => kind)).not.toContain(28935);
    expect(await asked(edge.owner, { kinds: [28935], limit: 0 })).toEqual([]);
    expect(await asked(edge.owner, { kinds: [28935], authors: [member.pubkey] })).toEqual([]);
    await edge.call(edge.owner, 'setpolicy', { memberInvites: { depth: 1, quota: 1 } });
    expect(await asked(member)).toHaveLength(1);
  });
});
