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
  /** Keys whose membership changed since the last look, with whether they were here before. */
  #touched = new Map<string, boolean>();

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
    this.#touch(member.pubkey);
    this.#put.run(member);
    this.#members.set(member.pubkey, { ...member });
  }

  remove(pubkey: string): boolean {
    if (!this.#members.has(pubkey)) return false;
    this.#touch(pubkey);
    this.#members.delete(pubkey);
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

  /** Who came, who went, and whether anything changed at all, since the last call. */
  takeTouched(): { came: string[]; went: string[]; any: boolean } {
    const touched = [...this.#touched];
    this.#touched.clear();
    const came = touched.filter(([key, wasHere]) => !wasHere && this.#members.has(key)).map(([key]) => key);
    const went = touched.filter(([key, wasHere]) => wasHere && !this.#members.has(key)).map(([key]) => key);
    return { came, went, any: touched.length > 0 };
  }

  #touch(pubkey: string): void {
    if (!this.#touched.has(pubkey)) this.#touched.set(pubkey, this.#members.has(pubkey));
  }

  reload(): void {
    this.#touched.clear();
    this.#members = new Map(this.#all.all().map(row => [row.pubkey, row]));
    this.#bans = new Map(this.#banned.all().map(row => [row.pubkey, row]));
  }
}
