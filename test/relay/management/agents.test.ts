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

const audit = async (count: number) =>
  (await edge.call<AuditRow[]>(edge.owner, 'listaudit'))
    .slice(0, count)
    .map(({ actor, action, target, detail }) => ({ actor, action, target, detail }));
let said = 0;
const say = (signer: Signer) => {
  said += 1;
  return edge.offer(edge.sign(signer, { kind: 9, content: `message ${said}`, tags: [['h', 'general']] }));
};
const scope = [
  ['room', 'general'],
  ['k', '9'],
];

const METHODS = [
  'listagents',
  'pauseagent',
  'resumeagent',
  'revokeagent',
  'pauseallagents',
  'resumeallagents',
];

test.each(METHODS)('%s is for the owner and moderators', async method => {
  const agent = await edge.agent(scope);
  for (const [signer, name] of [
    [member, 'member'],
    [agent, 'agent'],
    [person(), 'guest'],
  ] as const) {
    const refusal = await edge.refusal(signer, method, agent.pubkey);
    expect(refusal).toBe(`403 restricted: ${name} may not ${method}`);
  }
  expect(await edge.refusal(null, method, agent.pubkey)).toMatch(/^401 auth-required:/);
  for (const signer of [moderator, edge.owner]) await edge.call(signer, method, agent.pubkey);
});

test('pause stops the agent until it is resumed, the grant stays', async () => {
  const agent = await edge.agent(scope);
  expect((await say(agent)).accepted).toBe(true);
  expect(await edge.call(moderator, 'pauseagent', agent.pubkey)).toMatchObject({
    pubkey: agent.pubkey,
    owner: edge.owner.pubkey,
    paused: true,
    revoked: 0,
  });
  expect((await say(agent)).message).toBe('restricted: agent grant is paused');
  expect(await edge.call(edge.owner, 'resumeagent', agent.pubkey)).toMatchObject({ paused: false });
  expect((await say(agent)).accepted).toBe(true);
  expect(await audit(2)).toEqual([
    { actor: edge.owner.pubkey, action: 'resumeagent', target: agent.pubkey, detail: '' },
    { actor: moderator.pubkey, action: 'pauseagent', target: agent.pubkey, detail: '' },
  ]);
});

test('revoke ends the grant and takes the role; the grant event stays; twice is no error', async () => {
  const agent = await edge.agent(scope);
  const revoked = await edge.call<{ revoked: number; event_id: string }>(
    edge.owner,
    'revokeagent',
    agent.pubkey,
  );
  expect(revoked.revoked).toBeGreaterThan(0);
  expect((await say(agent)).message).toBe('restricted: agent grant is revoked');
  expect(edge.relay.context.roles.roleOf(agent.pubkey)).toBe('');
  expect(edge.relay.context.store.events.get(revoked.event_id)?.kind).toBe(30392);
  expect(await audit(1)).toEqual([
    { actor: edge.owner.pubkey, action: 'revokeagent', target: agent.pubkey, detail: 'management' },
  ]);
  expect(await edge.call(edge.owner, 'revokeagent', agent.pubkey)).toMatchObject({
    revoked: revoked.revoked,
  });
  for (const method of ['pauseagent', 'resumeagent']) {
    expect(await edge.refusal(edge.owner, method, agent.pubkey)).toMatch(/^400 invalid: .*revoked/);
  }
});

test('a fresh grant restores access', async () => {
  const agent = await edge.agent(scope);
  await edge.call(edge.owner, 'revokeagent', agent.pubkey);
  await edge.grant(agent.pubkey, scope, { at: edge.now + 1 });
  expect((await say(agent)).accepted).toBe(true);
});

test.each(['pauseagent', 'resumeagent', 'revokeagent'])(
  '%s names what is wrong with its key',
  async method => {
    for (const key of ['', 'bob', person().pubkey.toUpperCase(), 5, null]) {
      expect(await edge.refusal(edge.owner, method, key)).toMatch(/^400 invalid: .*bad pubkey/);
    }
    expect(await edge.refusal(edge.owner, method)).toMatch(/^400 invalid:/);
    expect(await edge.refusal(edge.owner, method, person().pubkey)).toMatch(/^400 invalid: no agent grant/);
  },
);

describe('all agents at once', () => {
  test('pausing and resuming all counts what flipped and passes revoked ones over', async () => {
    const fresh = await Edge.start();
    try {
      await fresh.room('general');
      const agents = [await fresh.agent(scope), await fresh.agent(scope), await fresh.agent(scope)];
      const [one, , three] = agents;
      await fresh.call(fresh.owner, 'pauseagent', one?.pubkey);
      await fresh.call(fresh.owner, 'revokeagent', three?.pubkey);
      expect(await fresh.call(fresh.owner, 'pauseallagents')).toEqual({ changed: 1 });
      expect(await fresh.call(fresh.owner, 'pauseallagents')).toEqual({ changed: 0 });
      expect(await fresh.call(fresh.owner, 'resumeallagents')).toEqual({ changed: 2 });
      const [row] = await fresh.call<AuditRow[]>(fresh.owner, 'listaudit');
      expect(row).toMatchObject({ action: 'resumeallagents', target: '', detail: '2' });
    } finally {
      await fresh.close();
    }
  });

  test('listagents shows every grant by name, then key, with its newest event', async () => {
    const fresh = await Edge.start();
    try {
      await fresh.room('general');
      const bee = await fresh.agent([...scope, ['jobs', 'both'], ['rate', '5']], 'bee');
      const ant = await fresh.agent(scope, 'ant');
      await fresh.call(fresh.owner, 'revokeagent', ant.pubkey);
      const said = await fresh.publish(bee, { kind: 9, tags: [['h', 'general']] });
      const [first, second, ...rest] = await fresh.call<Record<string, unknown>[]>(fresh.owner, 'listagents');
      expect(rest).toEqual([]);
      expect(first).toMatchObject({
        name: 'ant',
        pubkey: ant.pubkey,
        lastEvent: 0,
        revoked: expect.any(Number),
      });
      expect(second).toEqual({
        pubkey: bee.pubkey,
        owner: fresh.owner.pubkey,
        event_id: expect.stringMatching(/^[0-9a-f]{64}$/),
        name: 'bee',
        expires: expect.any(Number),
        paused: false,
        revoked: 0,
        scope: { kinds: [9], rooms: ['general'], repos: [], jobs: 'both', rate: 5 },
        lastEvent: said.created_at,
      });
    } finally {
      await fresh.close();
    }
  });
});
