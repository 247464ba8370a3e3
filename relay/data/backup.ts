// `tiny relay backup`: a copy of a data folder, made while the relay may be running, whole or not there at all.

import { mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import Database from 'better-sqlite3';
import { integrity } from '../store/database.ts';
import { SCHEMA_VERSION } from '../store/migrations.ts';
import { StoreRefusal } from '../store/refusal.ts';
import {
  copySynced,
  DATABASE,
  type Digest,
  digestOf,
  filesUnder,
  isMissing,
  isTaken,
  refuseTaken,
  syncFolder,
  syncFolders,
  writeSynced,
} from './files.ts';
import { MANIFEST, type Manifest } from './manifest.ts';
import { openForReading } from './reading.ts';

export type BackupReport = { folder: string; files: number; bytes: number };

/**
 * Copies the data folder into a new folder. The database is one moment of it, whatever is written meanwhile; other
 * files follow it. Throws StoreRefusal when the target is taken or the copy is not sound; then nothing is left behind.
 */
export async function backup(data: string, target: string): Promise<BackupReport> {
  const from = resolve(data);
  const to = resolve(target);
  if (to === from || to.startsWith(from + sep)) {
    throw new StoreRefusal(`the backup ${to} must not be inside the data folder`);
  }
  await refuseTaken(to, 'the backup folder');
  const partial = join(dirname(to), `.${basename(to)}.partial-${process.pid}`);
  await mkdir(dirname(to), { recursive: true });
  await mkdir(partial, { mode: 0o700 });
  try {
    const files = [
      { path: DATABASE, ...(await copyDatabase(from, join(partial, DATABASE))) },
      ...(await copyOthers(from, partial)),
    ];
    const manifest: Manifest = { format: 1, schema: SCHEMA_VERSION, made: new Date().toISOString(), files };
    await writeSynced(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    await syncFolders(partial);
    await takePlace(partial, to);
    return { folder: to, files: files.length, bytes: files.reduce((sum, file) => sum + file.bytes, 0) };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Renames a finished folder to where it belongs, over an empty one at most. */
export async function takePlace(partial: string, to: string): Promise<void> {
  if (!(await isTaken(to))) {
    await rmdir(to).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }
  await rename(partial, to);
  await syncFolder(dirname(to));
}

async function copyDatabase(data: string, to: string): Promise<Digest> {
  const source = openForReading(data);
  try {
    // Made first, so that only this user can read it.
    await (await open(to, 'wx', 0o600)).close();
    await source.backup(to);
  } finally {
    source.close();
  }
  const copy = new Database(to);
  try {
    // One file, no log beside it: what is hashed is the whole database.
    copy.pragma('journal_mode = DELETE');
    const found = integrity(copy);
    if (found !== 'ok') throw new StoreRefusal(`the database in ${data} is damaged: ${found.split('\n')[0]}`);
  } finally {
    copy.close();
  }
  await using file = await open(to, 'r+');
  await file.sync();
  return digestOf(to);
}

async function copyOthers(from: string, to: string): Promise<({ path: string } & Digest)[]> {
  const copied: ({ path: string } & Digest)[] = [];
  for (const path of await filesUnder(from)) {
    if (!belongs(path)) continue;
    try {
      copied.push({ path, ...(await copySynced(join(from, path), join(to, path))) });
    } catch (error) {
      // Removed by the running relay since the folder was listed.
      if (!isMissing(error)) throw error;
    }
  }
  return copied;
}

/** Not the database (copied on its own), its logs and older copies, the lock, or the note of a running import. */
function belongs(path: string): boolean {
  return !path.startsWith(DATABASE) && path !== 'relay.lock' && path !== 'import.json' && path !== MANIFEST;
}
