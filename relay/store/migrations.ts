// The numbered changes of the schema (spec/decisions.md 21). A database is at the version of the last one it has
// had, kept in its user_version. Never edit one that has been released: add the next.

import type { Database } from 'better-sqlite3';
import { callbacks } from '../callbacks/schema.ts';
import { events } from './migrations/0001-events.ts';
import { community } from './migrations/0002-community.ts';
import { receipts } from './migrations/0003-receipts.ts';
import { joining } from './migrations/0005-joining.ts';
import { search } from './migrations/0006-search.ts';
import { moderation } from './migrations/0007-moderation.ts';

const MIGRATIONS: readonly string[] = [events, community, receipts, callbacks, joining, search, moderation];

/** The version this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

export function schemaVersion(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/** Brings the schema up to `target`, each step in its own transaction: it is applied whole or not at all. */
export function migrate(db: Database, target = SCHEMA_VERSION): void {
  for (let version = schemaVersion(db); version < target; version += 1) {
    const step = MIGRATIONS[version];
    if (step === undefined) throw new RangeError(`no migration leads to version ${target}`);
    db.transaction(() => {
      db.exec(step);
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
}
