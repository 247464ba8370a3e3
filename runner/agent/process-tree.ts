// Every process a program started, found before anything is killed: by parent, by process group, and on Linux by the
// marker in the environment, which follows a child into a new session (cases A3 A4 F-50). A process is named by pid
// and start time together, so that a reused pid is never taken for it.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

export type ProcessId = { pid: number; startTime: string };
/** `session` is -1 where the system does not tell it. */
type Row = ProcessId & { ppid: number; pgid: number; session: number };

const run = promisify(execFile);
const POLL_MS = 40;
/** A program that only waits stays well below this share of one processor. */
const BUSY_SHARE = 0.02;

/** When the process started, in the system's own words; null when it is gone (a zombie counts as gone). */
export function startTimeOf(pid: number): string | null {
  if (process.platform === 'linux') return linuxRow(pid)?.startTime ?? null;
  try {
    process.kill(pid, 0);
    return '';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? '' : null;
  }
}

/** True while exactly this process lives. */
export function isAlive(id: ProcessId): boolean {
  const startTime = startTimeOf(id.pid);
  return startTime !== null && (startTime === '' || id.startTime === '' || startTime === id.startTime);
}

export class ProcessTree {
  readonly #root: ProcessId;
  readonly #marker: string;
  readonly #known = new Map<number, ProcessId>();
  #worked = { at: 0, ticks: 0 };

  /** `marker` is a `NAME=value` that stands in the environment of the root and so of what it starts. */
  constructor(root: ProcessId, marker: string) {
    this.#root = root;
    this.#marker = marker;
    this.#known.set(root.pid, root);
  }

  get root(): ProcessId {
    return this.#root;
  }

