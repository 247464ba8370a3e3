// Opening the database of a data folder: one process at a time, never a newer one, never a damaged one, and never an
// empty one in the place of one that was lost. What cannot be opened is left exactly as it is.

import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database, { type Database as Sqlite, SqliteError } from 'better-sqlite3';
import { type Lock, takeLock } from './lock.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from './migrations.ts';
import { StoreRefusal } from './refusal.ts';

export type OpenDatabase = {
  db: Sqlite;
  path: string;
  /** False when the file is too large to be checked before the start: check it beside the work. */
  checked: boolean;
  close(): void;
};

const MAGIC = 'SQLite format 3\0';
const VERSION_OFFSET = 60;
/** Up to this size the structure is checked at every start; it takes about 2 ms a megabyte. */
const CHECKED_BYTES = 64 * 1024 * 1024;

/** Opens (or makes) `events.db` in the folder; throws StoreRefusal, one line for a person, when it must not be used. */
export function openDatabase(folder: string): OpenDatabase {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = takeLock(join(folder, 'relay.lock'), folder);
  try {
    return openLocked(folder, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openLocked(folder: string, lock: Lock): OpenDatabase {
  const path = join(folder, 'events.db');
  const marker = join(folder, 'events.db.made');
  refuseLost(path, marker);
  refuseByHeader(path);
  // Made by us, not by SQLite, so that it and its log files can be read by this user alone.
  closeSync(openSync(path, 'a', 0o600));
  const db = openSqlite(path);
  try {
    refuseNewer(path, schemaVersion(db));
    const checked = statSync(path).size <= CHECKED_BYTES;
    if (checked) refuseDamaged(path, integrity(db));
    configure(db);
    upgrade(db, path);
    if (!existsSync(marker)) {
      // The schema must be in the file itself before we say that there is one.
      db.pragma('wal_checkpoint(TRUNCATE)');
      writeFileSync(marker, '', { mode: 0o600 });
    }
    const close = () => {
      db.close();
      lock.release();
    };
    return { db, path, checked, close };
  } catch (error) {
    db.close();
    throw damaged(error) ? new StoreRefusal(damageText(path, error.message)) : error;
  }
}

/**
 * With a full disk there is no room for the index of the log that several processes share: then we keep it in our own
 * memory, and only programs that look on from outside have to wait.
 */
function openSqlite(path: string): Sqlite {
  const db = new Database(path, { timeout: 2000 });
  try {
    schemaVersion(db);
    return db;
  } catch (error) {
    db.close();
    if (damaged(error)) throw new StoreRefusal(damageText(path, error.message));
    if (!(error instanceof SqliteError)) throw error;
    const alone = new Database(path, { timeout: 2000 });
    alone.pragma('locking_mode = EXCLUSIVE');
    return alone;
  }
}

function configure(db: Sqlite): void {
  db.pragma('journal_mode = WAL');
  // The library's default with WAL is NORMAL, which may lose what was acknowledged when the machine stops.
  db.pragma('synchronous = FULL');
  db.pragma('temp_store = MEMORY');
  db.pragma('cache_size = -16000');
  db.pragma('trusted_schema = OFF');
  // Pages of the log before they go into the file: fewer, larger rounds cost the writers less.
  db.pragma('wal_autocheckpoint = 4000');
  const mode = db.pragma('journal_mode', { simple: true });
  const sync = db.pragma('synchronous', { simple: true });
  if (mode !== 'wal' || sync !== 2) {
    throw new StoreRefusal(`the database cannot be made safe: journal_mode ${mode}, synchronous ${sync}`);
  }
}

/** A copy of the whole database is made before the first step of a start, unless it is a new one. */
function upgrade(db: Sqlite, path: string): void {
  const version = schemaVersion(db);
  if (version === SCHEMA_VERSION) return;
  if (version > 0) {
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const copy = `${path}.v${version}.${stamp}.bak`;
    closeSync(openSync(copy, 'a', 0o600));
    db.prepare('VACUUM INTO ?').run(copy);
  }
  migrate(db);
}

function refuseLost(path: string, marker: string): void {
  if (!existsSync(marker)) return;
  if (existsSync(path) && statSync(path).size > 0) return;
  throw new StoreRefusal(
    `${path} is missing or empty though this folder has held one: restore it from a backup`,
  );
}

/** Read from the file itself, so that a database we must not touch is not even opened. */
function refuseByHeader(path: string): void {
  if (!existsSync(path) || statSync(path).size === 0) return;
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new StoreRefusal(damageText(path, 'its first bytes are not those of a database'));
  }
  refuseNewer(path, header.readUInt32BE(VERSION_OFFSET));
}

function refuseNewer(path: string, version: number): void {
  if (version <= SCHEMA_VERSION) return;
  throw new StoreRefusal(
    `${path} was written by a newer version of this program (schema ${version}, this one knows ${SCHEMA_VERSION}): ` +
      'it was left untouched',
  );
}

function refuseDamaged(path: string, problem: string): void {
  if (problem !== 'ok') throw new StoreRefusal(damageText(path, problem));
}

/** 'ok', or the first problem in the structure of the database. */
export function integrity(db: Sqlite): string {
  return String(db.pragma('quick_check(1)', { simple: true }));
}

function damaged(error: unknown): error is InstanceType<typeof SqliteError> {
  return error instanceof SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

function damageText(path: string, problem: string): string {
  const line = problem.replace(/\s+/g, ' ').slice(0, 200);
  return `${path} is damaged (${line}): it was kept as it is, restore it from a backup`;
}
