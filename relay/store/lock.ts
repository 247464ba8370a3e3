// One relay a data folder. The lock is a file lock that SQLite takes for us, so the system itself drops it when the
// process dies, however it dies: there is no stale lock to clear away.

import { closeSync, openSync, statSync } from 'node:fs';
import Database, { SqliteError } from 'better-sqlite3';
import { StoreRefusal } from './refusal.ts';

export type Lock = { release(): void };

/** Takes the lock file, or throws StoreRefusal when another process (or this one) holds it. */
export function takeLock(path: string, folder: string): Lock {
  closeSync(openSync(path, 'a', 0o600));
  const file = new Database(path, { timeout: 0 });
  try {
    // Once it holds a page, taking the lock writes nothing: it also works on a full disk.
    if (statSync(path).size === 0) file.pragma('user_version = 1');
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if (error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new StoreRefusal(`another relay is running on the data folder ${folder}`);
    }
    throw error;
  }
  return { release: () => file.close() };
}
