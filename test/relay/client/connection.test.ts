import { afterEach, expect, test } from 'vitest';
import { type ConnectionState, RelayConnection, RelayRefusal } from '../../../relay/client/connection.ts';
import { generateSecret, type Signer, signerFrom } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { type Peer, type Script, SmallRelay } from './small-relay.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function relayWith(script: Script): Promise<SmallRelay> {
  const relay = await SmallRelay.start(script);
  open.push(relay);
  return relay;
}

function connect(relay: { url: string }, signer: Signer | null): RelayConnection {
  const connection = new RelayConnection({ url: relay.url, signer, minBackoff: 10, maxBackoff: 80 });
  open.push(connection);
  connection.connect();
  return connection;
}

function reached(connection: RelayConnection, state: ConnectionState['state']): Promise<ConnectionState> {
  if (connection.state.state === state) return Promise.resolve(connection.state);
  return new Promise(resolve => {
    const stop = connection.onState(now => {
      if (now.state !== state) return;
      stop();
      resolve(now);
    });
  });
}

/** Wants AUTH for everything; answers a REQ with EOSE and an EVENT with OK. */
function guarded(options: { accept?: boolean } = {}): Script & { authenticated: NostrEvent[] } {
  const known = new Set<Peer>();
  const authenticated: NostrEvent[] = [];
  return {
    authenticated,
    opened: peer => peer.send('AUTH', 'c0ffee'),
    message(peer, [verb, first]) {
      if (verb === 'AUTH') {
        const event = first as NostrEvent;
        authenticated.push(event);
        const ok = options.accept ?? true;
        if (ok) known.add(peer);
        peer.send('OK', event.id, ok, ok ? '' : 'restricted: not you');
      } else if (verb === 'REQ') {
        if (known.has(peer)) peer.send('EOSE', first);
        else peer.send('CLOSED', first, 'auth-required: who are you');
      } else if (verb === 'EVENT') {
        const ok = known.has(peer);
        peer.send('OK', (first as NostrEvent).id, ok, ok ? '' : 'auth-required: who are you');
      }
    },
  };
}

const alice = signerFrom(generateSecret());
const note = (content: string, tags: string[][] = []) =>
  alice.sign({ kind: 1, created_at: 1_700_000_000, tags, content });

test('authenticates before it is online and before the first REQ leaves', async () => {
  const script = guarded();
  const relay = await relayWith(script);
  const connection = connect(relay, alice);
  const eose = new Promise<void>(resolve => {
    connection.subscribe('s', () => [{ kinds: [1] }], { event() {}, eose: resolve });
  });
  await reached(connection, 'online');
  await eose;
  const [auth] = script.authenticated;
  expect(auth?.kind).toBe(22242);
  expect(auth?.tags).toContainEqual(['challenge', 'c0ffee']);
  expect(auth?.tags).toContainEqual(['relay', relay.url]);
  expect(relay.peers[0]?.received.map(([verb]) => verb)).toEqual(['AUTH', 'REQ']);
});

test('is online without AUTH when there is no signer', async () => {
  const relay = await relayWith({ message: (peer, [, id]) => peer.send('EOSE', id) });
  const connection = connect(relay, null);
  await reached(connection, 'online');
  expect(await connection.query([{ kinds: [1] }])).toEqual([]);
});

test('says why when the relay refuses the key, and keeps trying', async () => {
  const relay = await relayWith(guarded({ accept: false }));
  const connection = connect(relay, alice);
  const state = await reached(connection, 'offline');
  expect(state.reason).toBe('authentication refused: restricted: not you');
  expect(state.retryAt).toBeGreaterThan(Date.now() - 1000);
  await reached(connection, 'connecting');
});

