import { expect, test } from 'vitest';
import { openSecret, sealSecret } from '../../../relay/callbacks/sealed-secret.ts';
import type { Signer } from '../../../relay/client/signer.ts';
import { openRelay, register, SEAL_KEY, shown, signed, type TestRelay } from './relay-with-callbacks.ts';

const HOOK = { url: 'https://worker.example:8443/tiny?key=1', filter: { kinds: [1] } };

const callerOf = (relay: TestRelay, signer: Signer) => ({
  pubkey: signer.pubkey,
  role: relay.roleOf(signer.pubkey),
});

test('the answer holds the secret once; lists never do', () => {
  const relay = openRelay();
  const member = relay.member();
  const made = register(relay, member, HOOK);
  expect(made.secret).toMatch(/^[0-9a-f]{64}$/);
  expect(made.id).toMatch(/^[0-9a-f]{32}$/);
  const listed = shown(relay, member, made.id);
  expect(listed).toEqual({
    ...{ id: made.id, owner: member.pubkey, url: HOOK.url, host: 'worker.example:8443', filter: HOOK.filter },
    ...{ created: made.created, lastDelivery: 0, lastStatus: '', failures: 0, paused: false },
  });
});

test('secrets of 16 to 128 printable characters are taken, others refused', () => {
  const relay = openRelay();
  const ask = (secret: unknown) =>
    relay.callbacks.registrations.add(callerOf(relay, relay.owner), { ...HOOK, secret });
  for (const secret of ['!'.repeat(16), '~'.repeat(128)])
    expect(ask(secret)).toMatchObject({ value: { secret } });
  for (const secret of ['', '  ', undefined, null]) expect(ask(secret).ok).toBe(true);
  for (const secret of ['x'.repeat(15), 'x'.repeat(129), `${'x'.repeat(16)} `, 'é'.repeat(20), 7]) {
    const done = ask(secret);
    expect(done.ok ? '' : done.refusal).toMatch(/^invalid: callback secret/);
  }
});

test('secrets are sealed at rest, and bound to key and callback', () => {
  const sealed = sealSecret(SEAL_KEY, 'one', 'secret-secret-secret');
  expect(sealed.includes('secret-secret')).toBe(false);
  expect(openSecret(SEAL_KEY, 'one', sealed)).toBe('secret-secret-secret');
  expect(openSecret(SEAL_KEY, 'two', sealed)).toBeNull();
  expect(openSecret(new Uint8Array(32), 'one', sealed)).toBeNull();
  expect(openSecret(SEAL_KEY, 'one', sealed.subarray(0, 10))).toBeNull();
});

