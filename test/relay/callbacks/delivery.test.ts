import { expect, test } from 'vitest';
import { signatureOf } from '../../../relay/callbacks/deliver.ts';
import type { Signer } from '../../../relay/client/signer.ts';
import { answers, startReceiver } from './receiver.ts';
import { openRelay, register, shown, signed, type TestRelay, until } from './relay-with-callbacks.ts';

const logOf = (relay: TestRelay, signer: Signer, id: string) => {
  const done = relay.callbacks.registrations.log(
    { pubkey: signer.pubkey, role: relay.roleOf(signer.pubkey) },
    id,
  );
  if (!done.ok) throw new Error(done.refusal);
  return done.value;
};

test('each matching event is one POST with its JSON, signed with the secret', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  const member = relay.member();
  const { id, secret } = register(relay, member, {
    url: receiver.url(),
    filter: { kinds: [1], '#p': [member.pubkey] },
  });
  relay.publish(signed(relay.owner, 1, [['p', relay.owner.pubkey]]));
  relay.publish(signed(relay.owner, 7, [['p', member.pubkey]]));
  const wanted = [
    signed(relay.owner, 1, [['p', member.pubkey]]),
    signed(member, 1, [
      ['x', 'y'],
      ['p', member.pubkey],
    ]),
  ];
  for (const event of wanted) relay.publish(event);
  await receiver.until(2);
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual(wanted);
  for (const { body, headers } of receiver.received) {
    expect(headers['x-tiny-signature']).toBe(signatureOf(body, secret));
    expect(headers['x-tiny-callback']).toBe(id);
    expect(headers['x-tiny-attempt']).toBe('1');
  }
  await until(() => logOf(relay, member, id).length === 2);
  expect(shown(relay, member, id)).toMatchObject({ lastStatus: 'HTTP 200', failures: 0, paused: false });
  expect(shown(relay, member, id).lastDelivery).toBeGreaterThan(0);
  await relay.close();
  expect(receiver.received.length).toBe(2);
});

test('an ephemeral event is sent though it is stored nowhere', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  const member = relay.member();
  register(relay, member, { url: receiver.url(), filter: { kinds: [20_001] } });
  const presence = signed(relay.owner, 20_001);
  relay.publish(presence);
  await receiver.until(1);
  expect(JSON.parse(receiver.received[0]!.body)).toEqual(presence);
});

test('events from before the registration are not sent', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  relay.publish(signed(relay.owner));
  register(relay, relay.owner, { url: receiver.url(), filter: { kinds: [1], since: 0 } });
  const later = signed(relay.owner);
  relay.publish(later);
  await receiver.until(1);
  await relay.close();
  expect(receiver.received.map(({ body }) => JSON.parse(body).id)).toEqual([later.id]);
});

test('F-46 a failed POST is tried again twice and then dropped; the log names each attempt', async () => {
  const receiver = await startReceiver();
  receiver.answering = answers(500);
  const relay = openRelay();
  const { id } = register(relay, relay.owner, { url: receiver.url(), filter: { kinds: [1] } });
  const event = signed(relay.owner);
  relay.publish(event);
  await receiver.until(3);
  await until(() => logOf(relay, relay.owner, id).length === 3);
  const log = logOf(relay, relay.owner, id);
  expect(log.map(({ attempt, status, outcome, event_id }) => [attempt, status, outcome, event_id])).toEqual([
    [3, 500, 'HTTP 500', event.id],
    [2, 500, 'HTTP 500', event.id],
    [1, 500, 'HTTP 500', event.id],
  ]);
  expect(receiver.received.map(({ headers }) => headers['x-tiny-attempt'])).toEqual(['1', '2', '3']);
  expect(shown(relay, relay.owner, id)).toMatchObject({ failures: 3, lastStatus: 'HTTP 500', paused: false });
  // What comes next is sent on its own, and a success clears the count.
  receiver.answering = answers(200);
  relay.publish(signed(relay.owner));
  await until(() => logOf(relay, relay.owner, id).length === 4);
  expect(shown(relay, relay.owner, id)).toMatchObject({ failures: 0, lastStatus: 'HTTP 200' });
  await relay.close();
  expect(receiver.received.length).toBe(4);
});

