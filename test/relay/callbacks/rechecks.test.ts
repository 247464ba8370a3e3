import { expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { Role } from '../../../relay/context.ts';
import { answers, type Receiver, startReceiver } from './receiver.ts';
import { openRelay, register, shown, signed, type TestRelay, until } from './relay-with-callbacks.ts';

/** A callback whose first POST is held back until the answer is given, so that a second one waits behind it. */
async function held(relay: TestRelay, receiver: Receiver, signer: Signer, filter: object) {
  const { id } = register(relay, signer, { url: receiver.url(), filter });
  let release = () => {};
  receiver.answering = response => {
    release = () => response.end();
    receiver.answering = answers(200);
  };
  const send = (event = signed(relay.owner)) => {
    relay.publish(event);
    return event;
  };
  send();
  await receiver.until(1);
  return { id, send, release: () => release() };
}

test('an event that is deleted before its POST is not sent', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  const { id, send, release } = await held(relay, receiver, relay.owner, { kinds: [1] });
  const gone = send();
  const kept = send();
  relay.store.transact(() => relay.store.events.remove(gone.id));
  release();
  await receiver.until(2);
  expect(JSON.parse(receiver.received[1]!.body).id).toBe(kept.id);
  const caller = { pubkey: relay.owner.pubkey, role: 'owner' as Role };
  await until(() => {
    const log = relay.callbacks.registrations.log(caller, id);
    return log.ok && log.value.length === 3;
  });
  const log = relay.callbacks.registrations.log(caller, id);
  expect(log.ok && log.value.some(entry => entry.outcome === 'not sent: the event is gone')).toBe(true);
  expect(shown(relay, relay.owner, id).failures).toBe(0);
});

test('an event that expires before its POST is not sent, stored or ephemeral', async () => {
  const receiver = await startReceiver();
  let ahead = 0;
  const relay = openRelay({ now: () => Date.now() + ahead });
  const { send, release } = await held(relay, receiver, relay.owner, { kinds: [1, 20_001] });
  const soon = [['expiration', `${relay.now() + 60}`]];
  send(signed(relay.owner, 1, soon));
  send(signed(relay.owner, 20_001, soon));
  const kept = send();
  ahead = 120_000;
  release();
  await receiver.until(2);
  expect(JSON.parse(receiver.received[1]!.body).id).toBe(kept.id);
});

test('an event of a room the key has left is not sent', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  const member = relay.member();
  const room = {
    id: 'build',
    name: 'build',
    about: '',
    picture: '',
    created_by: relay.owner.pubkey,
    event_id: '',
    created_at: 1,
  };
  relay.store.transact(() => {
    relay.store.rooms.put({ ...room, access: 'members' });
    relay.store.rooms.putMember('build', { pubkey: member.pubkey, role: 'member', added_at: 1 });
  });
  const { send, release } = await held(relay, receiver, member, { kinds: [1, 9] });
  send(signed(relay.owner, 9, [['h', 'build']]));
  const kept = send();
  relay.store.transact(() => relay.store.rooms.removeMember('build', member.pubkey));
  // Not planned at all: the key could not read it when it came.
  send(signed(relay.owner, 9, [['h', 'build']]));
  release();
  await receiver.until(2);
  await relay.close();
  expect(receiver.received.map(({ body }) => JSON.parse(body).kind)).toEqual([1, 1]);
  expect(JSON.parse(receiver.received[1]!.body).id).toBe(kept.id);
});

test('F-21 private events go to their parties only', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  const member = relay.member();
  register(relay, member, { url: receiver.url(), filter: { kinds: [4, 1059] } });
  relay.publish(signed(relay.owner, 1059, [['p', relay.owner.pubkey]]));
  relay.publish(signed(relay.owner, 4, [['p', relay.owner.pubkey]]));
  const mine = signed(relay.owner, 1059, [['p', member.pubkey]]);
  relay.publish(mine);
  await receiver.until(1);
  await relay.close();
  expect(receiver.received.map(({ body }) => JSON.parse(body).id)).toEqual([mine.id]);
});

