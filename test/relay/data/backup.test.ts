import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { backup } from '../../../relay/data/backup.ts';
import { restore } from '../../../relay/data/restore.ts';
import { SCHEMA_VERSION } from '../../../relay/store/migrations.ts';
import { filledFolder, openStored, save, signed, signer, temporaryFolder } from './stored.ts';

function made() {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const events = filledFolder(data);
  mkdirSync(join(data, 'blobs', 'ab'), { recursive: true });
  writeFileSync(join(data, 'blobs', 'ab', 'abcd'), 'bytes of a blob');
  writeFileSync(join(data, 'relay.key'), 'not really a key', { mode: 0o600 });
  return { folder, data, events, target: join(folder, 'copies', 'one') };
}

test('a backup restores to the same events and files, readable by this user alone', async () => {
  const { folder, data, events, target } = made();
  const report = await backup(data, target);
  expect(report).toMatchObject({ folder: target, files: 3 });
  expect(existsSync(join(target, 'relay.lock'))).toBe(false);
  if (process.platform !== 'win32') {
    expect(statSync(target).mode & 0o777).toBe(0o700);
    expect(statSync(join(target, 'events.db')).mode & 0o777).toBe(0o600);
  }
  const back = join(folder, 'back');
  await restore(target, back);
  expect(readFileSync(join(back, 'blobs', 'ab', 'abcd'), 'utf8')).toBe('bytes of a blob');
  expect(readFileSync(join(back, 'relay.key'), 'utf8')).toBe('not really a key');
  const relay = openStored(back);
  for (const event of events) expect(relay.store.events.get(event.id)).toEqual(event);
  relay.close();
});

test('a backup is made while a relay writes, and holds one moment of it', async () => {
  const { data, folder, target } = made();
  const author = signer();
  const relay = openStored(data);
  save(
    relay.store,
    Array.from({ length: 200 }, (_, i) => signed(author, { content: `${i}` })),
  );
  const copying = backup(data, target);
  save(relay.store, [signed(author, { content: 'meanwhile' })]);
  await copying;
  relay.close();
  await restore(target, join(folder, 'back'));
  const back = openStored(join(folder, 'back'));
  expect(back.store.events.stats().events).toBeGreaterThanOrEqual(222);
  back.close();
});

test('a taken target, a target inside the data folder and a folder without database are refused', async () => {
  const { data, folder, target } = made();
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'something'), '');
  await expect(backup(data, target)).rejects.toThrow(/not empty/);
  await expect(backup(data, join(data, 'copy'))).rejects.toThrow(/inside the data folder/);
  await expect(backup(join(folder, 'none'), join(folder, 'b'))).rejects.toThrow(/no database/);
  expect(existsSync(join(folder, 'b'))).toBe(false);
});

test('F-05 a damaged database is not copied as if it were a backup, and nothing is left behind', async () => {
  const { data, folder, target } = made();
  const path = join(data, 'events.db');
  const bytes = readFileSync(path);
  bytes.fill(0x5a, 4096 * 2, 4096 * 4);
  writeFileSync(path, bytes);
  await expect(backup(data, target)).rejects.toThrow();
  expect(existsSync(target)).toBe(false);
  expect(existsSync(join(folder, 'copies', `.one.partial-${process.pid}`))).toBe(false);
});

test('F-05 restore refuses a damaged, incomplete or foreign backup and writes nothing', async () => {
  const { data, folder, target } = made();
  await backup(data, target);
  const back = join(folder, 'back');
  const manifest = readFileSync(join(target, 'manifest.json'), 'utf8');
  const blob = join(target, 'blobs', 'ab', 'abcd');

  writeFileSync(blob, 'bytes of a bloc');
  await expect(restore(target, back)).rejects.toThrow(/damaged.*abcd/);
  writeFileSync(blob, 'bytes of a blob');

  writeFileSync(join(target, 'extra'), '');
  await expect(restore(target, back)).rejects.toThrow(/extra is not in the manifest/);
  const { rmSync } = await import('node:fs');
  rmSync(join(target, 'extra'));

  writeFileSync(join(target, 'manifest.json'), manifest.replace('blobs/ab/abcd', 'blobs/ab/gone'));
  await expect(restore(target, back)).rejects.toThrow(/manifest|missing/);
  writeFileSync(join(target, 'manifest.json'), manifest.replace('blobs/ab/abcd', '../../outside'));
  await expect(restore(target, back)).rejects.toThrow(/must stay inside/);
  writeFileSync(join(target, 'manifest.json'), '{');
  await expect(restore(target, back)).rejects.toThrow(/not usable/);
  rmSync(join(target, 'manifest.json'));
  await expect(restore(target, back)).rejects.toThrow(/no backup/);
  expect(existsSync(back)).toBe(false);
});

test('F-05 restore never writes over a data folder that holds something', async () => {
  const { data, folder, target } = made();
  await backup(data, target);
  const before = readFileSync(join(data, 'events.db'));
  await expect(restore(target, data)).rejects.toThrow(/not empty/);
  expect(readFileSync(join(data, 'events.db')).equals(before)).toBe(true);
  mkdirSync(join(folder, 'empty'));
  await restore(target, join(folder, 'empty'));
  expect(existsSync(join(folder, 'empty', 'events.db'))).toBe(true);
});

test('F-08 a backup of a newer version is refused', async () => {
  const { data, folder, target } = made();
  await backup(data, target);
  const manifest = readFileSync(join(target, 'manifest.json'), 'utf8');
  writeFileSync(
    join(target, 'manifest.json'),
    manifest.replace(`"schema": ${SCHEMA_VERSION}`, `"schema": ${SCHEMA_VERSION + 1}`),
  );
  await expect(restore(target, join(folder, 'back'))).rejects.toThrow(/newer version/);
});

test('F-08 a database of a newer version is not read', async () => {
  const { data, target } = made();
  const db = new Database(join(data, 'events.db'));
  db.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
  db.close();
  await expect(backup(data, target)).rejects.toThrow(/newer version/);
});

test.skipIf(process.platform === 'win32')('links out of the data folder are not followed', async () => {
  const { data, folder, target } = made();
  writeFileSync(join(folder, 'secret'), 'elsewhere');
  symlinkSync(join(folder, 'secret'), join(data, 'link'));
  await backup(data, target);
  expect(existsSync(join(target, 'link'))).toBe(false);
});
