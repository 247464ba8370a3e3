// Invite codes (spec/management.md section 4). Rows stay when a code has been used up or taken back: who asks with it
// is told which.

import type { Database, Statement } from 'better-sqlite3';
import type { InviteRecord, InviteStore } from '../context.ts';

type Row = Omit<InviteRecord, 'revoked'> & { revoked: number };

export class SqliteInvites implements InviteStore {
  readonly #get: Statement<[string], Row>;
  readonly #list: Statement<[number], Row>;
  readonly #listOf: Statement<[string], Row>;
  readonly #put: Statement<[Row]>;
  readonly #use: Statement<[string]>;
  readonly #revoke: Statement<[string]>;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT * FROM invites WHERE code = ?');
    this.#list = db.prepare('SELECT * FROM invites ORDER BY created_at DESC, code LIMIT ?');
    this.#listOf = db.prepare('SELECT * FROM invites WHERE created_by = ? ORDER BY created_at DESC, code');
    this.#put = db.prepare(
      `INSERT INTO invites (code, created_by, created_at, expires_at, max_uses, uses, revoked, note)
       VALUES (@code, @created_by, @created_at, @expires_at, @max_uses, @uses, @revoked, @note)`,
    );
    this.#use = db.prepare('UPDATE invites SET uses = uses + 1 WHERE code = ?');
    this.#revoke = db.prepare('UPDATE invites SET revoked = 1 WHERE code = ? AND revoked = 0');
  }

  get(code: string): InviteRecord | null {
    const row = this.#get.get(code);
    return row === undefined ? null : record(row);
  }

  list(limit: number): InviteRecord[] {
    return this.#list.all(limit).map(record);
  }

  listOf(creator: string): InviteRecord[] {
    return this.#listOf.all(creator).map(record);
  }

  add(invite: InviteRecord): void {
    this.#put.run({ ...invite, revoked: invite.revoked ? 1 : 0 });
  }

  use(code: string): void {
    this.#use.run(code);
  }

  revoke(code: string): boolean {
    return this.#revoke.run(code).changes > 0;
  }
}

function record(row: Row): InviteRecord {
  return { ...row, revoked: row.revoked !== 0 };
}
