// Coming to a relay and leaving it (NIP-43, NIP-29, spec/membership-and-rooms.md section 2), over real sockets.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { AuditRow, InviteRecord } from '../../../relay/context.ts';
import { Edge, person } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';

let edge: Edge;
let moderator: Signer;
let late = 0;
const clients: WireClient[] = [];
beforeAll(async () => {
  edge = await Edge.start({ now: () => Math.floor(Date.now() / 1000) + late });
  moderator = await edge.member('moderator');
  await edge.room('general');
});
afterAll(async () => {
  for (const client of clients) client.close();
  await edge.close();
});

async function open(signer: Signer): Promise<WireClient> {
  const client = await WireClient.open(edge.relay.url, signer);
  clients.push(client);
  return client;
}

let sent = 0;
/** A tag that makes each event one of its own, however fast they follow each other. */
function nonce(): string[] {
  sent += 1;
  return ['n', String(sent)];
}

/** What the relay says to one event, sent by its author over a socket of its own. */
async function send(signer: Signer, kind: number, tags: string[][], content = ''): Promise<string> {
  const client = await open(signer);
  const answer = await client.publish(edge.sign(signer, { kind, tags: [...tags, nonce()], content }));
  client.close();
  return answer;
}

const invite = (by: Signer, ...params: unknown[]) => edge.call<InviteRecord>(by, 'createinvite', ...params);
const join = (signer: Signer, ...tags: string[][]) => send(signer, 28934, [['-'], ...tags]);
const roleOf = (signer: Signer) => edge.relay.context.roles.roleOf(signer.pubkey);
const newest = async () => (await edge.call<AuditRow[]>(edge.owner, 'listaudit'))[0];

describe('with an invite (28934)', () => {
  test('a code lets its bearer in, who is told, and may read and write at once', async () => {
    const { code } = await invite(moderator, 3600, 1, 'for Ann');
    const ann = person();
    const client = await open(ann);
    expect((await client.ask({ kinds: [9] })).closed).toMatch(/^restricted:/);
    const claim = edge.sign(ann, { kind: 28934, tags: [['-'], ['claim', code]] });
    expect(await client.publish(claim)).toBe('true: info: welcome');
    expect((await client.ask({ kinds: [9] })).closed).toBeNull();
    expect(await client.publish(edge.sign(ann, { kind: 9, tags: [['h', 'general']], content: 'hi' }))).toBe(
      'true: ',
    );
    expect(edge.relay.context.store.members.get(ann.pubkey)).toMatchObject({
      role: 'member',
      invited_by: moderator.pubkey,
      via: `invite ${code}`,
    });
    expect(edge.relay.context.store.events.get(claim.id)).toBeNull();
    expect((await edge.call<AuditRow[]>(edge.owner, 'listaudit')).map(({ action }) => action)).toContain(
      'claiminvite',
    );
    expect(await join(ann, ['claim', code])).toBe('true: duplicate: already a member');
  });

  test('a code is not seen by anybody else: it is passed on to no subscription', async () => {
    const { code } = await invite(edge.owner);
    const witness = await open(edge.owner);
    await witness.ask({ kinds: [28934, 28936] }, { id: 'claims', stay: true });
    expect(await join(person(), ['claim', code])).toBe('true: info: welcome');
    await witness.settled();
    expect(witness.received('claims')).toEqual([]);
  });

  test('a code that is unknown, used up, taken back or too old says which', async () => {
    expect(await join(person(), ['claim', 'no-such-code'])).toBe('false: invite_invalid');
    const once = await invite(edge.owner, 3600, 1);
    expect(await join(person(), ['claim', once.code])).toBe('true: info: welcome');
    expect(await join(person(), ['claim', once.code])).toBe('false: invite_exhausted');
    const back = await invite(edge.owner);
    expect(await edge.call(edge.owner, 'revokeinvite', back.code)).toEqual({ revoked: true });
    expect(await join(person(), ['claim', back.code])).toBe('false: invite_revoked');
    const old = await invite(edge.owner, 60);
    late = 61;
    const guest = person();
    expect(
      (await edge.offer(edge.sign(guest, { kind: 28934, tags: [['-'], ['claim', old.code]] }))).message,
    ).toBe('invite_expired');
    late = 0;
  });

  test('the code of one who has left is worth nothing', async () => {
    const former = await edge.member('moderator');
    const { code } = await invite(former);
    await edge.call(edge.owner, 'removemember', former.pubkey);
    expect(await join(person(), ['claim', code])).toBe('false: invite_revoked');
  });

  test('terms must be agreed to by their hash', async () => {
    await edge.call(edge.owner, 'setpolicy', { joinTerms: 'Be kind.' });
    const { code } = await invite(edge.owner);
    const guest = person();
    expect(await join(guest, ['claim', code])).toBe('false: terms_mismatch');
    expect(await join(guest, ['claim', code], ['terms', 'Be kind.'])).toBe('false: terms_mismatch');
    const terms = createHash('sha256').update('Be kind.').digest('hex');
    expect(await join(guest, ['claim', code], ['terms', terms])).toBe('true: info: welcome');
    await edge.call(edge.owner, 'setpolicy', { joinTerms: '' });
  });

  test('the banned stay out, and an agent whose grant has ended does', async () => {
    const { code } = await invite(edge.owner);
    const banned = person();
    await edge.call(edge.owner, 'banpubkey', banned.pubkey);
    expect(await join(banned, ['claim', code])).toBe('false: blocked: this key is banned');
    expect(await edge.refusal(banned, 'claiminvite', code)).toMatch(/^403 blocked:/);
    const agent = await edge.agent([['k', '28934']]);
    await edge.call(edge.owner, 'revokeagent', agent.pubkey);
    expect(await join(agent, ['claim', code])).toBe('false: restricted: agent grant is revoked');
    expect(await edge.refusal(agent, 'claiminvite', code)).toBe('403 restricted: agent grant is revoked');
    expect([roleOf(banned), roleOf(agent)]).toEqual(['', '']);
  });

  test('the request is made now: an old one, or a copy from elsewhere, is refused', async () => {
    const { code } = await invite(edge.owner);
    const guest = person();
    const tags = [['-'], ['claim', code]];
    const old = edge.sign(guest, { kind: 28934, tags, created_at: edge.now - 301 });
    expect((await edge.offer(old)).message).toBe(
      'invalid: NIP-43 request is outside the allowed time window',
    );
    const copy = edge.sign(guest, { kind: 28934, tags });
    const imported = await edge.relay.context.admission.publish(copy, { via: 'import', keys: [] });
    expect(imported.message).toMatch(/^blocked:/);
    const client = await WireClient.open(edge.relay.url);
    clients.push(client);
    expect(await client.publish(copy)).toMatch(/^false: auth-required:/);
    expect(roleOf(guest)).toBe('');
  });
});

