// Who belongs to the relay, and which keys are shut out. All rows are also held in memory: every event asks.

import type { Database, Statement } from 'better-sqlite3';
import type { MemberRecord, MemberStore } from '../context.ts';

type Banned = { pubkey: string; reason: string; at: number };

export class SqliteMembers implements MemberStore {
  readonly #now: () => number;
  readonly #all: Statement<[], MemberRecord>;
  readonly #put: Statement<[MemberRecord]>;
  readonly #remove: Statement<[string]>;
  readonly #banned: Statement<[], Banned>;
  readonly #ban: Statement<[string, string, number]>;
  readonly #unban: Statement<[string]>;
  readonly #onRemoved: (pubkey: string) => void;
  #members = new Map<string, MemberRecord>();
  #bans = new Map<string, Banned>();

  /** `onRemoved` is called inside the transaction for a key that lost its membership. */
  constructor(db: Database, now: () => number, onRemoved: (pubkey: string) => void) {
    this.#now = now;
    this.#onRemoved = onRemoved;
    this.#all = db.prepare('SELECT * FROM members ORDER BY created_at, pubkey');
    this.#put = db.prepare(
      `INSERT OR REPLACE INTO members (pubkey, role, name, note, invited_by, via, created_at)
       VALUES (@pubkey, @role, @name, @note, @invited_by, @via, @created_at)`,
    );
    this.#remove = db.prepare('DELETE FROM members WHERE pubkey = ?');
    this.#banned = db.prepare('SELECT pubkey, reason, at FROM banned_keys ORDER BY at DESC, pubkey');
    this.#ban = db.prepare('INSERT OR REPLACE INTO banned_keys (pubkey, reason, at) VALUES (?, ?, ?)');
    this.#unban = db.prepare('DELETE FROM banned_keys WHERE pubkey = ?');
    this.reload();
  }

  get(pubkey: string): MemberRecord | null {
    return this.#members.get(pubkey) ?? null;
  }

  list(): MemberRecord[] {
    return [...this.#members.values()];
  }

  put(member: MemberRecord): void {
    this.#put.run(member);
    this.#members.set(member.pubkey, { ...member });
  }

  remove(pubkey: string): boolean {
    if (!this.#members.delete(pubkey)) return false;
    this.#remove.run(pubkey);
    this.#onRemoved(pubkey);
    return true;
  }

  ban(pubkey: string, reason: string): void {
    const at = this.#now();
    this.#ban.run(pubkey, reason, at);
    this.#bans.set(pubkey, { pubkey, reason, at });
  }

  unban(pubkey: string): boolean {
    this.#unban.run(pubkey);
    return this.#bans.delete(pubkey);
  }

  isBanned(pubkey: string): boolean {
    return this.#bans.has(pubkey);
  }

  listBanned(): Banned[] {
    return [...this.#bans.values()];
  }

  reload(): void {
    this.#members = new Map(this.#all.all().map(row => [row.pubkey, row]));
    this.#bans = new Map(this.#banned.all().map(row => [row.pubkey, row]));
  }
}
