// Copying files so that they survive a power cut: every file and every folder that names it is synced.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { StoreRefusal } from '../store/refusal.ts';

export const DATABASE = 'events.db';
/** Says that the folder has held a database, so that a lost one is never replaced by an empty one. */
export const DATABASE_MARKER = 'events.db.made';

/** Size in bytes and SHA-256 in hex of a file. */
export type Digest = { bytes: number; sha256: string };

export async function digestOf(path: string): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Copies a file to a new path, 0600, synced, with the folders it needs; answers what was written. */
export async function copySynced(from: string, to: string): Promise<Digest> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  let bytes = 0;
  await using target = await open(to, 'wx', 0o600);
  for await (const chunk of createReadStream(from) as AsyncIterable<Buffer>) {
    await target.writeFile(chunk);
    hash.update(chunk);
    bytes += chunk.length;
  }
  await target.sync();
  return { bytes, sha256: hash.digest('hex') };
}

/** Writes a small new file, 0600, synced. */
export async function writeSynced(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

/** Syncs a folder and every folder in it. */
export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  }
  await syncFolder(folder);
}

export async function syncFolder(folder: string): Promise<void> {
  // Windows has no handle on a folder to sync; its file system keeps names in a journal.
  if (process.platform === 'win32') return;
  await using handle: FileHandle = await open(folder, 'r');
  await handle.sync();
}

/** Paths of the regular files under a folder, relative to it, with `/`, in order. Links are not followed. */
export async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Is there anything at that path that must not be written over? An empty folder is not. */
export async function isTaken(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    return !found.isDirectory() || (await readdir(path)).length > 0;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Throws StoreRefusal when something is at the path. */
export async function refuseTaken(path: string, what: string): Promise<void> {
  if (await isTaken(path)) throw new StoreRefusal(`${what} ${path} is not empty: nothing was written`);
}