describe('without a code', () => {
  type Request = { pubkey: string; reason: string; status: string; decided_by: string };
  const requests = () => edge.call<Request[]>(moderator, 'listjoinrequests');

  test('a request waits for the owner or a moderator, who lets the key in', async () => {
    const guest = person();
    const answer = await send(guest, 28934, [['-']], `  ${'x'.repeat(600)}  `);
    expect(answer).toMatch(/^true: info: access request received/);
    expect(await send(guest, 28934, [['-']], 'It is me, Bob')).toMatch(/^true: info: /);
    const mine = (await requests()).filter(({ pubkey }) => pubkey === guest.pubkey);
    expect(mine).toEqual([
      {
        pubkey: guest.pubkey,
        reason: 'It is me, Bob',
        requested_at: expect.any(Number),
        status: 'pending',
        decided_by: '',
        decided_at: 0,
      },
    ]);
    expect(roleOf(guest)).toBe('');
    expect(await edge.call(moderator, 'approvejoin', guest.pubkey)).toEqual({
      pubkey: guest.pubkey,
      status: 'approved',
    });
    expect(roleOf(guest)).toBe('member');
    expect(edge.relay.context.store.members.get(guest.pubkey)).toMatchObject({
      via: 'request',
      invited_by: moderator.pubkey,
    });
    expect(await newest()).toMatchObject({
      action: 'approvejoin',
      target: guest.pubkey,
      actor: moderator.pubkey,
    });
    expect(await edge.refusal(moderator, 'denyjoin', guest.pubkey)).toMatch(/^400 invalid:/);
  });

  test('denied is denied, until somebody thinks better of it', async () => {
    const guest = person();
    await send(guest, 28934, [['-']], 'please');
    expect(await edge.call(edge.owner, 'denyjoin', guest.pubkey)).toEqual({
      pubkey: guest.pubkey,
      status: 'denied',
    });
    expect(await send(guest, 28934, [['-']], 'please please')).toBe(
      'false: restricted: the access request was denied',
    );
    expect(roleOf(guest)).toBe('');
    await edge.call(edge.owner, 'approvejoin', guest.pubkey);
    expect(roleOf(guest)).toBe('member');
  });

  test('those who wait come first, reasons are cut, and only operators see them', async () => {
    const guest = person();
    await send(guest, 28934, [['-']], 'y'.repeat(600));
    const [first] = await requests();
    expect(first).toMatchObject({ pubkey: guest.pubkey, status: 'pending', reason: 'y'.repeat(500) });
    expect(await edge.refusal(await edge.member(), 'listjoinrequests')).toMatch(
      /^403 restricted: member may not/,
    );
    expect(await edge.refusal(edge.owner, 'approvejoin', person().pubkey)).toMatch(/^400 not found:/);
  });

  test('an invite used later settles what was asked before', async () => {
    const guest = person();
    await send(guest, 28934, [['-']], 'let me in');
    const { code } = await invite(edge.owner);
    await join(guest, ['claim', code]);
    expect((await requests()).map(({ pubkey }) => pubkey)).not.toContain(guest.pubkey);
  });
});

