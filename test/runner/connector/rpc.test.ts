// `tinyagent keygen`, `call` and `rpc` against a real relay.

import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { cleanup, grant, Heard, makeWorld, seconds } from '../world.ts';
import { run, start } from './started.ts';

async function connected() {
  const world = await makeWorld();
  const secret = generateSecret();
  const { pubkey } = signerFrom(secret);
  await grant(world, pubkey);
  const env = { TINY_PRIVATE_KEY: Buffer.from(secret).toString('hex') };
  return { world, pubkey, env, relay: ['--relay', world.relay.url.replace(/^ws/, 'http')] };
}

type Message = {
  id?: unknown;
  result?: unknown;
  error?: { message: string };
  event?: string;
  data?: { content?: string };
};

function serveRpc(args: string[], env: NodeJS.ProcessEnv) {
  const child = start(['rpc', ...args], env);
  cleanup(() => child.kill('SIGKILL'));
  const heard = new Heard<Message>();
  createInterface({ input: child.stdout }).on('line', line => heard.add(JSON.parse(line)));
  let calls = 0;
  return {
    child,
    heard,
    exit: new Promise(done => child.once('close', done)),
    call(method: string, params?: unknown) {
      calls += 1;
      const id = calls;
      child.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
      return heard.until(message => message.id === id);
    },
  };
}

test('keygen makes a key; call performs one method and prints its bare result', async () => {
  const { stdout, code } = await run(['keygen']);
  expect(code).toBe(0);
  const key = JSON.parse(stdout);
  expect(signerFrom(Buffer.from(key.secret, 'hex')).pubkey).toBe(key.pubkey);
  const { relay, env, pubkey } = await connected();
  const identity = await run(['call', ...relay, 'identity'], env);
  expect(identity).toEqual({ code: 0, stdout: `${JSON.stringify({ pubkey })}\n`, stderr: '' });
  const rooms = { path: '/manage/rpc', method: 'POST', body: { method: 'browserooms', params: [{}] } };
  const listed = await run(['call', ...relay, 'request', JSON.stringify(rooms)], env);
  expect(JSON.parse(listed.stdout).result.items.map(({ id }: { id: string }) => id)).toContain('general');
});

test('usage: what is wrong is one line and exit 1', async () => {
  const relay = ['--relay', 'ws://127.0.0.1:1'];
  const hex = '1'.repeat(64);
  const line = async (args: string[], env = {}) => {
    const { code, stderr } = await run(args, env);
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    return stderr;
  };
  expect(await line(['rpc'])).toContain('--relay');
  expect(await line(['call', ...relay, 'identity'])).toBe('tinyagent: TINY_PRIVATE_KEY is not set\n');
  expect(await line(['call', ...relay, 'identity'], { TINY_PRIVATE_KEY: 'nsec1x' })).toContain('64 hex');
  expect(await line(['call', '--relay', 'ftp://x', 'identity'], { TINY_PRIVATE_KEY: hex })).toContain(
    '"ftp://x"',
  );
  expect(await line(['call', ...relay, 'dance'], { TINY_PRIVATE_KEY: hex })).toContain(
    'unknown method "dance"',
  );
  expect(await line(['call', ...relay, 'subscribe'], { TINY_PRIVATE_KEY: hex })).toContain('subscribe');
  expect(await line(['call', ...relay, 'query', '{'], { TINY_PRIVATE_KEY: hex })).toContain('JSON_PARAMS');
  expect(await line(['serve', ...relay])).toContain('unknown command');
});

test('publish signs and answers the event; a refusal carries the receipt; query verifies', async () => {
  const { relay, env, pubkey } = await connected();
  const rpc = serveRpc(relay, env);
  const event = { kind: 9, tags: [['h', 'general']], content: 'from the connector', created_at: 0 };
  const published = (await rpc.call('publish', { event })).result as { pubkey: string; created_at: number };
  expect(published).toMatchObject({ pubkey, kind: 9, content: 'from the connector' });
  expect(Math.abs(published.created_at - seconds())).toBeLessThan(60);
  const found = await rpc.call('query', { filter: { kinds: [9], authors: [pubkey] } });
  expect(found.result).toEqual([published]);
  const refused = await rpc.call('publish', { event: { ...event, kind: 1 } });
  expect(refused.error?.message).toMatch(/^relay HTTP 400: .*restricted: agent grant/);
  for (const path of ['manage', '//x/y', '/a/../b']) {
    expect((await rpc.call('request', { path })).error?.message).toContain('path');
  }
  expect((await rpc.call('upload', { room: 'general', data: '' })).error?.message).toBe('data is empty');
  expect((await rpc.call('nothing')).error?.message).toBe('unknown method "nothing"');
  rpc.child.stdin.write('{"id": 1, nonsense\n[1]\n');
  const bad = await rpc.heard.until(({ error }) => error?.message.startsWith('invalid request: ') ?? false);
  expect(bad.id).toBeUndefined();
  expect((await rpc.call('diagnose', { rooms: ['general'], kinds: [9] })).result).toMatchObject({
    verdict: 'ok',
  });
  rpc.child.stdin.end();
  expect(await rpc.exit).toBe(0);
});

test('subscribe says connected, then events, and ends with the input', async () => {
  const { world, relay, env } = await connected();
  const rpc = serveRpc(relay, env);
  const filter = { kinds: [9], '#h': ['general'] };
  expect((await rpc.call('subscribe', { subscription: 's', filter })).result).toEqual({ subscribed: true });
  await rpc.heard.until(({ event }) => event === 'connected');
  await world.owner.publish({ kind: 9, content: 'live', tags: [['h', 'general']] });
  const heard = await rpc.heard.until(({ event, data }) => event === 'event' && data?.content === 'live');
  expect(heard).toMatchObject({ event: 'event', subscription: 's' });
  expect((await rpc.call('unsubscribe', { subscription: 's' })).result).toEqual({ stopped: true });
  expect((await rpc.call('unsubscribe', { subscription: 's' })).result).toEqual({ stopped: false });
  rpc.child.stdin.end();
  expect(await rpc.exit).toBe(0);
});
