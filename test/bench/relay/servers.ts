// The two relays under test, each in a process of its own with a fresh data folder.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export type Server = {
  url: string;
  /** From the start of the process to the first connection it can take, ms. */
  readyMs: number;
  /** Highest resident memory so far, MiB, and the event loop's delay at its 99th percentile, ms. */
  strain(): Promise<Strain>;
  stop(): Promise<void>;
};

export type Strain = { memory: number; lag: number };
export type ServerName = 'ours' | 'peer';

/** Starts a relay that takes kind 9 in the room `bench` from these keys; `owner` owns it. */
export async function startServer(
  name: ServerName,
  keys: { owner: string; members: string[] },
): Promise<Server> {
  const data = mkdtempSync(join(tmpdir(), 'bench-relay-'));
  const started = performance.now();
  const child = fork(new URL(`./${name}.ts`, import.meta.url), [data, keys.owner, keys.members.join(',')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { url } = await message<{ url: string }>(child);
  const readyMs = performance.now() - started;
  return {
    url,
    readyMs,
    async strain() {
      child.send('strain');
      return message<Strain>(child);
    },
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function message<T>(child: ChildProcess): Promise<T> {
  const [first] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the relay under test ended with ${code}`);
    }),
  ]);
  return first as T;
}

/** Step of the timer that measures the delay, ms. */
const lagResolution = 2;

/** In the server's process: says where it listens, answers questions, stops when told. */
export function serveParent(url: string, close: () => Promise<void>): void {
  process.send?.({ url });
  const delay = monitorEventLoopDelay({ resolution: lagResolution });
  delay.enable();
  process.on('message', () =>
    process.send?.({
      memory: process.resourceUsage().maxRSS / 1024,
      // What is measured includes the timer's own step.
      lag: Math.max(0, delay.percentile(99) / 1e6 - lagResolution),
    }),
  );
  process.on('SIGTERM', () => void close().then(() => process.exit(0)));
  process.on('disconnect', () => process.exit(0));
}
