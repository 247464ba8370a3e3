// Ends processes with everything they started. Descendants are collected before anything is killed, because a
// child of a dead parent can no longer be found by walking (cases A3 A4 F-50).

import { execFile } from 'node:child_process';
import type { ProcessRow, ProcessTable } from './process-table.ts';

/** One process, named so that a later one with the same pid is not meant. */
export type Known = { pid: number; start: string };

export type EndOptions = {
  table: ProcessTable;
  /** Milliseconds between asking (TERM) and killing; 0 kills at once. */
  grace: number;
  /** Processes that carry this mark belong to the tree wherever they hang now. */
  mark?: { variable: string; prefix: string };
  /** A process of the tree that is left alone, for now. */
  spare?: number;
};

export type Ended = { ended: ProcessRow[]; survivors: ProcessRow[] };

/** Every process below `roots`, the roots themselves first where they still live, and what carries the mark. */
export async function collectTree(
  roots: Known[],
  options: Pick<EndOptions, 'table' | 'mark'>,
): Promise<ProcessRow[]> {
  const all = (await options.table.list()).filter(row => row.pid !== process.pid);
  const found = new Map<number, ProcessRow>();
  for (const root of roots) {
    const row = all.find(each => each.pid === root.pid && each.start === root.start);
    if (row) found.set(row.pid, row);
  }
  if (options.mark) {
    const { variable, prefix } = options.mark;
    for (const row of await options.table.marked(all, variable, prefix)) found.set(row.pid, row);
  }
  let grown = found.size > 0;
  while (grown) {
    grown = false;
    // A session whose leader is in the tree was opened by the tree: what it left in there is ours as well.
    for (const row of all) {
      if (found.has(row.pid)) continue;
      if (!found.has(row.parent) && !found.has(row.session)) continue;
      found.set(row.pid, row);
      grown = true;
    }
  }
  return [...found.values()].filter(row => !row.zombie);
}

/** Ends the tree: TERM, at most `grace`, then KILL, then a last look. Never throws for a process already gone. */
export async function endTree(roots: Known[], options: EndOptions): Promise<Ended> {
  const seen = new Map<string, ProcessRow>();
  const remember = (rows: ProcessRow[]) => {
    for (const row of rows) if (row.pid !== options.spare) seen.set(`${row.pid}/${row.start}`, row);
  };
  remember(await collectTree(roots, options));
  if (options.grace > 0 && seen.size > 0) {
    for (const row of seen.values()) signal(row.pid, 'SIGTERM');
    const left = await waitGone([...seen.values()], options.table, options.grace);
    if (left.length === 0) remember(await collectTree([...seen.values()], options));
  }
  // Two rounds: what forked between the look and the kill is caught by the second.
  for (let round = 0; round < 2; round += 1) {
    remember(await collectTree([...roots, ...seen.values()], options));
    const alive = await stillAlive([...seen.values()], options.table);
    if (alive.length === 0) break;
    for (const row of alive) kill(row.pid);
    await waitGone(alive, options.table, 400);
  }
  const survivors = await stillAlive([...seen.values()], options.table);
  const left = new Set(survivors.map(row => row.pid));
  return { ended: [...seen.values()].filter(row => !left.has(row.pid)), survivors };
}

/** Of `rows`, those that still run. */
export async function stillAlive<T extends Known>(rows: T[], table: ProcessTable): Promise<T[]> {
  const now = await Promise.all(rows.map(row => (maybeAlive(row.pid) ? table.one(row.pid) : null)));
  return rows.filter((row, index) => {
    const found = now[index];
    return found !== null && found !== undefined && found.start === row.start && !found.zombie;
  });
}

/** Waits until none of `rows` runs or `ms` have passed; answers those left. The exits of others' children are not told, so it looks. */
async function waitGone(rows: ProcessRow[], table: ProcessTable, ms: number): Promise<ProcessRow[]> {
  const deadline = performance.now() + ms;
  let left = await stillAlive(rows, table);
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 20));
    left = await stillAlive(left, table);
  }
  return left;
}

function maybeAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  // Windows has no TERM: asking there is done over the private channel, and killing by taskkill.
  if (process.platform === 'win32') return;
  try {
    process.kill(pid, name);
  } catch {
    // ESRCH: it went on its own.
  }
}

function kill(pid: number): void {
  if (process.platform !== 'win32') {
    signal(pid, 'SIGKILL');
    return;
  }
  execFile('taskkill', ['/PID', String(pid), '/T', '/F'], () => {
    // Its result is read from the process table, not from here.
  });
}
