// One child process of an agent program: started with a marker in its environment and in its own group, watched,
// and ended with everything it started. Its stderr becomes log lines and never reaches a room.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { basename, delimiter, resolve } from 'node:path';
import { killNow, type ProcessId, ProcessTree, startTimeOf } from './agent/process-tree.ts';
import type { ProgramSpec, ProgramTimes } from './program.ts';
import type { Report } from './status.ts';
import { LineSplitter } from './text.ts';

const TAIL = 2_000;
const MAX_LOG_LINE = 4_000;
/** How long output may still arrive after the process itself is gone (a grandchild may hold the pipe for ever). */
const DRAIN_MS = 300;

export type ProgramExit = { code: number | null; signal: string | null; stderrTail: string };

/** Variables of ours that no program may inherit, whatever name the key variable has. */
const NEVER_INHERITED = ['TINY_AGENT_KEY', 'TINY_PRIVATE_KEY', 'TINY_VAULT_PASSPHRASE'];

export class ProgramProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly tree: ProcessTree;
  readonly id: ProcessId;
  /** `TINY_RUN=...` as it stands in the environment of every process of this tree. */
  readonly marker: string;
  /** Resolves after the exit, with the last output read. */
  readonly exited: Promise<ProgramExit>;
  #tail = '';
  #ended: Promise<ProcessId[]> | null = null;

  private constructor(child: ChildProcessWithoutNullStreams, marker: string, report: Report) {
    this.child = child;
    this.marker = marker;
    const pid = child.pid ?? 0;
    this.id = { pid, startTime: startTimeOf(pid) ?? '' };
    this.tree = new ProcessTree(this.id, marker);
    const lines = new LineSplitter(MAX_LOG_LINE, text =>
      report({ type: 'log', level: 'info', source: 'program', text }),
    );
    child.stderr.on('data', (chunk: Buffer) => {
      this.#tail = (this.#tail + chunk.toString('utf8')).slice(-TAIL);
      lines.push(chunk);
    });
    child.stderr.on('end', () => lines.end());
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', () => {
        // A program may close its ends at any time (EPIPE); the exit or the missing answer tells the rest.
      });
    }
    this.exited = this.#watch();
  }

  /** Starts the program, or says why it could not be started, with what to do about it. */
  static async start(
    spec: ProgramSpec,
    report: Report,
  ): Promise<{ ok: true; process: ProgramProcess } | { ok: false; reason: string }> {
    const marker = randomUUID();
    const env: NodeJS.ProcessEnv = { ...process.env };
    for (const name of [...NEVER_INHERITED, ...spec.hiddenEnv]) delete env[name];
    Object.assign(env, spec.marks, { TINY_RUN: marker });
    let child: ChildProcessWithoutNullStreams;
    try {
      // Its own group, so that the whole of it can be signalled; on Windows that would open a console instead.
      const detached = process.platform !== 'win32';
      child = spawn(spec.command, spec.args, { cwd: spec.cwd, env, detached, windowsHide: true });
    } catch (error) {
      return { ok: false, reason: spawnReason(spec, error as NodeJS.ErrnoException) };
    }
    const failure = await new Promise<Error | null>(resolve => {
      child.once('spawn', () => resolve(null));
      child.once('error', resolve);
    });
    if (failure !== null) return { ok: false, reason: spawnReason(spec, failure as NodeJS.ErrnoException) };
    child.on('error', error => report({ type: 'log', level: 'warn', source: 'runner', text: error.message }));
    return { ok: true, process: new ProgramProcess(child, `TINY_RUN=${marker}`, report) };
  }

  get stderrTail(): string {
    return this.#tail.trim();
  }

  /** Ends the whole tree; the answer is what could not be ended (nothing, unless the system refuses). */
  end(times: Pick<ProgramTimes, 'term' | 'kill'>): Promise<ProcessId[]> {
    this.#ended ??= this.tree.end({ termMs: times.term, killMs: times.kill });
    return this.#ended;
  }

  /** Kills its group without waiting. */
  killNow(): void {
    if (process.platform === 'win32') this.child.kill('SIGKILL');
    else killNow([this.id], this.id.pid);
  }

  async #watch(): Promise<ProgramExit> {
    const [code, signal] = await new Promise<[number | null, string | null]>(resolve => {
      this.child.once('exit', (...end) => resolve(end));
    });
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, DRAIN_MS);
      this.child.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      if (this.child.stdout.closed && this.child.stderr.closed) resolve();
    });
    this.child.stdout.destroy();
    this.child.stderr.destroy();
    this.child.stdin.destroy();
    return { code, signal, stderrTail: this.stderrTail };
  }
}

/** How an exit reads in a sentence after the program's name. */
export function exitWords(command: string, exit: Pick<ProgramExit, 'code' | 'signal'>): string {
  if (exit.signal !== null) return `${command} was ended by ${exit.signal}`;
  if (exit.code === 127) {
    return `${command} ended with code 127: something it needs to run was not found (an interpreter such as node?)`;
  }
  return `${command} ended with code ${exit.code}`;
}

/** Why the program could not be started if one tried, as far as looking can tell; null when it looks well. */
export function missingProgram(spec: ProgramSpec): string | null {
  const windows = process.platform === 'win32';
  if (!existsSync(spec.cwd)) return spawnReason(spec, { name: '', message: '' });
  const names = windows
    ? ['', ...(process.env.PATHEXT ?? '').split(';')].map(end => spec.command + end)
    : [spec.command];
  const bare = basename(spec.command) === spec.command;
  const folders = bare ? (process.env.PATH ?? '').split(delimiter) : [spec.cwd];
  const files = folders.flatMap(folder => names.map(name => resolve(folder, name))).filter(existsSync);
  if (files.length === 0) return spawnReason(spec, { name: '', message: '', code: 'ENOENT' });
  return files.some(isExecutable) ? null : spawnReason(spec, { name: '', message: '', code: 'EACCES' });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not allowed, or gone by now: it cannot be run either way.
    return false;
  }
}

function spawnReason(spec: ProgramSpec, error: NodeJS.ErrnoException): string {
  if (!existsSync(spec.cwd) || !statSync(spec.cwd).isDirectory()) {
    return `the working folder ${spec.cwd} is not there; make it or choose another`;
  }
  if (error.code === 'ENOENT') {
    return `"${spec.command}" was not found; install it or give its full path (looked in PATH: ${process.env.PATH ?? 'empty'})`;
  }
  if (error.code === 'EACCES') {
    return `"${spec.command}" may not be run; make it executable (chmod +x) or name another program`;
  }
  return `"${spec.command}" could not be started: ${error.message}`;
}
