// `tiny relay` and the relay's process under the desktop, as real processes.

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npubEncode } from 'nostr-tools/nip19';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generateSecret } from '../../relay/client/signer.ts';
import { person } from './http/edge.ts';
import { seconds, WireClient } from './socket/wire-client.ts';

const owner = person();
let data: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'tiny-cli-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

type Run = { child: ChildProcess; out: () => string; err: () => string; exit: Promise<number | null> };

function tiny(...args: string[]): Run {
  const entry =
    'const { relayCommand } = await import(process.argv[1]); process.exitCode = await relayCommand(process.argv.slice(2));';
  const file = new URL('../../relay/cli.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', entry, file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let out = '';
  let err = '';
  child.stdout?.on('data', text => {
    out += text;
  });
  child.stderr?.on('data', text => {
    err += text;
  });
  return { child, out: () => out, err: () => err, exit: once(child, 'close').then(([code]) => code) };
}

async function ready(run: Run): Promise<{ url: string; self: string; owner: string }> {
  await expect.poll(run.out, { timeout: 20_000 }).toContain('\n');
  return JSON.parse(run.out());
}

const serve = (...more: string[]) =>
  tiny('--json', '--data', data, '--port', '0', '--owner', owner.pubkey, ...more);

describe('tiny relay', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('says when it is ready and ends with 0 on %s', async signal => {
    const run = serve();
    expect(await ready(run)).toEqual({
      ready: true,
      url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/$/),
      self: expect.stringMatching(/^[0-9a-f]{64}$/),
      owner: owner.pubkey,
    });
    run.child.kill(signal);
    expect(await run.exit).toBe(0);
    expect(run.err()).toBe('');
    expect(statSync(join(data, 'relay.key')).mode & 0o777).toBe(0o600);
    expect(run.out() + run.err()).not.toContain(readFileSync(join(data, 'relay.key'), 'utf8').trim());
  });

  test('what was stored and who owns it is kept, and the key stays the same', async () => {
    const first = serve();
    const { url, self } = await ready(first);
    const client = await WireClient.open(url, owner);
    const event = owner.sign({ kind: 1, created_at: seconds(), tags: [], content: 'kept' });
    await client.publish(event);
    first.child.kill('SIGTERM');
    await first.exit;
    const second = tiny('--json', '--data', data, '--port', '0');
    const again = await ready(second);
    expect(again).toMatchObject({ self, owner: owner.pubkey });
    const reader = await WireClient.open(again.url, owner);
    expect((await reader.ask({ ids: [event.id] })).events).toEqual([event]);
    reader.close();
  });

  test('F-06 a second one on the folder, and one on the port, say so in one line', async () => {
    const first = serve();
    const { url } = await ready(first);
    const second = serve();
    expect(await second.exit).toBe(1);
    expect(second.err()).toBe(`error: another relay is running on the data folder ${data}\n`);
    const port = new URL(url).port;
    const third = tiny('--data', join(data, 'other'), '--port', port, '--owner', owner.pubkey);
    expect(await third.exit).toBe(1);
    expect(third.err()).toBe(`error: port ${port} on 127.0.0.1 is in use\n`);
    first.child.kill('SIGKILL');
    await first.exit;
    await ready(serve());
  });

  test.each([
    [['--port', '99999'], /--port .*99999/],
    [['--owner', 'nobody'], /--owner .*nobody/],
    [['--owner', npubEncode('a'.repeat(64)).slice(0, -1)], /--owner/],
    [['--reads', 'all'], /--reads .*all/],
    [['--url', 'not an address'], /--url .*not an address/],
    [['--unknown'], /--unknown/],
    [['extra'], /argument/],
  ])('%j is refused with one line that names option and value', async (args, message) => {
    const run = tiny('--data', data, ...args);
    expect(await run.exit).toBe(1);
    expect(run.err()).toMatch(message);
    expect(run.err().trim().split('\n')).toHaveLength(1);
  });

  test('without an owner, given or stored, a members-only relay is refused, naming --owner', async () => {
    const run = tiny('--data', data, '--port', '0');
    expect(await run.exit).toBe(1);
    expect(run.err()).toMatch(/--owner/);
    const open = tiny('--json', '--data', data, '--port', '0', '--reads', 'open', '--writes', 'open');
    expect(await ready(open)).toMatchObject({ owner: null });
  });

  test('an npub names the owner as well', async () => {
    const run = tiny('--json', '--data', data, '--port', '0', '--owner', npubEncode(owner.pubkey));
    expect((await ready(run)).owner).toBe(owner.pubkey);
  });

  test('F-32 bound beyond this machine it warns', async () => {
    const run = serve('--host', '0.0.0.0');
    await ready(run);
    expect(run.err()).toMatch(/^warning: bound to 0\.0\.0\.0/);
  });

  test.each([
    ['--help', /--data/],
    ['--version', /^\d+\.\d+/],
  ])('%s', async (flag, text) => {
    const run = tiny(flag);
    expect(await run.exit).toBe(0);
    expect(run.out()).toMatch(text);
  });
});

describe('under the desktop', () => {
  function start(order: object): ChildProcess {
    const child = fork(new URL('../../relay/process.ts', import.meta.url), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.push(child);
    child.send({ type: 'start', data, port: 0, owner: owner.pubkey, ...order });
    return child;
  }

  test('starts when told how, with a key that is never written, and stops when told', async () => {
    const selfSecret = Buffer.from(generateSecret()).toString('hex');
    const child = start({ selfSecret });
    const [report] = await once(child, 'message');
    expect(report).toMatchObject({
      type: 'ready',
      owner: owner.pubkey,
      url: expect.stringContaining('ws://127.0.0.1:'),
    });
    expect(existsSync(join(data, 'relay.key'))).toBe(false);
    child.send({ type: 'stop' });
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('stops when the desktop is gone', async () => {
    const child = start({});
    await once(child, 'message');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('says in one line why it cannot start', async () => {
    const first = start({});
    await once(first, 'message');
    const second = start({});
    const [report] = await once(second, 'message');
    expect(report).toEqual({ type: 'failed', reason: `another relay is running on the data folder ${data}` });
    expect(await once(second, 'exit')).toEqual([1, null]);
  });
});
