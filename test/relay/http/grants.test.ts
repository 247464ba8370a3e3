// What the relay enforces of a grant, sentence by sentence of the seed, for events that arrive over POST /events.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { AuditRow } from '../../../relay/context.ts';
import { namedSiteLabel } from '../../../relay/protocol/site.ts';
import { type Draft, Edge, person } from './edge.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await Edge.start();
  await edge.room('general');
  await edge.room('build');
});
afterAll(() => edge.close());

let sent = 0;

/** The relay's word on an event of that key: '' when it is stored. */
async function offer(signer: Signer, draft: Draft): Promise<string> {
  sent += 1;
  const event = edge.sign(signer, { content: `event ${sent}`, ...draft });
  const { json } = await edge.post(signer, '/events', event);
  const { accepted, message } = json as { accepted: boolean; message: string };
  return accepted ? '' : message;
}

const room = (id: string) => [['h', id]];

describe('the grant is not paused, not revoked and not expired', () => {
  test('paused and revoked', async () => {
    const agent = await edge.agent([
      ['room', 'general'],
      ['k', '9'],
    ]);
    expect(await offer(agent, { kind: 9, tags: room('general') })).toBe('');
    await edge.call(edge.owner, 'pauseagent', agent.pubkey);
    expect(await offer(agent, { kind: 9, tags: room('general') })).toBe('restricted: agent grant is paused');
    expect(await offer(agent, { kind: 0, content: '{}' })).toBe('restricted: agent grant is paused');
    await edge.call(edge.owner, 'revokeagent', agent.pubkey);
    expect(await offer(agent, { kind: 9, tags: room('general') })).toBe('restricted: agent grant is revoked');
  });

  test('revoked by a new grant with an expiration in the past', async () => {
    const agent = await edge.agent([['k', '1']]);
    await edge.grant(agent.pubkey, [['k', '1']], { expires: edge.now - 10, at: edge.now + 1 });
    expect(await offer(agent, { kind: 1 })).toMatch(/^restricted: agent grant (is revoked|has expired)/);
    const [row] = await edge.call<AuditRow[]>(edge.owner, 'listaudit');
    expect(row).toMatchObject({ action: 'revokeagent', target: agent.pubkey, detail: 'expired grant' });
  });

  test.each(['id', 'address'])('revoked by a kind 5 of the signer that names its %s', async by => {
    const agent = person();
    const grant = await edge.grant(agent.pubkey, [['k', '1']]);
    expect(await offer(agent, { kind: 1 })).toBe('');
    const tag = by === 'id' ? ['e', grant.id] : ['a', `30392:${edge.owner.pubkey}:${agent.pubkey}`];
    await edge.publish(edge.owner, { kind: 5, tags: [tag] });
    expect(await offer(agent, { kind: 1 })).toBe('restricted: agent grant is revoked');
    expect(edge.relay.context.roles.roleOf(agent.pubkey)).toBe('');
    await edge.grant(agent.pubkey, [['k', '1']], { at: edge.now + 2 });
    expect(await offer(agent, { kind: 1 })).toBe('');
  });

  test('another key cannot revoke it by kind 5', async () => {
    const agent = person();
    const grant = await edge.grant(agent.pubkey, [['k', '1']]);
    const member = await edge.member('moderator');
    await edge.publish(member, { kind: 5, tags: [['e', grant.id]] });
    expect(await offer(agent, { kind: 1 })).toBe('');
  });
});

test('the kind is in k, or wiki, jobs or sites covers it; kinds 0 and 10002 always are', async () => {
  const agent = await edge.agent([
    ['room', 'general'],
    ['k', '9'],
    ['wiki', 'propose'],
    ['jobs', 'request'],
  ]);
  expect(await offer(agent, { kind: 0, content: '{}' })).toBe('');
  expect(await offer(agent, { kind: 10002 })).toBe('');
  expect(await offer(agent, { kind: 30818, tags: [['d', 'page']] })).toBe('');
  expect(await offer(agent, { kind: 43001, tags: [...room('general'), ['p', edge.owner.pubkey]] })).toBe('');
  for (const kind of [1, 1111, 30819, 15128]) {
    expect(await offer(agent, { kind, tags: [['d', '']] })).toBe(
      `restricted: agent grant does not allow kind ${kind}`,
    );
  }
});

test('an h tag names a room of the grant, and the rules of the room hold as well', async () => {
  const agent = await edge.agent([
    ['room', 'general'],
    ['room', 'closed'],
    ['k', '9'],
  ]);
  await edge.room('closed', 'members');
  expect(await offer(agent, { kind: 9, tags: room('general') })).toBe('');
  expect(await offer(agent, { kind: 9, tags: room('build') })).toBe(
    'restricted: agent grant does not allow room build',
  );
  expect(await offer(agent, { kind: 9, tags: room('closed') })).toBe(
    'restricted: not a member of room closed',
  );
  await edge.publish(edge.owner, {
    kind: 9000,
    tags: [
      ['h', 'closed'],
      ['p', agent.pubkey],
    ],
  });
  expect(await offer(agent, { kind: 9, tags: room('closed') })).toBe('');
});

