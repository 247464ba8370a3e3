// The two relays under test, each in a process of its own with a fresh data folder.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Server = {
  url: string;
  /** From the start of the process to the first connection it can take, ms. */
  readyMs: number;
  /** Highest resident memory so far, MiB. */
  peakMemory(): Promise<number>;
  stop(): Promise<void>;
};

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
    async peakMemory() {
      child.send('memory');
      return (await message<{ memory: number }>(child)).memory;
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

/** In the server's process: says where it listens, answers questions, stops when told. */
export function serveParent(url: string, close: () => Promise<void>): void {
  process.send?.({ url });
  process.on('message', () => process.send?.({ memory: process.resourceUsage().maxRSS / 1024 }));
  process.on('SIGTERM', () => void close().then(() => process.exit(0)));
  process.on('disconnect', () => process.exit(0));
}
