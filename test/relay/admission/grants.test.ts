// The seed's "What the relay enforces", sentence by sentence, and spec/agent-grants.md sections 1 and 2.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import { namedSiteLabel } from '../../../relay/protocol/site.ts';
import { type Draft, Edge, person } from '../http/edge.ts';

let edge: Edge;
let now: number;

beforeEach(async () => {
  now = Math.floor(Date.now() / 1000);
  edge = await Edge.start({ now: () => now });
  await edge.room('general');
});
afterEach(() => edge.close());

async function offer(signer: Signer, draft: Draft): Promise<string> {
  const { accepted, message } = await edge.offer(edge.sign(signer, draft));
  return `${accepted}: ${message}`;
}

const inGeneral = [['h', 'general']];
const scope = [
  ['room', 'general'],
  ['k', '9'],
];

describe('The grant is not paused, not revoked and not expired', () => {
  test('a paused agent is refused and may go on when resumed', async () => {
    const agent = await edge.agent(scope);
    await edge.call(edge.owner, 'pauseagent', agent.pubkey);
    expect(await offer(agent, { kind: 9, tags: inGeneral })).toBe('false: restricted: agent grant is paused');
    expect(await offer(agent, { kind: 0 })).toBe('false: restricted: agent grant is paused');
    await edge.call(edge.owner, 'resumeagent', agent.pubkey);
    expect(await offer(agent, { kind: 9, tags: inGeneral })).toBe('true: ');
  });

  test('a revoked agent is refused, also on an open relay, and loses its role at once', async () => {
    const agent = await edge.agent(scope);
    expect(edge.relay.context.roles.roleOf(agent.pubkey)).toBe('agent');
    await edge.call(edge.owner, 'revokeagent', agent.pubkey);
    expect(edge.relay.context.roles.roleOf(agent.pubkey)).toBe('');
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ writes: 'open', reads: 'open' }));
    expect(await offer(agent, { kind: 1 })).toBe('false: restricted: agent grant is revoked');
  });

  test('an expired grant ends role and access at its second', async () => {
    const agent = await edge.agent(scope);
    now += 3599;
    expect(await offer(agent, { kind: 9, tags: inGeneral })).toBe('true: ');
    now += 1;
    expect(await offer(agent, { kind: 9, tags: inGeneral })).toBe(
      'false: restricted: agent grant has expired',
    );
    expect(edge.relay.context.roles.isMember(agent.pubkey)).toBe(false);
  });

  test('a new grant already expired revokes, and a fresh one restores access', async () => {
    const agent = await edge.agent(scope);
    now += 1;
    await edge.grant(agent.pubkey, scope, { expires: now - 10, at: now });
    expect(edge.relay.context.store.grants.get(agent.pubkey)?.revoked).toBe(now);
    expect(await offer(agent, { kind: 9, tags: inGeneral })).toBe(
      'false: restricted: agent grant is revoked',
    );
    now += 1;
    await edge.grant(agent.pubkey, scope, { at: now, expires: now + 60 });
    expect(await offer(agent, { kind: 9, tags: inGeneral })).toBe('true: ');
    const actions = edge.relay.context.store.audit
      .list(10)
      .map(({ action, target, detail }) => [action, target, detail]);
    expect(actions).toContainEqual(['revokeagent', agent.pubkey, 'expired grant']);
  });

  test.each(['by id', 'by address'])('a kind 5 of the signer revokes %s', async way => {
    const agent = person();
    const grant = await edge.grant(agent.pubkey, scope);
    const tags = way === 'by id' ? [['e', grant.id]] : [['a', `30392:${edge.owner.pubkey}:${agent.pubkey}`]];
    const moderator = await edge.member('moderator');
    const stranger = await edge.member();
    for (const other of [moderator, stranger]) expect(await offer(other, { kind: 5, tags })).toBe('true: ');
    expect(edge.relay.context.store.grants.get(agent.pubkey)?.revoked).toBe(0);
    expect(await offer(edge.owner, { kind: 5, tags })).toBe('true: ');
    expect(edge.relay.context.store.grants.get(agent.pubkey)?.revoked).toBe(now);
    expect(edge.relay.context.store.events.get(grant.id)).toBeNull();
    expect(await offer(agent, { kind: 9, tags: inGeneral })).toBe(
      'false: restricted: agent grant is revoked',
    );
    expect(edge.relay.context.store.audit.list(1)[0]).toMatchObject({
      action: 'revokeagent',
      detail: 'deleted grant',
    });
    expect((await edge.offer(grant)).message).toMatch(/^blocked: this event was deleted/);
  });

  test('a grant made after the deletion of an earlier one stays', async () => {
    const agent = person();
    await edge.grant(agent.pubkey, scope, { at: now - 20 });
    await edge.grant(agent.pubkey, scope, { at: now - 5 });
    const tags = [['a', `30392:${edge.owner.pubkey}:${agent.pubkey}`]];
    expect(await offer(edge.owner, { kind: 5, tags, created_at: now - 10 })).toBe('true: ');
    expect(edge.relay.context.store.grants.get(agent.pubkey)?.revoked).toBe(0);
  });
});

