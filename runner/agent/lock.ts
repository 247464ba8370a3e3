// One live runner a journal: a lock file that names its holder by pid and start time. The lock of a dead process is
// no lock; the file appears whole or not at all, so nobody ever reads half of one.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { isAlive, startTimeOf } from './process-tree.ts';

const holder = z.object({ pid: z.number().int().positive(), startTime: z.string() });

export type Lock = { release(): void };

/** The lock, or the pid of the living process that has it. */
export function takeLock(file: string): { ok: true; lock: Lock } | { ok: false; pid: number } {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const mine = `${file}.${process.pid}`;
  const text = JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) ?? '' });
  writeFileSync(mine, text, { mode: 0o600 });
  try {
    for (;;) {
      if (linked(mine, file)) return { ok: true, lock: { release: () => release(file, text) } };
      const held = read(file);
      const other = held === null ? null : parse(held);
      if (other !== null && isAlive(other)) return { ok: false, pid: other.pid };
      if (held !== null) removeStale(file, held);
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Takes the dead holder's file away, and gives it back when in the meantime it became somebody else's. */
function removeStale(file: string, held: string): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (read(aside) !== held) linked(aside, file);
  rmSync(aside, { force: true });
}

function release(file: string, text: string): void {
  if (read(file) === text) rmSync(file, { force: true });
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parse(text: string): z.infer<typeof holder> | null {
  try {
    return holder.parse(JSON.parse(text));
  } catch {
    // No lock of ours: nobody holds it.
    return null;
  }
}
