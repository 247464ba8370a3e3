// The one way main starts processes of our own program. Plain Node forks Node; under Electron the shell hands in a
// spawner that uses utilityProcess. Secrets travel over the channel, never in argv or environment (design.md).

import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';

export type ModuleSpec = {
  /** Absolute path of the module to run. */
  entry: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
  /**
   * messages: structured messages both ways. lines: text lines on descriptor 3, one `send` a line. A spawner that
   * has only messages (utilityProcess) posts the same strings.
   */
  channel: 'messages' | 'lines';
  /** Name shown by the system's process list where it can be set. */
  name: string;
};

/** How a process ended; `error` when it could not be started at all. */
export type Exit = { code: number | null; signal: string | null; error?: Error };

export type Spawned = {
  readonly pid: number | undefined;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Says something to the child; false when the channel is gone. */
  send(message: unknown): boolean;
  onMessage(listener: (message: unknown) => void): void;
  /** Told once, also when it had ended before. */
  onExit(listener: (exit: Exit) => void): void;
  /** Closes our end of the channel: the child is to stop in order. */
  disconnect(): void;
  /** TERM, or KILL when `hard`. */
  kill(hard?: boolean): void;
};

export type Spawner = {
  /** A Node binary that runs a script: for programs that must be started by other programs. */
  readonly node: string;
  /** Resolves once the system has made the process, or has said that it cannot (`pid` undefined, then its exit). */
  spawn(spec: ModuleSpec): Promise<Spawned>;
};

/** Starts modules as Node processes of their own, on the binary that runs this one. */
export function nodeSpawner(node: string = process.execPath): Spawner {
  return {
    node,
    async spawn(spec) {
      const channel = spec.channel === 'messages' ? 'ipc' : 'pipe';
      const child = spawn(node, [spec.entry, ...spec.args], {
        env: spec.env,
        ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
        stdio: ['ignore', 'pipe', 'pipe', channel],
        serialization: 'json',
        windowsHide: true,
      });
      return watch(child, spec.channel);
    },
  };
}

function watch(child: ChildProcess, channel: ModuleSpec['channel']): Spawned {
  let exit: Exit | null = null;
  const waiting: ((exit: Exit) => void)[] = [];
  const settle = (value: Exit) => {
    if (exit) return;
    exit = value;
    for (const listener of waiting.splice(0)) listener(value);
  };
  child.once('error', error => {
    // Also raised for a message that could not be sent; only a child without a pid was never started.
    if (child.pid === undefined) settle({ code: null, signal: null, error });
  });
  child.on('error', () => {});
  child.once('exit', (code, signal) => settle({ code, signal }));
  const pipe = channel === 'lines' ? (child.stdio[3] as Duplex | null) : null;
  // EPIPE and ECONNRESET: the child is gone, which its exit tells.
  pipe?.on('error', () => {});
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    send(message) {
      if (exit) return false;
      if (pipe) return !pipe.destroyed && pipe.writable && (pipe.write(`${String(message)}\n`) || true);
      if (!child.connected) return false;
      child.send(message as object, () => {});
      return true;
    },
    onMessage(listener) {
      if (pipe) return;
      child.on('message', listener);
    },
    onExit(listener) {
      if (exit) listener(exit);
      else waiting.push(listener);
    },
    disconnect() {
      if (pipe) pipe.end();
      else if (child.connected) child.disconnect();
    },
    kill(hard) {
      child.kill(hard ? 'SIGKILL' : 'SIGTERM');
    },
  };
}
