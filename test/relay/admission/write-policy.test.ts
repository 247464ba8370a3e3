// Who may write, and what (policy writes, kinds, words, work; spec/membership-and-rooms.md section 5).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge, person } from '../http/edge.ts';

let edge: Edge;
let member: Signer;
beforeAll(async () => {
  edge = await Edge.start();
  member = await edge.member();
  await edge.room('general');
});
afterAll(() => edge.close());

const set = (patch: object) => edge.call(edge.owner, 'setpolicy', patch);
let sent = 0;
async function offer(signer: Signer, kind = 1, tags: string[][] = [], content = ''): Promise<string> {
  sent += 1;
  const event = edge.sign(signer, { kind, tags, content: `${content} ${sent}` });
  const { accepted, message } = await edge.offer(event);
  return accepted ? '' : message;
}

/** An event whose id starts with at least so many zero bits. */
function mined(signer: Signer, bits: number): NostrEvent {
  for (let nonce = 0; ; nonce += 1) {
    const event = edge.sign(signer, { kind: 1, tags: [['nonce', String(nonce), String(bits)]] });
    if (Number.parseInt(event.id.slice(0, 8), 16) >>> (32 - bits) === 0) return event;
  }
}

describe('writes', () => {
  test('allowlist: members, and guests only for open kinds and replies when those are let in', async () => {
    await set({ writes: 'allowlist' });
    const guest = person();
    expect(await offer(member)).toBe('');
    expect(await offer(guest)).toBe('blocked: write policy: only members publish here');
    await set({ openKinds: [1059] });
    expect(await offer(guest, 1059, [['p', member.pubkey]])).toBe('');
    expect(await offer(guest)).toMatch(/^blocked:/);
    await set({ guestReplies: true });
    const note = await edge.publish(member, { kind: 1, content: 'ask me' });
    expect(await offer(guest, 1, [['e', note.id]])).toBe('');
    expect(await offer(guest, 1111, [['E', note.id]])).toBe('');
    expect(await offer(guest, 1, [['e', 'a'.repeat(64)]])).toMatch(/^blocked:/);
    expect(await offer(guest, 30_023, [['e', note.id]])).toMatch(/^blocked:/);
    await set({ openKinds: [], guestReplies: false });
  });

  test('wot: also those whom a member follows, not those whom strangers or agents follow', async () => {
    await set({ writes: 'wot' });
    const [friend, other] = [person(), person()];
    const refused = 'restricted: only members and the people they follow publish here';
    expect(await offer(friend)).toBe(refused);
    await edge.publish(member, { kind: 3, tags: [['p', friend.pubkey]] });
    expect(await offer(friend)).toBe('');
    await edge.publish(friend, { kind: 3, tags: [['p', other.pubkey]] });
    const agent = await edge.agent([['k', '3']]);
    await edge.publish(agent, { kind: 3, tags: [['p', other.pubkey]] });
    expect(await offer(other)).toBe(refused);
    await edge.publish(member, { kind: 3, created_at: edge.now + 1, tags: [] });
    expect(await offer(friend)).toBe(refused);
  });

  test('owner: the owner and the agents it granted', async () => {
    await set({ writes: 'owner' });
    expect(await offer(edge.owner)).toBe('');
    expect(await offer(await edge.agent([['k', '1']]))).toBe('');
    expect(await offer(member)).toBe('blocked: write policy: only the owner publishes here');
    await set({ writes: 'allowlist' });
  });

  test('open: everybody, but rooms and jobs stay with members', async () => {
    await set({ writes: 'open' });
    expect(await offer(person())).toBe('');
    expect(await offer(person(), 9, [['h', 'general']])).toMatch(/^restricted: rooms are for members/);
    expect(
      await offer(person(), 43_001, [
        ['h', 'general'],
        ['p', member.pubkey],
      ]),
    ).toMatch(/^restricted:/);
    await set({ writes: 'allowlist' });
  });
});

describe('kinds and words', () => {
  test('only allowed kinds, when there are any, and never blocked ones; the owner keeps its lists', async () => {
    await edge.call(edge.owner, 'allowkind', 9);
    expect(await offer(member)).toBe('blocked: kind 1 is not carried by this relay');
    expect(await offer(member, 9, [['h', 'general']])).toBe('');
    expect(await offer(edge.owner, 10_002)).toBe('');
    expect(await offer(member, 10_002)).toMatch(/^blocked:/);
    await edge.call(edge.owner, 'unrulekind', 9);
    expect(await offer(member)).toBe('');
    expect(await edge.call(edge.owner, 'listallowedkinds')).toEqual([]);
  });

  test('words in any case, expressions between slashes, in tags when the policy says so', async () => {
    await edge.call(edge.owner, 'setblockedwords', ['Casino', '/win \\d+ coins/', '/(/']);
    expect(await offer(member, 1, [], 'the best CASINO in town')).toMatch(/^blocked: the event holds a word/);
    expect(await offer(member, 1, [], 'Win 500 coins')).toMatch(/^blocked:/);
    expect(await offer(member, 1, [], 'win coins (soon)')).toBe('');
    expect(await offer(member, 1, [], 'what is /(/ for')).toMatch(/^blocked:/);
    expect(await offer(member, 1, [['t', 'casino']])).toBe('');
    await set({ blockedWordsInTags: true });
    expect(await offer(member, 1, [['t', 'casino']])).toMatch(/^blocked:/);
    await set({ blockedWords: [], blockedWordsInTags: false });
  });
});

describe('NIP-13 work', () => {
  test('an id with too few zero bits is refused with both numbers', async () => {
    await set({ minPow: 10 });
    let idle = edge.sign(member, { kind: 1, content: 'no work at all' });
    for (let n = 0; idle.id.startsWith('00'); n += 1) idle = edge.sign(member, { kind: 1, content: `${n}` });
    expect((await edge.offer(idle)).message).toMatch(/^pow: difficulty \d is less than 10$/);
    expect((await edge.offer(mined(member, 10))).message).toBe('');
    const info = await edge.raw({ headers: { accept: 'application/nostr+json' } });
    expect(info.json).toMatchObject({ limitation: { min_pow_difficulty: 10 } });
    expect((info.json as { supported_nips: number[] }).supported_nips).toContain(13);
    await set({ minPow: 0 });
  });
});

test('a gift wrap on a members-only inbox names one of its people (NIP-59)', async () => {
  await set({ openKinds: [1059], reads: 'members' });
  expect(await offer(person(), 1059, [['p', person().pubkey]])).toBe(
    'blocked: gift wrap recipient is not local',
  );
  expect(await offer(person(), 1059, [['p', member.pubkey]])).toBe('');
  await set({ openKinds: [] });
});
