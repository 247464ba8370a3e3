// Callbacks as the dashboard asks for them, against a real relay and a receiver on this machine.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { CallFailure } from '../../main/bridge.ts';
import { type CallbacksFeature, createCallbacks } from '../../main/callbacks.ts';
import type { AgentView } from '../../main/contract/agents.ts';
import { callbackList, callbacks as contract } from '../../main/contract/callbacks.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let feature: CallbacksFeature;
let receiver: Server;
let status = 200;
let agentChanged: (view: AgentView) => void;
const page = { page: 'test' };
beforeAll(async () => {
  world = await startWorld();
  feature = createCallbacks({
    ...world.common,
    agents: {
      onChange(listener) {
        agentChanged = listener;
        return () => {};
      },
    },
  });
  receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  await world.link.publish({ kind: 9007, tags: [['h', 'general']], content: '' });
});
afterAll(async () => {
  feature.close();
  receiver.close();
  await world.stop();
});
afterEach(() => expect(world.failures).toEqual([]));

const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
const list = async () => callbackList.parse(await feature.handlers.list({}, page));
const failureOf = (call: unknown) =>
  Promise.resolve(call).then(
    () => Promise.reject(new Error('it worked')),
    (error: CallFailure) => error.failure,
  );

test('targets and allowance are shown and set; a bad part is named at its field', async () => {
  const { add, setRules } = feature.handlers;
  expect(await list()).toEqual({ items: [], allowance: 4, targets: 'public' });
  const draft = { url: url(), filter: { kinds: [9] } };
  expect(await failureOf(add(draft, page))).toMatchObject({
    kind: 'invalid',
    fields: { url: expect.any(String) },
  });
  expect(await setRules({ targets: 'loopback', allowance: 7 }, page)).toMatchObject({ allowance: 7 });
  expect(await failureOf(add({ ...draft, filter: { kinds: [] } }, page))).toMatchObject({
    fields: { filter: expect.stringMatching(/^The filter kinds must be/) },
  });
  expect(await failureOf(add({ ...draft, secret: 'short' }, page))).toMatchObject({
    fields: { secret: expect.any(String) },
  });
});

test('registered, told of a delivery, paused, resumed, removed', async () => {
  const { add, pause, resume, remove, log, redeliver } = feature.handlers;
  const made = contract.calls.add.result.parse(
    await add({ url: url(), filter: { kinds: [9], '#h': ['general'] } }, page),
  );
  expect(made).toMatchObject({ url: url(), owner: world.owner, lastDelivery: 0 });
  const event = await world.link.publish({ kind: 9, tags: [['h', 'general']], content: 'wake' });
  const delivered = await world.until(
    'callbacks.changed',
    ({ items }) => items[0]?.lastStatus === 'HTTP 200',
  );
  expect(JSON.stringify(delivered)).not.toContain(made.secret);
  const entries = contract.calls.log.result.parse(await log({ id: made.id }, page));
  expect(entries).toMatchObject([{ event_id: event.id, status: 200, outcome: '', attempt: 1 }]);

  status = 500;
  await redeliver({ id: made.id, event: event.id }, page);
  await world.until('callbacks.changed', ({ items }) => items[0]?.failures === 1);
  status = 200;

  expect(await pause({ id: made.id }, page)).toMatchObject({ paused: true });
  expect(await failureOf(redeliver({ id: made.id, event: event.id }, page))).toMatchObject({
    kind: 'conflict',
  });
  expect(await resume({ id: made.id }, page)).toMatchObject({ paused: false, failures: 0 });
  await remove({ id: made.id }, page);
  await world.until('callbacks.changed', ({ items }) => items.length === 0);
  expect(await failureOf(log({ id: made.id }, page))).toMatchObject({ kind: 'not-found' });
});

test("an agent's callback is shown without its path, and its pause when the grant is paused", async () => {
  const agent = await world.agent();
  const filter = { kinds: [9], '#p': [agent.owner] };
  const { id } = await agent.call<{ id: string }>('addcallback', { url: url(), filter });
  const shown = (await list()).items.find(callback => callback.id === id);
  expect(shown).toMatchObject({ owner: agent.owner, host: new URL(url()).host, filter, paused: false });
  expect(shown).not.toHaveProperty('url');
  await world.link.call('pauseagent', agent.owner);
  const grant = { event: '', paused: true, revoked: 0 };
  agentChanged({ pubkey: agent.owner, grant } as AgentView);
  const after = await world.until('callbacks.changed', ({ items }) =>
    items.some(item => item.id === id && item.paused),
  );
  expect(after.items.find(callback => callback.id === id)?.lastStatus).toBe('paused: agent grant is paused');
  expect(await failureOf(feature.handlers.resume({ id }, page))).toMatchObject({ kind: 'refused' });
});
