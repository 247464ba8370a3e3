import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findCommand, findPrograms } from '../../../main/agents/programs.ts';
import { forgetSearchPath } from '../../../main/agents/shell-path.ts';
import { living, scratch } from '../supervise/family.ts';

let folder: string;
const demo = { command: '/usr/bin/node', args: ['demo.ts'] };

beforeEach(() => {
  folder = scratch();
  forgetSearchPath();
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function script(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('H7 a program that only the login shell knows is found, and what was searched is said', async () => {
  const hidden = join(folder, 'version-manager', 'bin');
  mkdirSync(hidden, { recursive: true });
  script(join(hidden, 'gemini'), 'exit 0');
  const shell = script(
    join(folder, 'shell'),
    `echo "Welcome back"; PATH="${hidden}:$PATH"; export PATH; shift; eval "$1"`,
  );
  vi.stubEnv('SHELL', shell);

  const { found, searched } = await findPrograms(demo);

  expect(found.find(each => each.id === 'gemini')).toMatchObject({
    command: join(hidden, 'gemini'),
    args: ['--acp'],
    source: hidden,
  });
  expect(found[0]).toMatchObject({ id: 'demo', ...demo, source: 'shipped' });
  expect(searched).toEqual(expect.arrayContaining([`${shell} (login shell)`, hidden]));
});

test('H8 a login shell that never answers costs its time limit and nothing else', async () => {
  const pidFile = join(folder, 'pid');
  const shell = script(join(folder, 'shell'), `sleep 600 & echo $! > ${pidFile}; wait`);
  vi.stubEnv('SHELL', shell);
  const { found, searched } = await findPrograms(demo);
  expect(found[0]?.id).toBe('demo');
  expect(searched[0]).toContain('no answer within');
  expect(await living([Number(readFileSync(pidFile, 'utf8'))])).toEqual([]);
});

test('a command is found by name or by its whole path, and only when it can be run', async () => {
  vi.stubEnv('SHELL', '/bin/sh');
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  script(join(folder, 'my-agent'), 'exit 0');
  writeFileSync(join(folder, 'plain-file'), '');
  forgetSearchPath();
  expect(await findCommand('my-agent')).toEqual({ path: join(folder, 'my-agent'), folder });
  expect((await findCommand(join(folder, 'my-agent')))?.path).toBe(join(folder, 'my-agent'));
  expect(await findCommand('plain-file')).toBe(null);
  expect(await findCommand(join(folder, 'plain-file'))).toBe(null);
  expect(await findCommand('./my-agent')).toBe(null);
});