describe("The event kind appears in the grant's k tags, or wiki, jobs or sites cover it", () => {
  test('other kinds are refused, profiles and relay lists always pass', async () => {
    const agent = await edge.agent(scope);
    expect(await offer(agent, { kind: 1 })).toBe('false: restricted: agent grant does not allow kind 1');
    expect(await offer(agent, { kind: 0, content: '{}' })).toBe('true: ');
    expect(await offer(agent, { kind: 10_002 })).toBe('true: ');
  });

  test.each([
    ['wiki', 'propose', [30_818, 818], [30_819]],
    ['wiki', 'edit', [30_818, 818, 30_819], [1]],
    ['jobs', 'request', [43_001, 43_005], [43_002]],
    ['jobs', 'serve', [43_002, 43_003, 43_004, 43_006], [43_001, 43_005]],
  ])('%s %s', async (tag, value, covered, others) => {
    const agent = await edge.agent([
      [tag, value],
      ['room', 'general'],
    ]);
    const hex = 'a'.repeat(64);
    const tags = [...inGeneral, ['p', hex], ['e', hex], ['d', 'page']];
    for (const kind of covered) expect(await offer(agent, { kind, tags })).not.toMatch(/does not allow kind/);
    for (const kind of others) expect(await offer(agent, { kind, tags })).toMatch(/does not allow kind/);
  });

  test('sites cover 15128 and 35128, never 5128', async () => {
    const agent = await edge.agent([['sites', '*']]);
    expect(await offer(agent, { kind: 15_128 })).toBe('true: ');
    expect(await offer(agent, { kind: 35_128, tags: [['d', 'blog']] })).toBe('true: ');
    expect(await offer(agent, { kind: 5128 })).toBe(
      'false: restricted: agent grant does not allow kind 5128',
    );
  });
});

describe('A site manifest names a site the sites tags cover and expires within its ttl', () => {
  test('another label is restricted, a missing or late expiration is invalid and says what to add', async () => {
    const agent = person();
    const label = namedSiteLabel(agent.pubkey, 'blog');
    await edge.grant(agent.pubkey, [['sites', label, 'ttl=7']]);
    const blog = (...more: string[][]) => offer(agent, { kind: 35_128, tags: [['d', 'blog'], ...more] });
    const latest = now + 7 * 86_400;
    expect(await offer(agent, { kind: 35_128, tags: [['d', 'other']] })).toMatch(
      /^false: restricted: agent grant does not allow site/,
    );
    expect(await blog()).toBe(
      `false: invalid: agent grant allows site ${label} for 7 days: add an expiration tag no later than ${latest}`,
    );
    expect(await blog(['expiration', String(latest + 1)])).toMatch(/set the expiration tag no later than/);
    expect(await blog(['expiration', String(latest)])).toBe('true: ');
  });
});

describe("If the event carries an h tag, the room appears in the grant's room tags", () => {
  test('another room is refused, and the rules of the room apply as well', async () => {
    await edge.room('closed', 'members');
    const agent = await edge.agent([...scope, ['room', 'closed']]);
    expect(await offer(agent, { kind: 9, tags: [['h', 'other']] })).toBe(
      'false: restricted: agent grant does not allow room other',
    );
    expect(await offer(agent, { kind: 9, tags: [['h', 'closed']] })).toBe(
      'false: restricted: not a member of room closed',
    );
    await edge.publish(edge.owner, {
      kind: 9000,
      tags: [
        ['h', 'closed'],
        ['p', agent.pubkey],
      ],
    });
    expect(await offer(agent, { kind: 9, tags: [['h', 'closed']] })).toBe('true: ');
  });
});

describe('Repository events name a repository the grant covers', () => {
  test('propose, read and maintain publish issues; status needs maintain', async () => {
    const owner = 'c'.repeat(64);
    const at = (identifier: string) => [['a', `30617:${owner}:${identifier}`]];
    const agent = await edge.agent([
      ['k', '1621'],
      ['k', '1630'],
      ['repo', `${owner}:mine:maintain`],
      ['repo', `${owner}:read:read`],
    ]);
    expect(await offer(agent, { kind: 1621, tags: at('read') })).toBe('true: ');
    expect(await offer(agent, { kind: 1621, tags: at('none') })).toBe(
      `false: restricted: agent grant does not allow repository ${owner}:none`,
    );
    expect(await offer(agent, { kind: 1621 })).toMatch(
      /^false: restricted: agent grant .* without a repository address/,
    );
    expect(await offer(agent, { kind: 1630, tags: at('read') })).toMatch(
      /^false: restricted: agent grant .* status changes/,
    );
    expect(await offer(agent, { kind: 1630, tags: at('mine') })).toBe('true: ');
  });
});