test('a publication is accepted, refused and not connected as values', async () => {
  const relay = await relayWith({
    message(peer, [verb, event]) {
      if (verb !== 'EVENT') return;
      const { id, content } = event as NostrEvent;
      peer.send('OK', id, content === 'good', content === 'good' ? '' : 'blocked: no');
    },
  });
  const connection = connect(relay, null);
  await reached(connection, 'online');
  expect(await connection.publish(note('good'))).toEqual({ ok: true, reason: '' });
  expect(await connection.publish(note('bad'))).toEqual({ ok: false, reason: 'blocked: no' });
  await connection.close();
  expect(await connection.publish(note('late'))).toEqual({ ok: false, reason: 'error: not connected' });
});

test('a publication without an answer ends with a reason, and so does one whose connection breaks', async () => {
  const relay = await relayWith({});
  const connection = connect(relay, null);
  await reached(connection, 'online');
  expect(await connection.publish(note('silence'), { timeoutMs: 20 })).toEqual({
    ok: false,
    reason: 'error: no answer in time',
  });
  const lost = connection.publish(note('cut'));
  relay.cut();
  expect(await lost).toEqual({ ok: false, reason: 'error: connection lost' });
});

test('an event refused with auth-required is sent once more after AUTH', async () => {
  let authenticated = false;
  const relay = await relayWith({
    // The challenge comes late: only when it is needed.
    message(peer, [verb, first]) {
      const { id } = first as NostrEvent;
      if (verb === 'AUTH') {
        authenticated = true;
        peer.send('OK', id, true, '');
      } else if (verb === 'EVENT' && authenticated) peer.send('OK', id, true, '');
      else if (verb === 'EVENT') {
        peer.send('AUTH', 'now');
        peer.send('OK', id, false, 'auth-required: sign in');
      }
    },
  });
  const connection = connect(relay, alice);
  await reached(connection, 'online');
  expect(await connection.publish(note('mine'))).toEqual({ ok: true, reason: '' });
  expect(relay.peers[0]?.received.map(([verb]) => verb)).toEqual(['EVENT', 'AUTH', 'EVENT']);
});

test('asks again with fresh filters after a reconnect and after access changed', async () => {
  const asked: unknown[] = [];
  const relay = await relayWith({
    message(peer, [verb, id, filter]) {
      if (verb !== 'REQ') return;
      asked.push(filter);
      peer.send('EOSE', id);
      if (asked.length === 1) peer.send('CLOSED', id, 'blocked: access changed, subscribe again');
      else if (asked.length === 2) peer.socket.terminate();
    },
  });
  const connection = connect(relay, null);
  let round = 0;
  const third = new Promise<void>(resolve => {
    connection.subscribe(
      'rooms',
      () => {
        round += 1;
        return [{ kinds: [9], '#h': [`room-${round}`] }];
      },
      { event() {}, eose: () => asked.length === 3 && resolve() },
    );
  });
  await third;
  expect(asked).toEqual(['room-1', 'room-2', 'room-3'].map(room => ({ kinds: [9], '#h': [room] })));
});

test('tells of a refusal once and tries again by itself', async () => {
  let refusals = 0;
  const relay = await relayWith({
    message(peer, [verb, id]) {
      if (verb !== 'REQ') return;
      refusals += 1;
      if (refusals < 3) peer.send('CLOSED', id, 'restricted: not a member of room x');
      else peer.send('EOSE', id);
    },
  });
  const connection = connect(relay, null);
  const reasons: string[] = [];
  await new Promise<void>(resolve => {
    const handlers = { event() {}, eose: resolve, closed: (reason: string) => void reasons.push(reason) };
    connection.subscribe('x', () => [{ '#h': ['x'] }], handlers);
  });
  expect(reasons).toEqual(['restricted: not a member of room x']);
});

test('hands on only events with their own id and signature that were asked for', async () => {
  const good = note('good', [['t', 'x']]);
  const wrong = note('not asked for');
  const forged = { ...note('forged', [['t', 'x']]), content: 'changed' };
  const unsigned = { ...note('unsigned', [['t', 'x']]), sig: '0'.repeat(128) };
  const relay = await relayWith({
    message(peer, [verb, id]) {
      if (verb !== 'REQ') return;
      for (const event of [wrong, forged, unsigned, null, 'text', { ...good, extra: 1 }]) {
        peer.send('EVENT', id, event);
      }
      peer.send('EVENT', 'another', good);
      peer.send('EOSE', id);
    },
  });
  const connection = connect(relay, null);
  await reached(connection, 'online');
  expect(await connection.query([{ '#t': ['x'] }])).toEqual([good]);
});

