import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nsecEncode } from 'nostr-tools/nip19';
import { afterEach, describe, expect, test } from 'vitest';
import type { AppState } from '../../main/contract/app.ts';
import type { Reply } from '../../main/contract/contract.ts';
import { openHome } from '../../main/home.ts';
import { programFiles } from '../../main/program-files.ts';
import { nodeSpawner } from '../../main/supervise/spawner.ts';
import { createKeychain } from '../../main/vault/keychain.ts';
import { openVault } from '../../main/vault/vault.ts';
import { descendantsOf } from '../e2e/harness.ts';
import { bareEnvironment, endAll, startDesktop, startTiny } from './desktop-process.ts';
import { keptLog, temporaryHome } from './quiet.ts';

const passphrase = 'correct horse battery';
const withPassphrase = () => bareEnvironment({ TINY_VAULT_PASSPHRASE: passphrase });

afterEach(endAll);

/** Speaks to a dashboard as its page does. */
async function page(dashboard: string) {
  const { origin } = new URL(dashboard);
  const door = await fetch(dashboard, { redirect: 'manual' });
  const cookie = door.headers.get('set-cookie')?.split(';')[0] ?? '';
  return async <T>(name: string, args: object = {}): Promise<Reply<T>> => {
    const headers = { cookie, origin, 'content-type': 'application/json' };
    const response = await fetch(`${origin}/bridge/${name}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(args),
    });
    return (await response.json()) as Reply<T>;
  };
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process.
    return false;
  }
}

describe('start and stop', () => {
  test('says the ready line, runs the relay apart, and leaves nothing behind', async () => {
    const home = temporaryHome();
    const desktop = startDesktop(home.path, { env: withPassphrase() });
    const ready = await desktop.ready;
    expect(Object.keys(ready)).toEqual(['ready', 'dashboard', 'relay', 'owner']);
    expect(ready.dashboard).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
    expect(ready.relay).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/$/);
    expect(ready.owner).toMatch(/^[0-9a-f]{64}$/);
    const children = descendantsOf(desktop.child.pid ?? 0);
    expect(children.length).toBeGreaterThan(0);
    const { code, err } = await desktop.stop();
    expect(code).toBe(0);
    expect(err).toBe('');
    expect(children.filter(alive)).toEqual([]);
    expect(existsSync(home.at('running.json'))).toBe(false);
  });

  test('SIGINT is an order to stop as well', async () => {
    const one = startDesktop(temporaryHome().path, { env: withPassphrase() });
    await one.ready;
    expect((await one.stop('SIGINT')).code).toBe(0);
  });

  test('a second signal ends it at once; what npm hands on of the same press is no second one', async () => {
    const module = join(import.meta.dirname, '../../main/stop-signals.ts');
    const script = `const { stopSignals } = await import(${JSON.stringify(module)});
      setInterval(() => {}, 1000);
      const stop = stopSignals(); console.log('up'); await stop.asked; console.log('asked');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('up');
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect((await lines.next()).value).toBe('asked');
    expect(child.exitCode).toBeNull();
    const ended = once(child, 'exit');
    const again = setInterval(() => child.kill('SIGINT'), 200);
    expect(await ended).toEqual([130, null]);
    clearInterval(again);
  });

  test('F-33 what a second start reads is for this person only', async () => {
    const home = temporaryHome();
    const desktop = startDesktop(home.path, { env: withPassphrase() });
    await desktop.ready;
    expect(statSync(home.at('running.json')).mode & 0o777).toBe(0o600);
    expect(statSync(home.path).mode & 0o777).toBe(0o700);
    for (const folder of ['vault', 'logs', 'relay'])
      expect(statSync(home.at(folder)).mode & 0o777).toBe(0o700);
    await desktop.stop();
  });

  test("F-06 a second start on the same home shows the first one's dashboard and ends well", async () => {
    const home = temporaryHome();
    const first = startDesktop(home.path, { env: withPassphrase() });
    const { dashboard } = await first.ready;
    const second = await startDesktop(home.path, { env: withPassphrase() }).ended;
    expect(second).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(second.out)).toMatchObject({ running: true, dashboard, pid: first.child.pid });
    await first.stop();
  });

  test('F-06 a home left by kill -9 is free again', async () => {
    const home = temporaryHome();
    const first = startDesktop(home.path, { env: withPassphrase() });
    const { owner } = await first.ready;
    await first.stop('SIGKILL');
    const second = startDesktop(home.path, { env: withPassphrase() });
    expect(await second.ready).toMatchObject({ ready: true, owner });
    expect((await second.stop()).code).toBe(0);
  });

  test.each([
    [['desktop', '--port', '70000'], "'--port <N>' argument '70000' is invalid"],
    [['desktop', '--relay-port', 'x'], "'--relay-port <N>' argument 'x' is invalid"],
    [['desktop', '--shell', 'tv'], "argument 'tv' is invalid"],
    [['desktop', '--nothing'], "unknown option '--nothing'"],
    [['desktop', 'extra'], 'too many arguments'],
    [['nothing'], 'unknown command "nothing"'],
    [['desktop', '--shell', 'browser', '--passphrase-file', '/nonexistent'], '/nonexistent'],
  ])('%j ends with 1 and one line that names it', async (args, words) => {
    const { code, err, out } = await startTiny(args).ended;
    expect(code).toBe(1);
    expect(err).toContain(words);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(out).toBe('');
  });

  test.each([['--help'], ['--version'], ['desktop', '--help'], ['relay', '--help'], ['agent', '--help']])(
    'answers %s %s',
    async (...args) => {
      const { code, out } = await startTiny(args.filter(word => word !== undefined)).ended;
      expect(code).toBe(0);
      expect(out.length).toBeGreaterThan(4);
    },
  );

  test.each([
    ['settings.json', '{"version":2}'],
    ['vault/vault.json', '{"version":2}'],
  ])('I13 %s of a newer version: ends with one line and touches nothing', async (file, text) => {
    const home = temporaryHome();
    home.folder('vault');
    writeFileSync(home.at(file), text);
    const { code, err } = await startDesktop(home.path, { env: withPassphrase() }).ended;
    expect(code).toBe(1);
    expect(err.trim()).toContain('made by a newer version');
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(home.at(file), 'utf8')).toBe(text);
    expect(existsSync(home.at('identity.json'))).toBe(false);
  });
});

