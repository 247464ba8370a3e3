// Finding and ending every descendant, and nothing else.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { isAlive, ProcessTree, startTimeOf } from '../../../runner/agent/process-tree.ts';

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Starts a shell script that prints the pids it wants known, one a line, and waits. */
async function tree(script: string, lines: number, env: NodeJS.ProcessEnv = {}) {
  const child = spawn('sh', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TINY_RUN: 'this-test', ...env },
  });
  started.push(child);
  const pids: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    pids.push(Number(line));
    if (pids.length === lines) break;
  }
  const pid = child.pid ?? 0;
  const root = { pid, startTime: startTimeOf(pid) ?? '' };
  return { child, pids, root, found: new ProcessTree(root, 'TINY_RUN=this-test') };
}

const alive = (pids: number[]) => pids.filter(pid => startTimeOf(pid) !== null);

test('A4 a child in a session of its own and a double fork are found and ended', async () => {
  const script = `sleep 100 & echo $!
    setsid sleep 100 & echo $!
    sh -c 'setsid sh -c "echo \\$\\$; exec sleep 100" & exit 0' &
    wait`;
  const { pids, root, found } = await tree(script, 3);
  expect(alive(pids)).toEqual(pids);
  const members = (await found.members()).map(({ pid }) => pid);
  for (const pid of [root.pid, ...pids]) expect(members).toContain(pid);
  expect(members).not.toContain(process.pid);
  expect(await found.end({ termMs: 500, killMs: 1_000 })).toEqual([]);
  expect(alive(pids)).toEqual([]);
});

test('F-50 what was seen while its parent lived is ended after the parent is gone, also without the marker', async () => {
  const script = `env -i setsid sleep 100 & echo $!; wait`;
  const { child, pids, found } = await tree(script, 1);
  await found.members();
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(alive(pids)).toEqual(pids);
  expect(await found.end({ termMs: 500, killMs: 1_000 })).toEqual([]);
  expect(alive(pids)).toEqual([]);
});

test('a process that ignores TERM is killed', async () => {
  const { pids, found } = await tree(`trap '' TERM; echo $$; while :; do sleep 1; done`, 1);
  expect(await found.end({ termMs: 200, killMs: 1_000 })).toEqual([]);
  expect(alive(pids)).toEqual([]);
});

test('a pid that now belongs to somebody else is left alone', async () => {
  const { root } = await tree('echo 1; sleep 100', 1);
  const stranger = { pid: root.pid, startTime: '1' };
  expect(isAlive(stranger)).toBe(false);
  expect(isAlive(root)).toBe(true);
  const other = new ProcessTree(stranger, 'TINY_RUN=nobody');
  await other.end({ termMs: 50, killMs: 50 });
  expect(isAlive(root)).toBe(true);
});
