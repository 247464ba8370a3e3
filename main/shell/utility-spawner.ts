// Starts our own modules as Electron utility processes: with the fuses of the package set, nothing else under Electron
// can run Node code (design.md, "Two shells, one program").

import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import type { Exit, Spawned, Spawner } from '../supervise/spawner.ts';

/** The part of Electron's UtilityProcess that is used. */
export type Utility = EventEmitter & {
  pid: number | undefined;
  stdout: Readable | null;
  stderr: Readable | null;
  postMessage(message: unknown): void;
  kill(): boolean;
};

export type Fork = (
  module: string,
  args: string[],
  options: { env: Record<string, string>; cwd?: string; stdio: ('ignore' | 'pipe')[]; serviceName: string },
) => Utility;

/** A spawner over `utilityProcess.fork`; `node` is the Node binary that ships for programs others must start. */
export function utilitySpawner(fork: Fork, node: string): Spawner {
  return {
    node,
    async spawn({ entry, args, env, cwd, name }) {
      const child = fork(entry, args, {
        env,
        ...(cwd === undefined ? {} : { cwd }),
        stdio: ['ignore', 'pipe', 'pipe'],
        serviceName: name,
      });
      const spawned = watch(child);
      // Its pid is known from then on; one that ends first is told by its exit.
      await new Promise<void>(done => {
        child.once('spawn', done);
        child.once('exit', () => done());
      });
      return spawned;
    },
  };
}

function watch(child: Utility): Spawned {
  let exit: Exit | null = null;
  let pid: number | undefined;
  const waiting: ((exit: Exit) => void)[] = [];
  child.once('spawn', () => {
    pid = child.pid;
  });
  child.once('exit', (code: number) => {
    exit = { code, signal: null };
    for (const listener of waiting.splice(0)) listener(exit);
  });
  return {
    get pid() {
      return pid;
    },
    stdout: child.stdout,
    stderr: child.stderr,
    send(message) {
      if (exit) return false;
      child.postMessage(message);
      return true;
    },
    onMessage: listener => void child.on('message', listener),
    onExit(listener) {
      if (exit) listener(exit);
      else waiting.push(listener);
    },
    // A utility process has one port for its whole life and ends with us: there is nothing to close.
    disconnect() {},
    kill(hard) {
      if (exit) return;
      if (hard && pid !== undefined) process.kill(pid, 'SIGKILL');
      else child.kill();
    },
  };
}