test('repository events name a covered repository, status changes need maintain', async () => {
  const owner = edge.owner.pubkey;
  const agent = await edge.agent([
    ['repo', `${owner}:one:propose`],
    ['repo', `${owner}:two:maintain`],
    ...['1111', '1617', '1618', '1621', '1630'].map(kind => ['k', kind]),
  ]);
  const about = (id: string) => [['a', `30617:${owner}:${id}`]];
  expect(await offer(agent, { kind: 1621, tags: about('one') })).toBe('');
  expect(await offer(agent, { kind: 1621, tags: about('three') })).toMatch(
    /does not allow repository .*:three$/,
  );
  expect(await offer(agent, { kind: 1621 })).toMatch(/without a repository address$/);
  expect(await offer(agent, { kind: 1630, tags: about('one') })).toMatch(
    /status changes in repository .*:one$/,
  );
  expect(await offer(agent, { kind: 1630, tags: about('two') })).toBe('');
});

test('a site manifest is covered by label and expires within the ttl', async () => {
  const agent = person();
  const label = namedSiteLabel(agent.pubkey, 'blog');
  await edge.grant(agent.pubkey, [['sites', label, 'ttl=7']]);
  const manifest = (name: string, more: string[][] = []) => ({
    kind: 35128,
    tags: [['d', name], ['path', '/index.html', '0'.repeat(64)], ...more],
  });
  const latest = () => edge.now + 7 * 86_400;
  expect(await offer(agent, manifest('other'))).toMatch(/^restricted: agent grant does not allow site /);
  expect(await offer(agent, manifest('blog'))).toMatch(
    /^invalid: agent grant allows site .* add an expiration tag/,
  );
  expect(await offer(agent, manifest('blog', [['expiration', String(latest() + 100)]]))).toMatch(
    /^invalid: .* set the/,
  );
  expect(await offer(agent, manifest('blog', [['expiration', String(latest() - 100)]]))).toBe('');
});

test('the agent stays within its rate; what the grant refuses uses no slot', async () => {
  const agent = await edge.agent([
    ['room', 'general'],
    ['k', '9'],
    ['rate', '3'],
  ]);
  for (let n = 0; n < 4; n += 1) expect(await offer(agent, { kind: 1 })).toMatch(/does not allow kind 1/);
  for (let n = 0; n < 3; n += 1) expect(await offer(agent, { kind: 9, tags: room('general') })).toBe('');
  expect(await offer(agent, { kind: 9, tags: room('general') })).toBe(
    'restricted: agent grant does not allow more than 3 events per minute',
  );
});

describe('who may grant', () => {
  test('the owner and moderators, nobody else', async () => {
    const moderator = await edge.member('moderator');
    const member = await edge.member();
    const draft = (agent: string) => ({
      kind: 30392,
      content: '',
      tags: [
        ['d', agent],
        ['p', agent],
        ['expiration', String(edge.now + 60)],
        ['k', '1'],
      ],
    });
    const agent = person();
    expect(await offer(moderator, draft(agent.pubkey))).toBe('');
    expect(await offer(agent, { kind: 1 })).toBe('');
    for (const signer of [member, agent, person()]) {
      expect(await offer(signer, draft(person().pubkey))).toMatch(/^restricted: /);
    }
  });

  test('a malformed grant is refused with what is wrong', async () => {
    const agent = person().pubkey;
    const tags = [
      ['d', agent],
      ['p', agent],
      ['expiration', String(edge.now + 60)],
      ['rate', '0'],
    ];
    expect(await offer(edge.owner, { kind: 30392, content: '', tags })).toMatch(/^invalid: agent grant rate/);
  });

  test('a grant never lowers a human role, and adds the role agent to a key without one', async () => {
    const member = await edge.member();
    await edge.grant(member.pubkey, [['k', '9']]);
    expect(edge.relay.context.roles.roleOf(member.pubkey)).toBe('member');
    expect(await offer(member, { kind: 1 })).toBe('');
    const agent = await edge.agent([['k', '1']], 'scribe');
    expect(edge.relay.context.roles.roleOf(agent.pubkey)).toBe('agent');
    const [row] = await edge.call<AuditRow[]>(edge.owner, 'listaudit');
    expect(row).toMatchObject({ action: 'grantagent', target: agent.pubkey, detail: 'scribe' });
  });

  test('the relay keeps an event of an agent as it was signed', async () => {
    const agent = await edge.agent([
      ['room', 'general'],
      ['k', '9'],
    ]);
    const event = edge.sign(agent, {
      kind: 9,
      content: 'as signed <&> \u2028',
      tags: [...room('general'), ['x', '']],
    });
    await edge.post(agent, '/events', event);
    expect(edge.relay.context.store.events.get(event.id)).toEqual(event);
  });
});