test('a query is refused with the reason, and when the connection breaks', async () => {
  const relay = await relayWith({
    message(peer, [verb, id, filter]) {
      if (verb !== 'REQ') return;
      const { limit } = filter as { limit?: number };
      if (limit === 1) peer.send('CLOSED', id, 'restricted: members-only');
      if (limit === 2) peer.socket.terminate();
    },
  });
  const connection = connect(relay, null);
  await reached(connection, 'online');
  await expect(connection.query([{ limit: 1 }])).rejects.toThrow(RelayRefusal);
  await expect(connection.query([{ limit: 3 }], { timeoutMs: 20 })).rejects.toThrow(
    'error: no answer in time',
  );
  await expect(connection.query([{ limit: 2 }])).rejects.toThrow('error: connection lost');
});

test('a publication made while connecting waits for the connection', async () => {
  const relay = await relayWith(guarded());
  const connection = connect(relay, alice);
  expect(connection.state.state).toBe('connecting');
  expect(await connection.publish(note('early'))).toEqual({ ok: true, reason: '' });
});

test('comes back when the relay does, with pauses that grow until it is', async () => {
  const first = await SmallRelay.start();
  const { port, url } = first;
  await first.close();
  const connection = new RelayConnection({ url, signer: null, minBackoff: 10, maxBackoff: 40 });
  open.push(connection);
  const pauses: number[] = [];
  const third = new Promise<void>(resolve => {
    connection.onState(({ state, retryAt }) => {
      if (state === 'offline' && retryAt !== undefined) pauses.push(retryAt - Date.now());
      if (pauses.length === 3) resolve();
    });
  });
  connection.connect();
  await third;
  expect(connection.state.reason).toContain('ECONNREFUSED');
  open.push(await SmallRelay.start({}, port));
  await reached(connection, 'online');
  expect(Math.max(...pauses)).toBeLessThanOrEqual(40);
});

test('closing answers what is open and leaves no connection', async () => {
  const relay = await relayWith({});
  const connection = connect(relay, null);
  await reached(connection, 'online');
  const publication = connection.publish(note('open'));
  const query = connection.query([{ kinds: [1] }]).catch((error: RelayRefusal) => error.reason);
  // Both have left once the second has arrived.
  await new Promise<void>(resolve => {
    relay.script = { message: (_, [verb]) => verb === 'REQ' && resolve() };
  });
  await connection.close();
  expect(await publication).toEqual({ ok: false, reason: 'error: connection lost' });
  expect(await query).toBe('error: connection lost');
  expect(connection.state).toEqual({ state: 'offline', reason: 'closed' });
});

test('an empty list of filters asks for nothing', async () => {
  const relay = await relayWith({});
  const connection = connect(relay, null);
  await reached(connection, 'online');
  await new Promise<void>(resolve => {
    connection.subscribe('none', () => [], { event() {}, eose: resolve });
  });
  expect(relay.peers[0]?.received).toEqual([]);
});

test('garbage from the relay changes nothing', async () => {
  const relay = await relayWith({
    opened(peer) {
      for (const text of ['', 'null', '{', '[]', '["EVENT"]', '[1,2]', '["OK"]', '["AUTH",1]', '"x"']) {
        peer.socket.send(text);
      }
      peer.socket.send(Buffer.from([1, 2, 3]));
    },
    message: (peer, [, id]) => peer.send('EOSE', id),
  });
  const connection = connect(relay, null);
  await reached(connection, 'online');
  expect(await connection.query([{ kinds: [1] }])).toEqual([]);
});
