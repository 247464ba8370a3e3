// The record of who changed what (spec/management.md, Audit row). A row is written in the transaction of its change.

import type { Database, Statement } from 'better-sqlite3';
import type { AuditRow, AuditStore } from '../context.ts';

export class SqliteAudit implements AuditStore {
  readonly #now: () => number;
  readonly #add: Statement<[number, string, string, string, string]>;
  readonly #list: Statement<[number], AuditRow>;

  constructor(db: Database, now: () => number) {
    this.#now = now;
    this.#add = db.prepare('INSERT INTO audit (at, actor, action, target, detail) VALUES (?, ?, ?, ?, ?)');
    this.#list = db.prepare(
      'SELECT id, at, actor, action, target, detail FROM audit ORDER BY id DESC LIMIT ?',
    );
  }

  add({ actor, action, target = '', detail = '' }: Parameters<AuditStore['add']>[0]): void {
    this.#add.run(this.#now(), actor, action, target, detail);
  }

  list(limit: number): AuditRow[] {
    return this.#list.all(limit);
  }
}