describe('without a keychain', () => {
  test('F-60 F9 it is up, says that it is locked and what it tried, and opens with a passphrase from the page', async () => {
    const home = temporaryHome();
    const desktop = startDesktop(home.path);
    const ready = await desktop.ready;
    expect(ready).toMatchObject({ locked: true, relay: null, owner: null });
    expect(ready.problem).toContain('no D-Bus session bus');
    const call = await page(ready.dashboard ?? '');
    expect(await call('rooms.list')).toMatchObject({ ok: false, failure: { kind: 'locked' } });
    expect(await call('app.state')).toMatchObject({
      ok: true,
      value: { vault: { state: 'locked', fresh: true } },
    });
    // Why it is locked can be read while it is.
    expect(await call('health.check')).toMatchObject({
      value: expect.arrayContaining([
        expect.objectContaining({ id: 'vault', state: expect.not.stringMatching('good') }),
      ]),
    });
    expect(await call('health.log', {})).toMatchObject({
      value: expect.arrayContaining([expect.objectContaining({ source: 'vault' })]),
    });
    expect(await call('app.unlock', { passphrase: 'short' })).toMatchObject({ failure: { kind: 'invalid' } });
    const opened = (await call<AppState>('app.unlock', { passphrase })) as { ok: true; value: AppState };
    expect(opened.value).toMatchObject({
      vault: { state: 'open', backend: 'passphrase' },
      relay: { state: 'running' },
    });
    expect(await call('rooms.list')).toMatchObject({ ok: true });
    await desktop.stop();

    const again = startDesktop(home.path);
    const locked = await again.ready;
    expect(locked).toMatchObject({ locked: true, owner: null });
    const callAgain = await page(locked.dashboard ?? '');
    expect(await callAgain('app.unlock', { passphrase: 'wrong horse battery' })).toMatchObject({
      failure: { kind: 'refused' },
    });
    expect(await callAgain('app.unlock', { passphrase })).toMatchObject({
      value: { owner: { pubkey: opened.value.owner?.pubkey } },
    });
    await again.stop();
  });

  test('a passphrase from a file opens it, and the ready line waits for that', async () => {
    const home = temporaryHome();
    writeFileSync(home.at('phrase'), `${passphrase}\n`);
    const desktop = startDesktop(home.path, { args: ['--passphrase-file', home.at('phrase')] });
    expect(await desktop.ready).not.toHaveProperty('locked');
    await desktop.stop();
    const again = startDesktop(home.path, { env: withPassphrase() });
    expect(await again.ready).not.toHaveProperty('locked');
    await again.stop();
  });

  test('H8 the dashboard answers while a keychain that says nothing is still being waited for', async () => {
    const home = temporaryHome();
    const bus = createServer(socket => void socket.on('data', () => {})).listen(home.at('bus'));
    const env = bareEnvironment({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${home.at('bus')}` });
    const desktop = startDesktop(home.path, { env });
    await expect.poll(() => existsSync(home.at('running.json')), { timeout: 20_000 }).toBe(true);
    const { dashboard } = JSON.parse(readFileSync(home.at('running.json'), 'utf8'));
    const call = await page(dashboard);
    expect(await call('app.state')).toMatchObject({
      value: { vault: { state: 'locked', problem: 'The keys are being opened.' } },
    });
    expect(await desktop.ready).toMatchObject({
      locked: true,
      problem: expect.stringContaining('does not answer'),
    });
    expect((await desktop.stop()).code).toBe(0);
    bus.close();
  });
});

test('F6 F7 no key and no passphrase in the arguments, environment, files or logs of any process', async () => {
  const home = temporaryHome();
  const desktop = startDesktop(home.path, { env: withPassphrase() });
  await desktop.ready;
  const children = descendantsOf(desktop.child.pid ?? 0);
  const seen = children.flatMap(pid =>
    ['cmdline', 'environ'].map(file => readFileSync(`/proc/${pid}/${file}`, 'utf8')),
  );
  seen.push(readFileSync(`/proc/${desktop.child.pid}/cmdline`, 'utf8'));
  await desktop.stop();

  const keychain = createKeychain({ spawner: nodeSpawner(), entry: programFiles().keychain, env: {} });
  const vault = await openVault({ home: openHome(home.path, {}), keychain, log: keptLog().log, passphrase });
  expect(vault.names()).toEqual(['owner', 'relay']);
  for (const file of everyFile(home.path)) seen.push(readFileSync(file, 'latin1'));
  for (const name of vault.names()) {
    const secret = vault.read(name) ?? new Uint8Array();
    for (const form of [Buffer.from(secret).toString('hex'), nsecEncode(secret)]) {
      for (const text of seen) expect(text.includes(form)).toBe(false);
    }
  }
  for (const text of seen) expect(text.includes(passphrase)).toBe(false);
  vault.close();
});

function everyFile(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => `${entry.parentPath}/${entry.name}`);
}
