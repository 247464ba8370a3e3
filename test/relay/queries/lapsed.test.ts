// What reads expired: with a clock of the test's own, so that time passes without waiting.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import { callMethod } from '../../../relay/management/methods.ts';
import type { SqliteStore } from '../../../relay/store/store.ts';
import { Edge } from '../http/edge.ts';

let late = 0;
let edge: Edge;
let agent: Signer;
beforeAll(async () => {
  edge = await Edge.start({ now: () => Math.floor(Date.now() / 1000) + late });
  await edge.room('general');
  agent = await edge.agent([
    ['room', 'general'],
    ['k', '9'],
    ['jobs', 'both'],
  ]);
});
afterAll(() => edge.close());

/** A call without a proof: the clock of proofs is not the one that was moved. */
async function call(signer: Signer, method: string, params: object): Promise<unknown> {
  const { context } = edge.relay;
  const caller = { pubkey: signer.pubkey, role: context.roles.roleOf(signer.pubkey) };
  const answer = await callMethod(context, caller, { method, params: [params] });
  return 'refusal' in answer ? answer.refusal : answer.result;
}

test('a request reads open until its expiration passes, then expired', async () => {
  late = 0;
  const expiration = String(edge.now + 60);
  const request = await edge.publish(agent, {
    kind: 9,
    content: 'May I?',
    tags: [
      ['h', 'general'],
      ['request', 'approve'],
      ['p', edge.owner.pubkey],
      ['expiration', expiration],
    ],
  });
  const read = () => call(edge.owner, 'browseapproval', { id: request.id });
  expect(await read()).toMatchObject({ item: { state: 'open', expires: Number(expiration) } });
  late = 61;
  expect(await read()).toMatchObject({ item: { state: 'expired', id: request.id } });
});

test('lapsed requests are listed and counted, and kept for a month for that', async () => {
  late = 0;
  const store = edge.relay.context.store as SqliteStore;
  const bob = await edge.member();
  const ask = (content: string, more: string[][]) =>
    edge.publish(agent, {
      kind: 9,
      content,
      tags: [['h', 'general'], ['p', bob.pubkey], ['expiration', String(edge.now + 60)], ...more],
    });
  const request = await ask('May I?', [['request', 'approve']]);
  const message = await ask('Soon gone', []);
  const list = (state: string) => call(bob, 'browseapprovals', { state });
  expect(await list('open')).toMatchObject({ items: [{ id: request.id }], counts: { open: 1, expired: 0 } });
  late = 61;
  expect(await list('open')).toMatchObject({ items: [], counts: { open: 0, expired: 1 }, oldest_open: 0 });
  expect(await list('expired')).toMatchObject({ items: [{ id: request.id, state: 'expired' }] });
  const sweep = () => store.transact(() => store.events.removeExpired(1000));
  sweep();
  expect([store.events.get(message.id), store.events.get(request.id)?.id]).toEqual([null, request.id]);
  expect(await list('all')).toMatchObject({ counts: { expired: 1 } });
  late = 31 * 86_400;
  sweep();
  expect(store.events.get(request.id)).toBeNull();
  late = 0;
});

test('a job request that has lapsed is neither listed nor found', async () => {
  late = 0;
  const request = await edge.publish(edge.owner, {
    kind: 43001,
    content: 'soon',
    tags: [
      ['h', 'general'],
      ['p', agent.pubkey],
      ['expiration', String(edge.now + 60)],
    ],
  });
  expect(await call(edge.owner, 'browsejobs', {})).toMatchObject({ items: [{ id: request.id }] });
  late = 61;
  expect(await call(edge.owner, 'browsejobs', {})).toMatchObject({ items: [] });
  expect(await call(edge.owner, 'browsejob', { id: request.id })).toMatch(/^not found: job request/);
});

test('a grant past its time reads expired, and paused and revoked come first', async () => {
  late = 0;
  const open = await edge.agent([['k', '9']]);
  const paused = await edge.agent([['k', '9']]);
  const revoked = await edge.agent([['k', '9']]);
  await edge.call(edge.owner, 'pauseagent', paused.pubkey);
  await edge.call(edge.owner, 'revokeagent', revoked.pubkey);
  late = 7200;
  const { grants } = edge.relay.context.store;
  const states = [open, paused, revoked].map(({ pubkey }) => {
    const grant = grants.get(pubkey);
    return grant === null ? 'none' : grants.state(grant);
  });
  expect(states).toEqual(['expired', 'paused', 'revoked']);
  expect(grants.anyActive()).toBe(false);
});