  /** Living members now. Members once seen stay known when their parent goes away. */
  async members(): Promise<ProcessId[]> {
    const rows = await processes();
    const living = new Map(rows.map(row => [row.pid, row]));
    for (const [pid, id] of this.#known) {
      const row = living.get(pid);
      if (row === undefined || !same(row, id)) this.#known.delete(pid);
    }
    // A group is ours as long as somebody of ours is in it; its number alone may be a stranger's by now.
    const group = rows.some(row => this.#known.has(row.pid) && row.pgid === this.#root.pid);
    for (let grew = true; grew; ) {
      grew = false;
      for (const row of rows) {
        if (row.pid === process.pid || this.#known.has(row.pid)) continue;
        if (!this.#belongs(row, group)) continue;
        this.#known.set(row.pid, { pid: row.pid, startTime: row.startTime });
        grew = true;
      }
    }
    return [...this.#known.values()];
  }

  /** Has the tree used the processor for a noticeable part of the time since this was asked last? Linux tells; others say no. */
  async busy(): Promise<boolean> {
    const now = performance.now();
    let ticks = 0;
    for (const { pid } of await this.members()) ticks += ticksOf(pid);
    const { at, ticks: before } = this.#worked;
    this.#worked = { at: now, ticks };
    // A tick is 10 ms on every Linux there is.
    return at > 0 && (ticks - before) * 10 > (now - at) * BUSY_SHARE;
  }

  /** Ends every member: TERM, then KILL after `termMs`; resolves with those still there after `killMs` more. */
  async end(times: { termMs: number; killMs: number }): Promise<ProcessId[]> {
    return endProcesses(() => this.members(), this.#root.pid, times);
  }

  /** A child of a member, of a group or session a member leads, or marked. */
  #belongs({ pid, ppid, pgid, session }: Row, group: boolean): boolean {
    if ([ppid, pgid, session].some(leader => this.#known.has(leader))) return true;
    if (group && pgid === this.#root.pid) return true;
    return process.platform === 'linux' && environmentHas(pid, this.#marker);
  }
}

/** Living processes whose environment carries every one of the `NAME=value` entries. Linux only; none elsewhere. */
export function markedProcesses(entries: string[]): ProcessId[] {
  if (process.platform !== 'linux') return [];
  return linuxRows().filter(
    row => row.pid !== process.pid && entries.every(entry => environmentHas(row.pid, entry)),
  );
}

/** Ends what `find` finds, again and again until it finds nothing or the time is over; answers what is left. */
export async function endProcesses(
  find: () => ProcessId[] | Promise<ProcessId[]>,
  group: number | null,
  times: { termMs: number; killMs: number },
): Promise<ProcessId[]> {
  let left = await find();
  if (left.length === 0) return left;
  if (process.platform === 'win32') return endOnWindows(left, find);
  // The children as well as the group: one of them may have left it.
  signalAll(left, group, 'SIGTERM');
  left = await untilGone(find, times.termMs);
  const end = performance.now() + times.killMs;
  while (left.length > 0 && performance.now() < end) {
    signalAll(left, group, 'SIGKILL');
    left = await untilGone(find, POLL_MS * 2);
  }
  return left;
}

/** Kills what is known without waiting: for the moment before an exit that cannot wait. */
export function killNow(ids: Iterable<ProcessId>, group: number | null = null): void {
  signalAll([...ids], group, 'SIGKILL');
}

async function untilGone(find: () => ProcessId[] | Promise<ProcessId[]>, ms: number): Promise<ProcessId[]> {
  const end = performance.now() + ms;
  for (;;) {
    const left = await find();
    if (left.length === 0 || performance.now() >= end) return left;
    await pause(POLL_MS);
  }
}

function signalAll(ids: ProcessId[], group: number | null, signal: 'SIGTERM' | 'SIGKILL'): void {
  // The group only while a member proves that the number is still ours.
  if (group !== null && ids.some(id => id.pid === group && isAlive(id))) send(-group, signal);
  for (const id of ids) if (isAlive(id)) send(id.pid, signal);
}

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone between looking and signalling: that is what was wanted.
  }
}

async function endOnWindows(
  ids: ProcessId[],
  find: () => ProcessId[] | Promise<ProcessId[]>,
): Promise<ProcessId[]> {
  for (const { pid } of ids) {
    // taskkill fails for a process that is already gone; what counts is what is left afterwards.
    await run('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }).catch(() => undefined);
  }
  return untilGone(find, 1_000);
}

async function processes(): Promise<Row[]> {
  if (process.platform === 'linux') return linuxRows();
  if (process.platform === 'win32') return windowsRows();
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart=']);
  return stdout.split('\n').flatMap(line => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line);
    if (match === null || match[4]?.startsWith('Z')) return [];
    return [
      {
        pid: Number(match[1]),
        ppid: Number(match[2]),
        pgid: Number(match[3]),
        startTime: match[5] ?? '',
        session: -1,
      },
    ];
  });
}

async function windowsRows(): Promise<Row[]> {
  const script =
    'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.Ticks)" }';
  const { stdout } = await run('powershell', ['-NoProfile', '-Command', script], { windowsHide: true });
  return stdout.split('\n').flatMap(line => {
    const match = /^(\d+) (\d+) (\d*)/.exec(line.trim());
    if (match === null) return [];
    return [
      { pid: Number(match[1]), ppid: Number(match[2]), pgid: -1, startTime: match[3] ?? '', session: -1 },
    ];
  });
}

function linuxRows(): Row[] {
  const rows: Row[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = linuxRow(pid);
    if (row !== null) rows.push(row);
  }
  return rows;
}

function linuxRow(pid: number): Row | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // Gone, or never there.
    return null;
  }
  // The name in brackets may hold anything, so count from its end: state, ppid, pgid, ..., start time as the 20th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  const [ppid, pgid, session] = fields.slice(1, 4).map(Number);
  return { pid, ppid: ppid ?? 0, pgid: pgid ?? 0, session: session ?? -1, startTime: fields[19] ?? '' };
}

/** Processor time of a process in ticks; 0 where the system does not tell. */
function ticksOf(pid: number): number {
  if (process.platform !== 'linux') return 0;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    // Gone: its time is part of nothing any more.
    return 0;
  }
}

function environmentHas(pid: number, entry: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(entry);
  } catch {
    // Gone, or somebody else's: not ours either way.
    return false;
  }
}

function same(row: Row, id: ProcessId): boolean {
  return id.startTime === '' || row.startTime === id.startTime;
}
