// `tiny relay restore`: a data folder out of a backup. It is checked before anything is written and appears whole.

import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { SCHEMA_VERSION } from '../store/migrations.ts';
import { StoreRefusal } from '../store/refusal.ts';
import { takePlace } from './backup.ts';
import {
  copySynced,
  DATABASE,
  DATABASE_MARKER,
  digestOf,
  refuseTaken,
  syncFolders,
  writeSynced,
} from './files.ts';
import { verifiedManifest } from './manifest.ts';

export type RestoreReport = { folder: string; files: number; bytes: number; made: string };

/** Makes the data folder from a backup. Throws StoreRefusal when the backup is not sound or the folder is in use. */
export async function restore(from: string, data: string): Promise<RestoreReport> {
  const to = resolve(data);
  await refuseTaken(to, 'the data folder');
  const manifest = await verifiedManifest(from);
  if (!manifest.files.some(file => file.path === DATABASE)) {
    throw new StoreRefusal(`${from} is no backup of a relay: it has no ${DATABASE}`);
  }
  if (manifest.schema > SCHEMA_VERSION) throw newer(from, manifest.schema);
  const partial = join(dirname(to), `.${basename(to)}.partial-${process.pid}`);
  await mkdir(dirname(to), { recursive: true });
  await mkdir(partial, { mode: 0o700 });
  try {
    for (const file of manifest.files) {
      const written = await copySynced(join(from, file.path), join(partial, file.path));
      if (written.sha256 !== file.sha256)
        throw new StoreRefusal(`${join(from, file.path)} changed while it was read`);
    }
    refuseUnsound(join(partial, DATABASE), from);
    // Looking must not have changed it.
    const database = manifest.files.find(file => file.path === DATABASE);
    if ((await digestOf(join(partial, DATABASE))).sha256 !== database?.sha256) {
      throw new StoreRefusal(`the database of ${from} did not survive its check`);
    }
    await writeSynced(join(partial, DATABASE_MARKER), '');
    await syncFolders(partial);
    await takePlace(partial, to);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  return { folder: to, files: manifest.files.length, bytes, made: manifest.made };
}

function refuseUnsound(path: string, from: string): void {
  const db = new Database(path, { readonly: true });
  try {
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version > SCHEMA_VERSION) throw newer(from, version);
    const found = String(db.pragma('integrity_check(1)', { simple: true }));
    if (found !== 'ok') throw new StoreRefusal(`the database in ${from} is damaged: ${found.split('\n')[0]}`);
  } finally {
    db.close();
  }
}

function newer(from: string, version: number): StoreRefusal {
  return new StoreRefusal(
    `${from} was written by a newer version of this program (schema ${version}, this one knows ${SCHEMA_VERSION})`,
  );
}
