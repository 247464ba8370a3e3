// The one folder that holds the program's state, and the lock that keeps a second start out of it (design.md,
// "Commands").

import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';

export type Home = {
  readonly path: string;
  /** A path inside the home. */
  at(...parts: string[]): string;
  /** A folder inside the home, made 0700 when it is not there. */
  folder(...parts: string[]): string;
};

/** The home folder: the given one, else TINY_HOME, else the platform's place for application data. Makes it 0700. */
export function openHome(given: string | undefined, env: NodeJS.ProcessEnv): Home {
  const path = resolve(given ?? env.TINY_HOME ?? join(applicationData(env), 'tiny-desktop'));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  return {
    path,
    at: (...parts) => join(path, ...parts),
    folder(...parts) {
      const folder = join(path, ...parts);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
  };
}

function applicationData(env: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return env.APPDATA ?? join(homedir(), 'AppData', 'Roaming');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  return env.XDG_DATA_HOME ?? join(homedir(), '.local', 'share');
}

/**
 * Takes the home for this process alone, or answers null when another process has it. The lock is SQLite's own file
 * lock: the system lets go of it when the process ends in whatever way, so none is ever stale.
 */
export function lockHome(home: Home): { release(): void } | null {
  const file = home.at('lock.db');
  const database = new Database(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return null;
    throw error;
  }
  return { release: () => database.close() };
}

/** Writes a file so that after a crash it holds the old bytes or the new ones: beside it, synced, then renamed. */
export function writeWhole(file: string, bytes: string | Uint8Array): void {
  const beside = `${file}.${process.pid}.new`;
  const descriptor = openSync(beside, 'w', 0o600);
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(beside, file);
  syncFolder(dirname(file));
}

/** Makes renames and removals in a folder last. Windows cannot open a folder and needs no such thing. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** How a second start finds the first: read by it alone, so 0600, and gone with the first. */
export type Running = { pid: number; dashboard: string | null };

export function writeRunning(home: Home, running: Running): () => void {
  const file = home.at('running.json');
  writeWhole(file, JSON.stringify(running));
  return () => rmSync(file, { force: true });
}

/** The home for this start alone, or who has it. Waits a while for one that is on its way up or out. */
export async function takeHome(home: Home): Promise<{ release(): void } | Running> {
  for (let tries = 0; tries < 50; tries++) {
    const lock = lockHome(home);
    if (lock) {
      // Left by a start that was killed: its address answers no more.
      rmSync(home.at('running.json'), { force: true });
      return lock;
    }
    const running = readRunning(home);
    if (running) return running;
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error(`another start uses ${home.path} and does not say where it answers`);
}

/** What the first start wrote, or null when it has not got that far. */
export function readRunning(home: Home): Running | null {
  try {
    const value: unknown = JSON.parse(readFileSync(home.at('running.json'), 'utf8'));
    if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
      return null;
    const dashboard = 'dashboard' in value && typeof value.dashboard === 'string' ? value.dashboard : null;
    return { pid: value.pid, dashboard };
  } catch {
    // Not written yet, or half way through being replaced by a start that is on its way out.
    return null;
  }
}