test('F-46 twenty failures in a row pause the callback with the reason; resuming clears all and replays nothing', async () => {
  const receiver = await startReceiver();
  receiver.answering = answers(503);
  const relay = openRelay({ retryDelays: [1, 1] });
  const { id } = register(relay, relay.owner, { url: receiver.url(), filter: { kinds: [1] } });
  for (let i = 0; i < 12; i += 1) relay.publish(signed(relay.owner));
  await until(() => shown(relay, relay.owner, id).paused);
  expect(receiver.received.length).toBe(20);
  expect(shown(relay, relay.owner, id)).toMatchObject({
    failures: 20,
    lastStatus: 'paused: 20 failures in a row, the last: HTTP 503',
  });
  relay.publish(signed(relay.owner));
  receiver.answering = answers(200);
  const caller = { pubkey: relay.owner.pubkey, role: 'owner' as const };
  expect(relay.callbacks.registrations.resume(caller, id)).toMatchObject({
    ok: true,
    value: { failures: 0, lastStatus: '', paused: false },
  });
  const after = signed(relay.owner);
  relay.publish(after);
  await receiver.until(21);
  await relay.close();
  expect(receiver.received.slice(20).map(({ body }) => JSON.parse(body).id)).toEqual([after.id]);
});

test('one POST at a time for a callback, several callbacks at once', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  const first = register(relay, relay.owner, { url: receiver.url('/first'), filter: { kinds: [1] } });
  const second = register(relay, relay.owner, { url: receiver.url('/second'), filter: { kinds: [1] } });
  const open = new Map<string, number>();
  let most = 0;
  let both = false;
  receiver.answering = (response, { path }) => {
    open.set(path, (open.get(path) ?? 0) + 1);
    most = Math.max(most, open.get(path) ?? 0);
    both ||= [...open.values()].filter(count => count > 0).length === 2;
    setTimeout(() => {
      open.set(path, (open.get(path) ?? 0) - 1);
      response.end();
    }, 5);
  };
  for (let i = 0; i < 5; i += 1) relay.publish(signed(relay.owner));
  await receiver.until(10);
  expect(most).toBe(1);
  expect(both).toBe(true);
  for (const { id } of [first, second]) await until(() => logOf(relay, relay.owner, id).length === 5);
});

test('a log keeps the last fifty POSTs', async () => {
  const receiver = await startReceiver(false);
  const relay = openRelay();
  const url = `http://127.0.0.1:${receiver.port}/`;
  const { id } = register(relay, relay.owner, { url, filter: { kinds: [1] } });
  const events = Array.from({ length: 60 }, () => signed(relay.owner));
  for (const event of events) relay.publish(event);
  const last = events.at(-1)!.id;
  await until(() => logOf(relay, relay.owner, id)[0]?.event_id === last);
  const log = logOf(relay, relay.owner, id);
  expect(log.map(entry => entry.event_id)).toEqual(
    events
      .slice(10)
      .reverse()
      .map(event => event.id),
  );
});

test('a redelivery by hand sends the event again', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  const { id } = register(relay, relay.owner, { url: receiver.url(), filter: { kinds: [1] } });
  const event = signed(relay.owner);
  relay.publish(event);
  await until(() => logOf(relay, relay.owner, id).length === 1);
  const caller = { pubkey: relay.owner.pubkey, role: 'owner' as const };
  expect(relay.callbacks.registrations.redeliver(caller, id, event.id)).toMatchObject({ ok: true });
  await receiver.until(2);
  expect(receiver.received.map(({ body }) => JSON.parse(body).id)).toEqual([event.id, event.id]);
  expect(relay.callbacks.registrations.redeliver(caller, id, 'ab'.repeat(32))).toMatchObject({
    refusal: 'not found: the event is gone',
  });
});