describe('leaving', () => {
  test('28936 with one protected tag ends membership everywhere', async () => {
    const ann = await edge.member();
    await edge.publish(ann, { kind: 9, tags: [['h', 'general']], content: 'hello' });
    expect(await send(ann, 28936, [])).toMatch(/^false: invalid: leave needs one protected tag/);
    expect(await send(ann, 28936, [['-'], ['-']])).toMatch(/^false: invalid: leave needs one protected tag/);
    expect(await send(ann, 28936, [['-']])).toBe('true: info: access revoked');
    expect(roleOf(ann)).toBe('');
    expect(edge.relay.context.store.rooms.member('general', ann.pubkey)).toBeNull();
    expect(await newest()).toMatchObject({ action: 'leave', target: ann.pubkey });
    expect(await send(ann, 28936, [['-']])).toBe('true: duplicate: not a member');
  });

  test('the owner stays', async () => {
    expect(await send(edge.owner, 28936, [['-']])).toMatch(/^false: restricted: the owner cannot leave/);
    expect(await send(edge.owner, 9022, [])).toMatch(/^false: restricted: the owner cannot leave/);
  });
});

describe('NIP-29 events that name no room, or the main one, are about the relay', () => {
  test.each([[[]], [[['h', 'edge']]]])('9021 with a code and 9022, tags %j', async room => {
    const { code } = await invite(edge.owner);
    const guest = person();
    expect(await send(guest, 9021, room)).toBe('false: restricted: joining this relay needs an invite claim');
    expect(await send(guest, 9021, [...room, ['code', 'nothing']])).toBe('false: invite_invalid');
    expect(await send(guest, 9022, room)).toBe('false: invalid: not a member of this relay');
    expect(await send(guest, 9021, [...room, ['code', code]])).toBe('true: info: welcome');
    expect(roleOf(guest)).toBe('member');
    expect(await send(guest, 9021, [...room, ['code', code]])).toBe('true: duplicate: already a member');
    expect(await send(guest, 9022, room)).toBe('true: info: access revoked');
    expect(roleOf(guest)).toBe('');
  });

  test('where everybody may write, everybody may join', async () => {
    await edge.call(edge.owner, 'setpolicy', { writes: 'open' });
    const guest = person();
    expect(await send(guest, 9021, [])).toBe('true: info: welcome');
    expect(edge.relay.context.store.members.get(guest.pubkey)).toMatchObject({ via: 'join', role: 'member' });
    await edge.call(edge.owner, 'setpolicy', { writes: 'allowlist' });
  });

  test('9000 and 9001 of an operator change members, with the limits each operator has', async () => {
    const [key, other] = [person(), person()];
    const put = (by: Signer, ...p: string[]) =>
      send(by, 9000, [
        ['h', 'edge'],
        ['p', ...p],
      ]);
    expect(await put(await edge.member(), key.pubkey)).toMatch(
      /^false: restricted: only the owner and moderators/,
    );
    expect(await put(moderator, key.pubkey)).toBe('true: ');
    expect(edge.relay.context.store.members.get(key.pubkey)).toMatchObject({
      role: 'member',
      via: 'put-user',
      invited_by: moderator.pubkey,
    });
    expect(await put(moderator, other.pubkey, 'moderator')).toMatch(
      /^false: restricted: only the owner appoints/,
    );
    expect(await put(edge.owner, other.pubkey, 'owner')).toMatch(/^false: restricted: a relay has one owner/);
    expect(await put(edge.owner, other.pubkey, 'moderator')).toBe('true: ');
    expect(roleOf(other)).toBe('moderator');
    const remove = (by: Signer, pubkey: string) => send(by, 9001, [['p', pubkey]]);
    expect(await remove(moderator, other.pubkey)).toMatch(/^false: restricted: only the owner may change/);
    expect(await remove(moderator, edge.owner.pubkey)).toMatch(
      /^false: restricted: the owner cannot be removed/,
    );
    expect(await remove(moderator, key.pubkey)).toBe('true: ');
    expect(await remove(moderator, key.pubkey)).toBe('true: duplicate: not a member');
    expect(roleOf(key)).toBe('');
  });

  test('the main room is not edited, deleted or made by events', async () => {
    const managed = 'false: invalid: the main room is managed by the relay';
    expect(
      await send(edge.owner, 9002, [
        ['h', 'edge'],
        ['name', 'Mine'],
      ]),
    ).toBe(managed);
    expect(await send(edge.owner, 9008, [['h', 'edge']])).toBe(managed);
    expect(await send(edge.owner, 9007, [['h', 'edge']])).toMatch(/^false: duplicate: room edge exists/);
  });
});
