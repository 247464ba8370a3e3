// How many days the events of a kind are kept; kinds without a row are kept for ever. In memory as well: every event
// that comes in asks.

import type { Database, Statement } from 'better-sqlite3';
import type { RetentionStore } from '../context.ts';

export class SqliteRetention implements RetentionStore {
  readonly #all: Statement<[], { kind: number; days: number }>;
  readonly #set: Statement<[number, number]>;
  readonly #remove: Statement<[number]>;
  #days = new Map<number, number>();

  constructor(db: Database) {
    this.#all = db.prepare('SELECT kind, days FROM retention ORDER BY kind');
    this.#set = db.prepare('INSERT OR REPLACE INTO retention (kind, days) VALUES (?, ?)');
    this.#remove = db.prepare('DELETE FROM retention WHERE kind = ?');
    this.reload();
  }

  daysOf(kind: number): number | null {
    return this.#days.get(kind) ?? null;
  }

  list(): { kind: number; days: number }[] {
    return this.#all.all();
  }

  set(kind: number, days: number | null): void {
    if (days === null) {
      this.#remove.run(kind);
      this.#days.delete(kind);
    } else {
      this.#set.run(kind, days);
      this.#days.set(kind, days);
    }
  }

  reload(): void {
    this.#days = new Map(this.#all.all().map(({ kind, days }) => [kind, days]));
  }
}
