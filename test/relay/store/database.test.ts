import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { integrity, openDatabase } from '../../../relay/store/database.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from '../../../relay/store/migrations.ts';
import { StoreRefusal } from '../../../relay/store/refusal.ts';
import { MadeStore } from './made-store.ts';

let made: MadeStore;
let path: string;

beforeEach(() => {
  made = new MadeStore();
  path = join(made.folder, 'events.db');
});
afterEach(() => made.close());

/** Closes the store for the time of the deed, and opens it again whatever comes of it. */
function whileClosed<T>(deed: () => T): T {
  made.database.close();
  try {
    return deed();
  } finally {
    rmSync(made.folder, { recursive: true, force: true });
    made.database = openDatabase(made.folder);
  }
}

function refusal(): string {
  try {
    openDatabase(made.folder).close();
    return 'opened';
  } catch (error) {
    if (error instanceof StoreRefusal) return error.message;
    throw error;
  }
}

describe('how it is opened', () => {
  test('every commit is synced, and the files are for this user alone', () => {
    expect(made.database.db.pragma('synchronous', { simple: true })).toBe(2);
    expect(made.database.db.pragma('journal_mode', { simple: true })).toBe('wal');
    made.save({ kind: 1 });
    for (const name of readdirSync(made.folder)) {
      expect(statSync(join(made.folder, name)).mode & 0o077, name).toBe(0);
    }
  });

  test('F-06 a second one on the same folder is refused, and may open it once the first is closed', () => {
    expect(refusal()).toBe(`another relay is running on the data folder ${made.folder}`);
    made.reopen();
    expect(refusal()).toMatch(/another relay is running/);
  });
});

describe('F-05 a damaged database is kept and named, never replaced', () => {
  function afterDamage(damage: () => void): string {
    for (let index = 0; index < 400; index += 1)
      made.save({ kind: 1, content: `${index}`, tags: [['t', 'x']] });
    return whileClosed(() => {
      damage();
      const before = readFileSync(path);
      const message = refusal();
      expect(readFileSync(path).equals(before)).toBe(true);
      return message;
    });
  }

  test('a zeroed header', () => {
    const message = afterDamage(() => overwrite(path, 0, 100));
    expect(message).toMatch(/events\.db is damaged .* kept as it is, restore it from a backup/);
  });

  test('pages overwritten in the middle', () => {
    const message = afterDamage(() => overwrite(path, 4096 * 3, 4096 * 12, 0xa5));
    expect(message).toMatch(/events\.db is damaged/);
  });

  test('the file cut short', () => {
    const message = afterDamage(() => truncateSync(path, 4096 * 3));
    expect(message).toMatch(/events\.db is damaged/);
  });

  test('an empty file in the place of one that was in use', () => {
    expect(afterDamage(() => truncateSync(path, 0))).toMatch(/missing or empty .* restore it from a backup/);
  });

  test('a file that is gone', () => {
    made.save({ kind: 1 });
    const message = whileClosed(() => {
      rmSync(path);
      return refusal();
    });
    expect(message).toMatch(/missing or empty/);
  });

  test('a log cut short loses its last entries, not the database', () => {
    for (let index = 0; index < 50; index += 1) made.save({ kind: 1, content: `${index}` });
    const files = ['events.db', 'events.db-wal', 'events.db.made'].map(
      name => [name, readFileSync(join(made.folder, name))] as const,
    );
    made.close();
    made = new MadeStore();
    made.database.close();
    for (const [name, bytes] of files) writeFileSync(join(made.folder, name), bytes);
    truncateSync(join(made.folder, 'events.db-wal'), 60_000);
    made.database = openDatabase(made.folder);
    expect(integrity(made.database.db)).toBe('ok');
    const { n } = made.database.db.prepare<[], { n: number }>('SELECT count(*) AS n FROM events').get() ?? {
      n: 0,
    };
    expect(n).toBeGreaterThan(0);
  });
});

describe('F-08 older and newer schemas', () => {
  test('an older one is brought up to date, with a copy of it beside', () => {
    made.database.close();
    for (const name of readdirSync(made.folder)) rmSync(join(made.folder, name));
    const old = new Database(path);
    migrate(old, SCHEMA_VERSION - 1);
    old.prepare("INSERT INTO settings (name, value) VALUES ('kept', 'yes')").run();
    old.close();
    made.reopenFresh();
    expect(schemaVersion(made.database.db)).toBe(SCHEMA_VERSION);
    expect(made.store.settings.get('kept')).toBe('yes');
    const copy = readdirSync(made.folder).find(name => name.endsWith('.bak')) ?? '';
    const backup = new Database(join(made.folder, copy), { readonly: true });
    expect(schemaVersion(backup)).toBe(SCHEMA_VERSION - 1);
    expect(backup.prepare('SELECT value FROM settings').get()).toEqual({ value: 'yes' });
    backup.close();
  });

  test('a step that fails is undone as a whole', () => {
    const db = new Database(':memory:');
    migrate(db, 1);
    db.exec('CREATE TABLE audit (id INTEGER)');
    expect(() => migrate(db)).toThrow(/audit/);
    expect(schemaVersion(db)).toBe(1);
    expect(db.prepare("SELECT name FROM sqlite_master WHERE name = 'members'").get()).toBeUndefined();
    db.close();
  });

  test('a newer one is refused untouched', () => {
    made.save({ kind: 1 });
    made.database.db.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
    const message = whileClosed(() => {
      const before = readFileSync(path);
      const text = refusal();
      expect(readFileSync(path).equals(before)).toBe(true);
      return text;
    });
    expect(message).toMatch(/newer version of this program .* left untouched/);
  });
});

function overwrite(file: string, from: number, bytes: number, value = 0): void {
  const content = readFileSync(file);
  content.fill(value, from, from + bytes);
  writeFileSync(file, content);
}
