// `tiny desktop` as a process, the way a terminal starts it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { ReadyLine } from '../../main/ready-line.ts';

const tiny = join(resolve(import.meta.dirname, '../..'), 'tiny.mjs');
const running = new Set<ChildProcess>();

export type Ended = { code: number | null; signal: string | null; out: string; err: string };
export type Started = {
  child: ChildProcess;
  /** The first line of stdout that is JSON. */
  ready: Promise<ReadyLine>;
  ended: Promise<Ended>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
};

/** An environment in which no keychain is found. */
export function bareEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { DBUS_SESSION_BUS_ADDRESS: _bus, XDG_RUNTIME_DIR: _run, ...rest } = process.env;
  return { ...rest, ...more };
}

export function startDesktop(
  home: string,
  more: { args?: string[]; env?: NodeJS.ProcessEnv; node?: string } = {},
): Started {
  const shell = ['--shell', 'browser', '--no-open', '--json', '--relay-port', '0'];
  return startTiny(['desktop', ...shell, '--home', home, ...(more.args ?? [])], more);
}

export function startTiny(args: string[], more: { env?: NodeJS.ProcessEnv; node?: string } = {}): Started {
  const child = spawn(more.node ?? process.execPath, [tiny, ...args], {
    env: more.env ?? bareEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let out = '';
  let err = '';
  child.stderr.on('data', chunk => {
    err += chunk;
  });
  const { promise: ready, resolve: isReady, reject } = Promise.withResolvers<ReadyLine>();
  ready.catch(() => {});
  createInterface({ input: child.stdout }).on('line', line => {
    out += `${line}\n`;
    if (line.startsWith('{')) isReady(JSON.parse(line) as ReadyLine);
  });
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    reject(new Error(`ended with ${code ?? signal} before it was ready: ${err}`));
    // In a checkout whose sources have just changed it says that it builds the dashboard: no matter here.
    return { code, signal, out, err: err.replace(/^Building the dashboard.*\n/, '') };
  });
  return {
    child,
    ready,
    ended,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

/** Ends what a failed test left. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...running].map(async child => {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    }),
  );
}
