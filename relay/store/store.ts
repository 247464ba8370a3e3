// The one store of the relay: what is in each table is in its own file, here is what holds them together - one
// transaction at a time, memory that never tells more than the disk, and a failure that costs nothing but the write.

import type { Database } from 'better-sqlite3';
import type { Store } from '../context.ts';
import { KIND } from '../protocol/kinds.ts';
import { SqliteAudit } from './audit.ts';
import { SqliteEvents } from './events.ts';
import { SqliteGrants } from './grants.ts';
import { SqliteInvites } from './invites.ts';
import { SqliteIps } from './ips.ts';
import { SqliteJoinRequests } from './join-requests.ts';
import { SqliteMembers } from './members.ts';
import { SqliteReceipts } from './receipts.ts';
import { storeFailure } from './refusal.ts';
import { SqliteReports } from './reports.ts';
import { SqliteRetention } from './retention.ts';
import { SqliteRooms } from './rooms.ts';
import { SqliteSettings } from './settings.ts';

export class SqliteStore implements Store {
  readonly events: SqliteEvents;
  readonly grants: SqliteGrants;
  readonly receipts: SqliteReceipts;
  readonly members: SqliteMembers;
  readonly invites: SqliteInvites;
  readonly joinRequests: SqliteJoinRequests;
  readonly rooms: SqliteRooms;
  readonly reports: SqliteReports;
  readonly retention: SqliteRetention;
  readonly audit: SqliteAudit;
  readonly ips: SqliteIps;
  readonly settings: SqliteSettings;
  /** Called before each commit, inside the transaction. */
  beforeCommit: () => void = () => {};
  /** Called inside the transaction for a key that left the relay or lost its grant, with the rooms it was in. */
  onLeft: (pubkey: string, rooms: readonly string[]) => void = () => {};
  readonly #db: Database;
  #inside = false;
  #afterCommit: (() => void)[] = [];
  #error = '';

  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.events = new SqliteEvents(db, now);
    this.rooms = new SqliteRooms(db);
    this.members = new SqliteMembers(db, now, pubkey => this.#leave(pubkey));
    this.grants = new SqliteGrants(db, now, agent => {
      // A human role stays, and with it everything the key could read before.
      if (this.members.get(agent)?.role === 'agent') this.members.remove(agent);
    });
    this.invites = new SqliteInvites(db);
    this.joinRequests = new SqliteJoinRequests(db);
    this.receipts = new SqliteReceipts(db);
    this.reports = new SqliteReports(db);
    this.retention = new SqliteRetention(db);
    this.events.onRemoved = event => {
      if (event.kind === KIND.report) this.reports.withdraw(event.id);
    };
    this.audit = new SqliteAudit(db, now);
    this.ips = new SqliteIps(db, now);
    this.settings = new SqliteSettings(db);
  }

  /**
   * Runs a change in one transaction. When it throws, everything is undone, memory included; a full disk or a
   * damaged database throws StoreFailure. Inside another transaction it is part of that one.
   */
  transact<T>(change: () => T): T {
    if (this.#inside) return change();
    this.#inside = true;
    let result: T;
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      result = change();
      this.beforeCommit();
      this.#db.exec('COMMIT');
      this.#error = '';
    } catch (error) {
      throw this.#undo(error);
    } finally {
      this.#inside = false;
    }
    for (const tell of this.#afterCommit.splice(0)) tell();
    return result;
  }

  /** Runs after the running transaction has been kept; never when it is undone. */
  afterCommit(tell: () => void): void {
    if (this.#inside) this.#afterCommit.push(tell);
    else tell();
  }

  health(): { ok: boolean; error: string } {
    return { ok: this.#error === '', error: this.#error };
  }

  #undo(error: unknown): unknown {
    this.#afterCommit = [];
    // SQLite itself has already rolled back after some errors, a full disk among them.
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    const { events, rooms, members, grants, ips, settings, reports, retention } = this;
    for (const part of [events, rooms, members, grants, ips, settings, reports, retention]) part.reload();
    const failure = storeFailure(error);
    if (failure !== undefined) this.#error = failure.reason;
    return failure ?? error;
  }

  #leave(pubkey: string): void {
    const rooms = this.rooms.roomsOf(pubkey);
    for (const room of rooms) this.rooms.removeMember(room, pubkey);
    this.onLeft(pubkey, rooms);
  }
}