test('a bad url and a bad filter are refused with the key named', () => {
  const relay = openRelay({ policy: () => ({ callbackTargets: 'public' }) });
  const ask = (input: object) => {
    const done = relay.callbacks.registrations.add(callerOf(relay, relay.owner), { ...HOOK, ...input });
    return done.ok ? '' : done.refusal;
  };
  expect(ask({ url: 'https://127.0.0.1/' })).toMatch(/^invalid: callback url/);
  expect(ask({ filter: { kinds: [1], '#t': ['x'] } })).toMatch(/^invalid: callback filter .*#t/);
  expect(ask({ filter: undefined })).toMatch(/^invalid: callback filter/);
});

test('a key holds four by default, paused ones count, the owner any number; 0 closes registration', () => {
  let callbacks = 4;
  const relay = openRelay({ policy: () => ({ callbacks }) });
  const member = relay.member('moderator');
  const ask = (signer: Signer) => relay.callbacks.registrations.add(callerOf(relay, signer), HOOK);
  for (let i = 0; i < 4; i += 1) expect(ask(member).ok).toBe(true);
  const [first] = relay.callbacks.registrations.list(callerOf(relay, member));
  relay.callbacks.registrations.pause(callerOf(relay, member), first!.id);
  expect(ask(member)).toMatchObject({ refusal: 'restricted: a key may hold 4 callbacks' });
  for (let i = 0; i < 6; i += 1) expect(ask(relay.owner).ok).toBe(true);
  callbacks = 0;
  expect(ask(relay.member())).toMatchObject({ refusal: 'restricted: this relay takes no callbacks' });
  expect(ask(relay.owner).ok).toBe(true);
});

test('an agent registers inside its grant only, others not at all', () => {
  const relay = openRelay();
  const agent = relay.agent(['room', 'build'], ['repo', `${relay.owner.pubkey}:tiny:read`]);
  const ask = (signer: Signer, filter: object) => {
    const input = { url: HOOK.url, filter: { kinds: [7], ...filter } };
    const done = relay.callbacks.registrations.add(callerOf(relay, signer), input);
    return done.ok ? 'registered' : done.refusal;
  };
  expect(ask(agent, { '#h': ['build'], '#a': [`30617:${relay.owner.pubkey}:tiny`] })).toBe('registered');
  expect(ask(agent, { '#h': ['other'] })).toBe('restricted: agent grant does not cover room other');
  expect(ask(agent, { '#a': [`30617:${agent.pubkey}:tiny`] })).toBe(
    'restricted: agent grant does not cover repository tiny',
  );
  relay.store.transact(() => relay.store.grants.setPaused(agent.pubkey, true));
  expect(ask(agent, {})).toBe('restricted: agent grant is paused');
  relay.store.transact(() => relay.store.grants.revoke(agent.pubkey));
  expect(ask(agent, {})).toBe('restricted: agent grant is revoked');
  const stranger = openRelay().owner;
  expect(ask(stranger, {})).toBe('restricted: the key is no member');
});

test('members see and control their own; operators all, without the url of others', () => {
  const relay = openRelay();
  const [member, other, moderator] = [relay.member(), relay.member(), relay.member('moderator')];
  const { id } = register(relay, member, HOOK);
  const { registrations } = relay.callbacks;
  expect(registrations.list(callerOf(relay, other))).toEqual([]);
  for (const act of ['remove', 'pause', 'resume', 'log'] as const) {
    expect(registrations[act](callerOf(relay, other), id)).toEqual({
      ok: false,
      refusal: 'not found: callback',
    });
  }
  const seen = shown(relay, moderator, id);
  expect(seen.url).toBeUndefined();
  expect(seen.host).toBe('worker.example:8443');
  for (const act of ['pause', 'resume'] as const) {
    const done = registrations[act](callerOf(relay, moderator), id);
    expect(done.ok && done.value.url).toBeUndefined();
    expect(done.ok).toBe(true);
  }
  expect(registrations.remove(callerOf(relay, moderator), id).ok).toBe(true);
  expect(registrations.list(callerOf(relay, relay.owner))).toEqual([]);
});

test('every change is one audit row', () => {
  const relay = openRelay();
  const member = relay.member();
  const caller = callerOf(relay, member);
  const { id } = register(relay, member, HOOK);
  relay.callbacks.registrations.pause(caller, id);
  relay.callbacks.registrations.pause(caller, id);
  relay.callbacks.registrations.resume(caller, id);
  relay.callbacks.registrations.remove(caller, id);
  const rows = relay.store.audit.list(10).filter(row => row.target === id);
  expect(rows.map(row => row.action)).toEqual([
    'removecallback',
    'resumecallback',
    'pausecallback',
    'addcallback',
  ]);
  expect(rows.every(row => row.actor === member.pubkey && row.detail === 'worker.example:8443')).toBe(true);
});

test('a review pauses what may not be served any more, without waiting for an event', () => {
  const relay = openRelay();
  const [agent, member] = [relay.agent(), relay.member()];
  const of = [agent, member].map(signer => register(relay, signer, HOOK).id);
  relay.store.transact(() => {
    relay.store.grants.setPaused(agent.pubkey, true);
    relay.store.members.remove(member.pubkey);
  });
  relay.callbacks.registrations.review([member.pubkey]);
  expect(of.map(id => shown(relay, relay.owner, id).paused)).toEqual([false, true]);
  relay.callbacks.registrations.review();
  expect(of.map(id => shown(relay, relay.owner, id).lastStatus)).toEqual([
    'paused: agent grant is paused',
    'paused: the key is no member',
  ]);
  const resumed = relay.callbacks.registrations.resume(callerOf(relay, relay.owner), of[0]!);
  expect(resumed).toEqual({ ok: false, refusal: 'restricted: agent grant is paused' });
});

test('an event that is refused with its transaction plans nothing', () => {
  const relay = openRelay();
  const { id } = register(relay, relay.owner, HOOK);
  const event = signed(relay.owner);
  expect(() =>
    relay.store.transact(() => {
      relay.callbacks.plan({ event, json: JSON.stringify(event) });
      throw new Error('undone');
    }),
  ).toThrow('undone');
  expect(shown(relay, relay.owner, id).lastDelivery).toBe(0);
});
