// Opening the database of a data folder only to read it, beside a relay that may be running on it.

import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import Database, { type Database as Sqlite, SqliteError } from 'better-sqlite3';
import { SCHEMA_VERSION } from '../store/migrations.ts';
import { StoreRefusal } from '../store/refusal.ts';
import { DATABASE } from './files.ts';

const MAGIC = 'SQLite format 3\0';
const VERSION_OFFSET = 60;

/** The database, read only and in the schema of this program; throws StoreRefusal, one line, when it is not. */
export function openForReading(folder: string): Sqlite {
  const path = join(folder, DATABASE);
  if (!existsSync(path)) throw new StoreRefusal(`there is no database in ${folder}`);
  refuseByHeader(path);
  const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version !== SCHEMA_VERSION) throw new StoreRefusal(versionText(path, version));
    return db;
  } catch (error) {
    db.close();
    if (error instanceof SqliteError) throw new StoreRefusal(`${path} cannot be read: ${error.message}`);
    throw error;
  }
}

/** Read from the file itself, so that what is no database of ours is not even opened. */
function refuseByHeader(path: string): void {
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new StoreRefusal(`${path} is damaged (its first bytes are not those of a database)`);
  }
  // An older number in the file is settled after opening: the newest may still be in the log beside it.
  const version = header.readUInt32BE(VERSION_OFFSET);
  if (version > SCHEMA_VERSION) throw new StoreRefusal(versionText(path, version));
}

function versionText(path: string, version: number): string {
  const known = `schema ${version}, this one knows ${SCHEMA_VERSION}`;
  return version > SCHEMA_VERSION
    ? `${path} was written by a newer version of this program (${known}): it was left untouched`
    : `${path} was written by an older version of this program (${known}): start the relay on it once`;
}
