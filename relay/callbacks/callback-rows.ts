// The registered callbacks as they are stored. Changes run inside a transaction of the store.

import type { Database, Statement } from 'better-sqlite3';
import type { CallbackFilter } from '../protocol/callback-filter.ts';

export type Callback = {
  id: string;
  owner: string;
  url: string;
  /** Name and port, for those who may not see the path. */
  host: string;
  filter: CallbackFilter;
  /** Sealed, see sealed-secret.ts. */
  secret: Uint8Array;
  created_at: number;
  registered_ms: number;
  /** Unix seconds of the last POST; 0 before the first. */
  last_delivery: number;
  /** What came of the last POST, or why it is paused. */
  last_status: string;
  /** Failures in a row. */
  failures: number;
  paused: boolean;
};

type Row = Omit<Callback, 'filter' | 'paused'> & { filter: string; paused: number };

export class CallbackRows {
  readonly #get: Statement<[string], Row>;
  readonly #all: Statement<[], Row>;
  readonly #put: Statement<[Row]>;
  readonly #remove: Statement<[string]>;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT * FROM callbacks WHERE id = ?');
    this.#all = db.prepare('SELECT * FROM callbacks ORDER BY registered_ms, id');
    this.#put = db.prepare(
      `INSERT OR REPLACE INTO callbacks
       (id, owner, url, host, filter, secret, created_at, registered_ms, last_delivery, last_status, failures, paused)
       VALUES (@id, @owner, @url, @host, @filter, @secret, @created_at, @registered_ms, @last_delivery, @last_status,
               @failures, @paused)`,
    );
    this.#remove = db.prepare('DELETE FROM callbacks WHERE id = ?');
  }

  get(id: string): Callback | null {
    const row = this.#get.get(id);
    return row === undefined ? null : fromRow(row);
  }

  /** Oldest first. */
  list(): Callback[] {
    return this.#all.all().map(fromRow);
  }

  put(callback: Callback): void {
    this.#put.run({
      ...callback,
      filter: JSON.stringify(callback.filter),
      paused: callback.paused ? 1 : 0,
    });
  }

  remove(id: string): void {
    this.#remove.run(id);
  }
}

function fromRow(row: Row): Callback {
  return { ...row, filter: JSON.parse(row.filter), paused: row.paused !== 0 };
}
