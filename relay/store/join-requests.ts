// Who asked to be let in, and what became of it: one row a key (spec/management.md section 4).

import type { Database, Statement } from 'better-sqlite3';
import type { JoinRequest, JoinRequestStore } from '../context.ts';

export class SqliteJoinRequests implements JoinRequestStore {
  readonly #get: Statement<[string], JoinRequest>;
  readonly #list: Statement<[number], JoinRequest>;
  readonly #pending: Statement<[], { n: number }>;
  readonly #put: Statement<[JoinRequest]>;
  readonly #remove: Statement<[string]>;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT * FROM join_requests WHERE pubkey = ?');
    this.#list = db.prepare(
      `SELECT * FROM join_requests ORDER BY status = 'pending' DESC, requested_at DESC, pubkey LIMIT ?`,
    );
    this.#pending = db.prepare(`SELECT count(*) AS n FROM join_requests WHERE status = 'pending'`);
    this.#put = db.prepare(
      `INSERT OR REPLACE INTO join_requests (pubkey, reason, requested_at, status, decided_by, decided_at)
       VALUES (@pubkey, @reason, @requested_at, @status, @decided_by, @decided_at)`,
    );
    this.#remove = db.prepare('DELETE FROM join_requests WHERE pubkey = ?');
  }

  get(pubkey: string): JoinRequest | null {
    return this.#get.get(pubkey) ?? null;
  }

  list(limit: number): JoinRequest[] {
    return this.#list.all(limit);
  }

  pending(): number {
    return this.#pending.get()?.n ?? 0;
  }

  put(request: JoinRequest): void {
    this.#put.run(request);
  }

  remove(pubkey: string): void {
    this.#remove.run(pubkey);
  }
}
