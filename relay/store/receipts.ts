// The grants that answered requests for more access (spec/agent-grants.md section 4). A later grant replaces the one
// that answered; what the operator signed then stays readable here.

import type { Database, Statement } from 'better-sqlite3';
import type { ReceiptStore } from '../context.ts';
import type { NostrEvent } from '../protocol/event.ts';

export class SqliteReceipts implements ReceiptStore {
  readonly #get: Statement<[string], { json: string }>;
  readonly #add: Statement<[string, string, string]>;
  readonly #removeOf: Statement<[string]>;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT json FROM grant_receipts WHERE request = ?');
    this.#add = db.prepare('INSERT OR IGNORE INTO grant_receipts (request, operator, json) VALUES (?, ?, ?)');
    this.#removeOf = db.prepare('DELETE FROM grant_receipts WHERE operator = ?');
  }

  get(request: string): NostrEvent | null {
    const row = this.#get.get(request);
    return row === undefined ? null : JSON.parse(row.json);
  }

  /** Keeps the grant as the answer to that request; the first one stays. */
  add(request: string, grant: NostrEvent): void {
    this.#add.run(request, grant.pubkey, JSON.stringify(grant));
  }

  removeOf(operator: string): void {
    this.#removeOf.run(operator);
  }
}