const endings: [name: string, end: (relay: TestRelay, agent: string) => void, status: RegExp][] = [
  [
    'pausing the grant',
    (relay, agent) => relay.store.grants.setPaused(agent, true),
    /paused: agent grant is paused/,
  ],
  [
    'revoking the grant',
    (relay, agent) => relay.store.grants.revoke(agent),
    /paused: agent grant is revoked/,
  ],
  [
    'the end of the grant',
    (relay, agent) => relay.store.grants.put({ ...relay.store.grants.get(agent)!, expires: relay.now() - 1 }),
    /paused: agent grant has expired/,
  ],
  [
    'a grant without the room',
    (relay, agent) => {
      const grant = relay.store.grants.get(agent)!;
      relay.store.grants.put({ ...grant, scope: { ...grant.scope, rooms: [] } });
    },
    /paused: agent grant does not cover room build/,
  ],
];

test.each(endings)(
  '%s stops delivery and pauses the callback with the reason',
  async (_name, end, status) => {
    const receiver = await startReceiver();
    const relay = openRelay();
    const agent = relay.agent(['room', 'build']);
    relay.store.transact(() => {
      const of = { created_by: relay.owner.pubkey, event_id: '', created_at: 1 };
      relay.store.rooms.put({ id: 'build', name: 'build', about: '', picture: '', access: 'open', ...of });
    });
    const inRoom = () => signed(relay.owner, 9, [['h', 'build']]);
    const { id } = register(relay, agent, { url: receiver.url(), filter: { kinds: [9], '#h': ['build'] } });
    let release = () => {};
    receiver.answering = response => {
      release = () => response.end();
    };
    relay.publish(inRoom());
    await receiver.until(1);
    relay.publish(inRoom());
    relay.store.transact(() => end(relay, agent.pubkey));
    release();
    await until(() => shown(relay, relay.owner, id).paused);
    expect(shown(relay, relay.owner, id).lastStatus).toMatch(status);
    relay.publish(inRoom());
    await relay.close();
    expect(receiver.received.length).toBe(1);
  },
);

test('a key that is no member any more has its callbacks paused', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  const member = relay.member();
  const { id, send, release } = await held(relay, receiver, member, { kinds: [1] });
  send();
  relay.store.transact(() => relay.store.members.remove(member.pubkey));
  release();
  await until(() => shown(relay, relay.owner, id).paused);
  expect(shown(relay, relay.owner, id).lastStatus).toBe('paused: the key is no member');
  await relay.close();
  expect(receiver.received.length).toBe(1);
});

test('planning notices what delivery would: an event pauses what may not be served', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  const agent = relay.agent();
  const { id } = register(relay, agent, { url: receiver.url(), filter: { kinds: [1] } });
  relay.store.transact(() => relay.store.grants.setPaused(agent.pubkey, true));
  relay.publish(signed(relay.owner));
  expect(shown(relay, relay.owner, id)).toMatchObject({
    paused: true,
    lastStatus: 'paused: agent grant is paused',
  });
  const pauses = relay.store.audit.list(50).filter(row => row.action === 'pausecallback');
  expect(pauses).toMatchObject([
    { actor: 'f'.repeat(64), target: id, detail: 'paused: agent grant is paused' },
  ]);
});

test('a removed callback sends nothing more, and a POST under way leaves nothing behind', async () => {
  const receiver = await startReceiver();
  const relay = openRelay();
  const { id, send, release } = await held(relay, receiver, relay.owner, { kinds: [1] });
  send();
  const caller = { pubkey: relay.owner.pubkey, role: 'owner' as Role };
  expect(relay.callbacks.registrations.remove(caller, id)).toEqual({ ok: true, value: { removed: id } });
  release();
  send();
  await relay.close();
  expect(receiver.received.length).toBe(1);
});

test('F-45 a policy that closes this machine again stops deliveries to it', async () => {
  const receiver = await startReceiver();
  let callbackTargets = 'loopback';
  const relay = openRelay({ policy: () => ({ callbackTargets }) });
  const { id } = register(relay, relay.owner, { url: receiver.url(), filter: { kinds: [1] } });
  callbackTargets = 'public';
  relay.publish(signed(relay.owner));
  await until(() => shown(relay, relay.owner, id).failures > 0);
  expect(receiver.connections).toBe(0);
});
