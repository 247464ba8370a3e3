// Callbacks through the doors of a whole relay: registered over the management endpoint, fed by its sockets, delivered
// to a server on this machine.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { CallbackSummary } from '../../../relay/callbacks/registration.ts';
import { RelayRpc } from '../../../relay/client/rpc.ts';
import type { Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { startRelay } from '../../../relay/relay.ts';
import { type Draft, Edge, person } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';
import { answers, type Receiver, startReceiver } from './receiver.ts';
import { until } from './relay-with-callbacks.ts';

type Made = CallbackSummary & { secret: string };
type Logged = { event_id: string; outcome: string }[];

let edge: Edge;
beforeAll(async () => {
  edge = await Edge.start();
  await edge.room('general');
  await edge.room('closed', 'members');
  await edge.call(edge.owner, 'setpolicy', { callbackTargets: 'loopback' });
});
afterAll(() => edge.close());

const room = (id: string) => [['h', id]];
const inGeneral = [
  ['room', 'general'],
  ['k', '9'],
];

function hook(receiver: Receiver, path = '/hook'): string {
  return `http://127.0.0.1:${receiver.port}${path}`;
}

async function add(signer: Signer, receiver: Receiver, filter: object): Promise<Made> {
  return edge.call<Made>(signer, 'addcallback', { url: hook(receiver), filter });
}

async function shown(id: string): Promise<CallbackSummary | undefined> {
  const list = await edge.call<CallbackSummary[]>(edge.owner, 'listcallbacks');
  return list.find(callback => callback.id === id);
}

/** Publishes over a WebSocket of that key and expects it to be taken. */
async function send(signer: Signer, draft: Draft): Promise<NostrEvent> {
  const client = await WireClient.open(edge.relay.url, signer);
  const event = edge.sign(signer, { content: `${Math.random()}`, ...draft });
  expect(await client.publish(event)).toMatch(/^true/);
  client.close();
  return event;
}

const idsOf = (receiver: Receiver) => receiver.received.map(({ body }) => JSON.parse(body).id);

test('an agent registers within its grant and hears of what it waits for', async () => {
  const receiver = await startReceiver(false);
  const agent = await edge.agent(inGeneral);
  const made = await add(agent, receiver, { kinds: [9], '#h': ['general'], '#p': [agent.pubkey] });
  expect(made).toMatchObject({ owner: agent.pubkey, url: hook(receiver), failures: 0, paused: false });
  expect(made.secret).toMatch(/^[0-9a-f]{64}$/);
  await send(edge.owner, { kind: 9, tags: room('general') });
  const wanted = await send(edge.owner, { kind: 9, tags: [...room('general'), ['p', agent.pubkey]] });
  await receiver.until(1);
  const [post] = receiver.received;
  expect(JSON.parse(post!.body)).toEqual(wanted);
  expect(post!.headers).toMatchObject({ 'x-tiny-callback': made.id, 'x-tiny-relay': edge.relay.url });
  await until(async () => (await shown(made.id))?.lastStatus === 'HTTP 200');
});

test('outside its grant, as a guest and with a bad target it is refused', async () => {
  const receiver = await startReceiver(false);
  const agent = await edge.agent(inGeneral);
  const url = hook(receiver);
  const offer = (signer: Signer | null, input: object) => edge.refusal(signer, 'addcallback', input);
  const closed = { url, filter: { kinds: [9], '#h': ['closed'] } };
  expect(await offer(agent, closed)).toMatch(/^403 restricted: .*does not cover room closed/);
  expect(await offer(person(), { url, filter: { kinds: [9] } })).toMatch(/^403 restricted:/);
  expect(await offer(null, { url, filter: { kinds: [9] } })).toMatch(/^401 auth-required:/);
  expect(await offer(agent, { url: 'https://10.0.0.1/', filter: { kinds: [9] } })).toMatch(
    /invalid: .*public host/,
  );
  expect(await offer(agent, { url, filter: {} })).toMatch(/invalid: /);
  expect(await offer(agent, { url })).toMatch(/invalid: /);
  expect(await edge.refusal(agent, 'addcallback')).toMatch(/invalid: /);
});

test('pausing, revoking and re-granting an agent shows on its callbacks at once', async () => {
  const receiver = await startReceiver(false);
  const agent = await edge.agent(inGeneral);
  const { id } = await add(agent, receiver, { kinds: [9], '#h': ['general'] });
  const paused = () => edge.relay.context.callbacks.list({ pubkey: agent.pubkey, role: 'agent' })[0];
  await edge.call(edge.owner, 'pauseagent', agent.pubkey);
  expect(paused()).toMatchObject({ paused: true, lastStatus: 'paused: agent grant is paused' });
  await send(edge.owner, { kind: 9, tags: room('general') });
  expect(await edge.refusal(agent, 'resumecallback', id)).toMatch(/restricted: agent grant is paused/);
  await edge.call(edge.owner, 'resumeagent', agent.pubkey);
  expect(await edge.call(agent, 'resumecallback', id)).toMatchObject({ paused: false, lastStatus: '' });
  const heard = await send(edge.owner, { kind: 9, tags: room('general') });
  await receiver.until(1);
  expect(idsOf(receiver)).toEqual([heard.id]);
  await edge.call(edge.owner, 'revokeagent', agent.pubkey);
  expect(paused()?.paused).toBe(true);
});

test('a member who is taken out of the relay hears no more, and the list says why', async () => {
  const receiver = await startReceiver(false);
  const member = await edge.member();
  const { id } = await add(member, receiver, { kinds: [9] });
  await edge.call(edge.owner, 'removemember', member.pubkey);
  expect(await shown(id)).toMatchObject({ paused: true, lastStatus: 'paused: the key is no member' });
  await send(edge.owner, { kind: 9, tags: room('general') });
  expect(receiver.connections).toBe(0);
});

test('an event deleted before its POST is not sent; records of the relay and ephemeral events are', async () => {
  const receiver = await startReceiver(false);
  let release = () => {};
  receiver.answering = response => {
    release = () => response.end();
    receiver.answering = answers(200);
  };
  const { id } = await add(edge.owner, receiver, { kinds: [1, 20_001, 39_000] });
  const first = await send(edge.owner, { kind: 1 });
  await receiver.until(1);
  const gone = await send(edge.owner, { kind: 1 });
  await send(edge.owner, { kind: 5, tags: [['e', gone.id]] });
  const passing = await send(edge.owner, { kind: 20_001 });
  await edge.room('later');
  release();
  await receiver.until(3);
  const [one, two, three] = receiver.received.map(({ body }) => JSON.parse(body) as NostrEvent);
  expect([one?.id, two?.id]).toEqual([first.id, passing.id]);
  expect(three).toMatchObject({ kind: 39_000, pubkey: edge.relay.self });
  const log = await edge.call<Logged>(edge.owner, 'callbacklog', id);
  expect(log.find(entry => entry.event_id === gone.id)?.outcome).toBe('not sent: the event is gone');
});

test('F-21 what the key may not read is never sent: closed rooms, messages and requests of others', async () => {
  const receiver = await startReceiver(false);
  const member = await edge.member();
  await add(member, receiver, { kinds: [4, 9, 1059] });
  await send(edge.owner, { kind: 9, tags: room('closed') });
  await send(edge.owner, { kind: 4, tags: [['p', edge.owner.pubkey]] });
  await send(edge.owner, { kind: 1059, tags: [['p', edge.owner.pubkey]] });
  const mine = await send(edge.owner, { kind: 4, tags: [['p', member.pubkey]] });
  const open = await send(edge.owner, { kind: 9, tags: room('general') });
  await receiver.until(2);
  expect(idsOf(receiver)).toEqual([mine.id, open.id]);
});

test('others see neither the path nor the secret, and have no say unless they run the relay', async () => {
  const receiver = await startReceiver(false);
  const [member, other] = [await edge.member(), await edge.member()];
  const made = await add(member, receiver, { kinds: [1] });
  const seen = await shown(made.id);
  expect(seen).toMatchObject({ host: `127.0.0.1:${receiver.port}`, owner: member.pubkey });
  expect(seen).not.toHaveProperty('url');
  expect(seen).not.toHaveProperty('secret');
  expect(await edge.call(other, 'listcallbacks')).toEqual([]);
  expect(await edge.refusal(other, 'removecallback', made.id)).toMatch(/^400 not found: callback/);
  expect(await edge.call(edge.owner, 'pausecallback', made.id)).not.toHaveProperty('url');
  const audit = await edge.call<{ action: string; target: string; detail: string }[]>(
    edge.owner,
    'listaudit',
  );
  const rows = audit.filter(({ target }) => target === made.id);
  expect(rows.map(({ action }) => action)).toEqual(['pausecallback', 'addcallback']);
  expect(JSON.stringify(rows)).not.toContain('/hook');
  expect(await edge.call(edge.owner, 'removecallback', made.id)).toEqual({ removed: made.id });
});

test('a key that asks to vanish leaves no callback behind', async () => {
  const receiver = await startReceiver(false);
  const member = await edge.member();
  const { id } = await add(member, receiver, { kinds: [62] });
  await send(member, { kind: 62, tags: [['relay', edge.relay.url]] });
  expect(await shown(id)).toBeUndefined();
  expect(receiver.connections).toBe(0);
});

test('a failed POST is shown, and redelivered when the receiver is back', async () => {
  const receiver = await startReceiver(false);
  const { id } = await add(edge.owner, receiver, { kinds: [1] });
  receiver.answering = answers(500);
  const event = await send(edge.owner, { kind: 1 });
  await until(async () => (await shown(id))?.failures === 1);
  receiver.answering = answers(200);
  expect(await edge.call(edge.owner, 'redelivercallback', id, event.id)).toEqual({ redelivering: event.id });
  await until(async () => (await shown(id))?.failures === 0);
  const log = await edge.call<Logged>(edge.owner, 'callbacklog', id);
  expect(log.map(({ outcome }) => outcome)).toEqual(['', 'HTTP 500']);
});

test('setpolicy callbacks 0 closes registration for all but the owner; targets are public again when told', async () => {
  const receiver = await startReceiver(false);
  const member = await edge.member();
  await edge.call(edge.owner, 'setpolicy', { callbacks: 0 });
  onTestFinished(() => edge.call(edge.owner, 'setpolicy', { callbacks: 4, callbackTargets: 'loopback' }));
  const input = { url: hook(receiver), filter: { kinds: [1] } };
  expect(await edge.refusal(member, 'addcallback', input)).toMatch(
    /restricted: this relay takes no callbacks/,
  );
  await edge.call(edge.owner, 'addcallback', input);
  await edge.call(edge.owner, 'setpolicy', { callbackTargets: 'public' });
  expect(await edge.refusal(edge.owner, 'addcallback', input)).toMatch(/invalid: callback url/);
  expect(await edge.refusal(edge.owner, 'setpolicy', { callbackTargets: 'anywhere' })).toMatch(/invalid:/);
});

test('F-46 kill -9 right after the commit: the relay sends it after its next start', async () => {
  const receiver = await startReceiver(false);
  const data = mkdtempSync(join(tmpdir(), 'tiny-callbacks-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const owner = person();
  const child = fork(join(import.meta.dirname, 'relay-that-dies.ts'), [data, owner.pubkey], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = await ready(child);
  const event = await offerTo(url, owner, hook(receiver));
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  expect(receiver.connections).toBe(0);
  const next = await startRelay({ data });
  onTestFinished(() => next.close());
  await receiver.until(1);
  expect(JSON.parse(receiver.received[0]!.body)).toEqual(event);
  expect(receiver.received[0]!.headers['x-tiny-attempt']).toBe('1');
});

async function ready(child: ChildProcess): Promise<string> {
  const [url] = await once(child, 'message');
  return String(url);
}

/** Registers a callback, arms the relay and publishes; answers the event, whose OK never comes. */
async function offerTo(url: string, owner: Signer, target: string): Promise<NostrEvent> {
  const rpc = new RelayRpc({ url, signer: owner });
  await rpc.call('setpolicy', [{ callbackTargets: 'loopback' }]);
  await rpc.call('addcallback', [{ url: target, filter: { kinds: [1] } }]);
  const client = await WireClient.open(url, owner);
  const event = owner.sign({ kind: 1, created_at: Math.floor(Date.now() / 1000), tags: [], content: 'last' });
  client.send(['EVENT', event]);
  return event;
}