describe('The agent has not exceeded its per-minute rate', () => {
  test('the limit is named; what grant or rate refuse takes no slot, what a room refuses does', async () => {
    const agent = await edge.agent([...scope, ['room', 'gone'], ['rate', '3']]);
    const chat = (room: string) =>
      offer(agent, { kind: 9, tags: [['h', room]], content: String(Math.random()) });
    expect(await offer(agent, { kind: 1 })).toMatch(/does not allow kind 1/);
    expect(await chat('general')).toBe('true: ');
    expect(await chat('gone')).toBe('false: invalid: unknown room gone');
    expect(await chat('general')).toBe('true: ');
    for (let index = 0; index < 3; index += 1) {
      expect(await chat('general')).toBe(
        'false: restricted: agent grant does not allow more than 3 events per minute',
      );
    }
  });

  test('import shares the rate and the checks', async () => {
    const agent = await edge.agent([...scope, ['rate', '1']]);
    const imported = (draft: Draft) =>
      edge.relay.context.admission.publish(edge.sign(agent, draft), { via: 'import', keys: [] });
    expect((await imported({ kind: 1 })).message).toMatch(/does not allow kind 1/);
    expect(await imported({ kind: 9, tags: inGeneral })).toEqual({ accepted: true, message: '' });
    expect((await offer(agent, { kind: 9, tags: inGeneral, content: '2' })).slice(0, 40)).toMatch(
      /^false: restricted: agent grant/,
    );
  });
});

describe('who may grant, and whom it binds', () => {
  test('the owner and moderators, nobody else', async () => {
    const agent = person();
    const grantBy = async (signer: Signer) =>
      offer(signer, {
        kind: 30_392,
        tags: [
          ['d', agent.pubkey],
          ['p', agent.pubkey],
          ['expiration', String(now + 60)],
        ],
      });
    expect(await grantBy(await edge.member())).toBe(
      'false: restricted: only the owner or a moderator can grant an agent',
    );
    expect(await grantBy(await edge.agent([['k', '30392']]))).toMatch(
      /^false: restricted: only the owner or a moderator/,
    );
    expect(await grantBy(await edge.member('moderator'))).toBe('true: ');
    expect(edge.relay.context.roles.roleOf(agent.pubkey)).toBe('agent');
  });

  test('a malformed one is invalid and leaves everything as it was', async () => {
    const agent = await edge.agent(scope);
    const tags = [
      ['d', agent.pubkey],
      ['p', agent.pubkey],
      ['expiration', String(now + 366 * 86_400)],
    ];
    expect(await offer(edge.owner, { kind: 30_392, tags })).toMatch(
      /^false: invalid: agent grant expiration/,
    );
    expect(await offer(agent, { kind: 9, tags: inGeneral })).toBe('true: ');
  });

  test('a human role stays and is not bound', async () => {
    const member = await edge.member();
    await edge.grant(member.pubkey, scope);
    expect(edge.relay.context.roles.roleOf(member.pubkey)).toBe('member');
    expect(await offer(member, { kind: 1 })).toBe('true: ');
    await edge.call(edge.owner, 'revokeagent', member.pubkey);
    expect(await offer(member, { kind: 1, content: 'again' })).toBe('true: ');
  });

  test('one effective grant an agent, whoever signed it: the newest counts', async () => {
    const agent = person();
    const moderator = await edge.member('moderator');
    await edge.grant(agent.pubkey, [['k', '1']], { at: now - 10 });
    const newer = await edge.grant(agent.pubkey, [['k', '7']], { by: moderator, at: now - 5 });
    const older = edge.sign(edge.owner, {
      kind: 30_392,
      created_at: now - 7,
      tags: [
        ['d', agent.pubkey],
        ['p', agent.pubkey],
        ['expiration', String(now + 60)],
        ['k', '1'],
      ],
    });
    expect(await edge.offer(older)).toEqual({ accepted: true, message: 'duplicate: have a newer version' });
    expect(edge.relay.context.store.grants.get(agent.pubkey)).toMatchObject({
      event_id: newer.id,
      owner: moderator.pubkey,
    });
    expect(await offer(agent, { kind: 1 })).toMatch(/does not allow kind 1/);
  });

  test('the same grant again changes nothing and adds no audit row', async () => {
    const agent = person();
    const before = edge.relay.context.store.audit.list(100).length;
    const grant = await edge.grant(agent.pubkey, scope);
    expect(await edge.offer(grant)).toEqual({
      accepted: true,
      message: 'duplicate: already have this event',
    });
    const rows = edge.relay.context.store.audit.list(100).filter(row => row.action === 'grantagent');
    expect(rows.filter(row => row.target === agent.pubkey)).toHaveLength(1);
    expect(edge.relay.context.store.audit.list(100).length).toBe(before + 1);
  });
});
