import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { bareEnvironment, endAll, startDesktop, startTiny } from './desktop-process.ts';
import { temporaryHome } from './quiet.ts';

/** A Node on this machine that strips no types; undefined where there is none. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node'].find(path => {
  if (!existsSync(path)) return false;
  const [major = 0, minor = 0] = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' })
    .split('.')
    .map(Number);
  return major >= 18 && (major < 22 || (major === 22 && minor < 18));
});

afterEach(endAll);

describe.skipIf(oldNode === undefined)('on a Node that is too old', () => {
  const node = oldNode ?? '';

  test('the newer one that npm installed takes over, and its exit code is kept', async () => {
    expect(await startTiny(['--version'], { node }).ended).toMatchObject({ code: 0, err: '' });
    expect(await startTiny(['desktop', '--help'], { node }).ended).toMatchObject({ code: 0, err: '' });
    const { code, err } = await startTiny(['desktop', '--port', 'x'], { node }).ended;
    expect(code).toBe(1);
    expect(err).toContain("argument 'x' is invalid");
  });

  test('a signal reaches the program, which stops in order', async () => {
    const env = bareEnvironment({ TINY_VAULT_PASSPHRASE: 'correct horse battery' });
    const desktop = startDesktop(temporaryHome().path, { node, env });
    await desktop.ready;
    expect(await desktop.stop()).toMatchObject({ code: 0, signal: null });
  });

  test('a program that is killed is seen to be killed', async () => {
    const desktop = startDesktop(temporaryHome().path, { node });
    await desktop.ready;
    const inner = Number(
      execFileSync('ps', ['-o', 'pid=', '--ppid', String(desktop.child.pid)], { encoding: 'utf8' })
        .trim()
        .split('\n')[0],
    );
    process.kill(inner, 'SIGKILL');
    const [code, signal] = await once(desktop.child, 'exit');
    expect([code, signal]).toEqual([null, 'SIGKILL']);
  });
});

test('a command that throws says one line', async () => {
  const home = temporaryHome();
  const { code, err } = await startTiny(['desktop', '--shell', 'electron', '--home', home.path], {
    env: bareEnvironment({ DISPLAY: '', WAYLAND_DISPLAY: '' }),
  }).ended;
  expect(code).toBe(1);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(err).toContain('--shell electron cannot be used');
});
