// Network addresses that are shut out, held in memory as well: every connection asks.

import type { Database, Statement } from 'better-sqlite3';
import type { IpStore } from '../context.ts';

type Blocked = { ip: string; reason: string; at: number };

export class SqliteIps implements IpStore {
  readonly #now: () => number;
  readonly #all: Statement<[], Blocked>;
  readonly #block: Statement<[string, string, number]>;
  readonly #unblock: Statement<[string]>;
  #blocked = new Map<string, Blocked>();

  constructor(db: Database, now: () => number) {
    this.#now = now;
    this.#all = db.prepare('SELECT ip, reason, at FROM blocked_ips ORDER BY at DESC, ip');
    this.#block = db.prepare('INSERT OR REPLACE INTO blocked_ips (ip, reason, at) VALUES (?, ?, ?)');
    this.#unblock = db.prepare('DELETE FROM blocked_ips WHERE ip = ?');
    this.reload();
  }

  block(ip: string, reason: string): void {
    const at = this.#now();
    this.#block.run(ip, reason, at);
    this.#blocked.set(ip, { ip, reason, at });
  }

  unblock(ip: string): boolean {
    this.#unblock.run(ip);
    return this.#blocked.delete(ip);
  }

  isBlocked(ip: string): boolean {
    return this.#blocked.size > 0 && this.#blocked.has(ip);
  }

  list(): Blocked[] {
    return [...this.#blocked.values()];
  }

  reload(): void {
    this.#blocked = new Map(this.#all.all().map(row => [row.ip, row]));
  }
}
