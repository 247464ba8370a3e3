// The events the relay holds (NIP-01 kind classes, NIP-09 tombstones, NIP-40 expiry). Writes happen inside a
// transaction of the store; only verified events are taken.

import type { Database, Statement } from 'better-sqlite3';
import type { EventCursor, EventStore, StoredEvent } from '../context.ts';
import { REQUEST_KINDS } from '../protocol/approval.ts';
import type { Filter, NostrEvent } from '../protocol/event.ts';
import { KIND, kindClass } from '../protocol/kinds.ts';
import { expirationOf, tagValues } from '../protocol/tags.ts';
import type { VerifiedEvent } from '../verify/verified-event.ts';
import { EventCache } from './event-cache.ts';
import { addressOf, indexedTags, indexValue, prefix48 } from './keys.ts';
import { Scanner, type ScanOptions } from './scan.ts';
import { SearchIndex } from './search.ts';

/** `superseded`: a newer version is held; `deleted`: its author or a moderator has taken it back. */
export type SaveResult =
  | { status: 'stored'; stored: StoredEvent }
  | { status: 'duplicate' | 'superseded' | 'deleted' };

type Version = { seq: number; created_at: number; id: string };

/** Who may take back a room message for good: not its author, so the tombstone holds for everyone. */
const ANYONE = '';
/** Seconds a request nobody answered in time is kept, so that the person asked can still see what lapsed. */
const KEPT_LAPSED = 30 * 86_400;

export class SqliteEvents implements EventStore {
  readonly #db: Database;
  readonly #now: () => number;
  /** Filled from outside, behind the writers (search-filling in upkeep). */
  readonly search: SearchIndex;
  /** Called inside the transaction for each event that is removed, replaced ones as well. */
  onRemoved: (event: NostrEvent) => void = () => {};
  readonly #cache = new EventCache();
  readonly #scanner: Scanner;
  readonly #sql: ReturnType<typeof statements>;
  #lastSeq: number;

  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.search = new SearchIndex(db);
    this.#scanner = new Scanner(db, this.#cache, this.search);
    this.#sql = statements(db);
    this.#lastSeq = this.#sql.lastSeq.get()?.seq ?? 0;
  }

  /** The highest `seq` given out: what a scan may see when it starts now. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get(id: string): NostrEvent | null {
    return this.#scanner.find(id)?.event ?? null;
  }

  current(address: string): NostrEvent | null {
    const version = this.#sql.current.get(address);
    return version === undefined ? null : (this.#scanner.read(version.seq)?.event ?? null);
  }

  *scan(filter: Filter, after?: EventCursor, { expired = false } = {}): Generator<NostrEvent, void, void> {
    for (const stored of this.walk(filter, { after, expired })) {
      if (stored !== undefined) yield stored.event;
    }
  }

  /** As scan, with the stored JSON, a bound on `seq`, and `undefined` where the caller may pause. */
  *walk(filter: Filter, options: ScanOptions = {}): Generator<StoredEvent | undefined, void, void> {
    for (const stored of this.#scanner.run(filter, options)) {
      if (stored === undefined || options.expired === true || !this.#isExpired(stored.event)) yield stored;
    }
  }

  /** Stores an event and its index rows; of replaceable kinds the newest version alone stays. */
  save(verified: VerifiedEvent): SaveResult {
    const { event } = verified;
    if (this.#scanner.find(event.id) !== undefined) return { status: 'duplicate' };
    if (this.isTakenBack(event)) return { status: 'deleted' };
    const kind = kindClass(event.kind);
    const replaces = kind === 'replaceable' || kind === 'addressable';
    if (!replaces) return { status: 'stored', stored: this.#insert(verified) };
    const address = addressOf(event, kind === 'addressable');
    const held = this.#sql.current.get(address);
    if (held !== undefined && !isNewer(event, held)) return { status: 'superseded' };
    if (held !== undefined) this.#erase(held.seq);
    const stored = this.#insert(verified);
    this.#sql.setCurrent.run(address, stored.seq, event.created_at, event.id);
    return { status: 'stored', stored };
  }

  /** Is an event like this one under a tombstone (NIP-09), its id banned, or a version of it deleted later? */
  isTakenBack(event: NostrEvent): boolean {
    const { deletedId, bannedId } = this.#sql;
    if (bannedId.get(event.id) !== undefined) return true;
    const owners = [event.pubkey, ANYONE];
    if (event.kind === KIND.giftWrap) owners.push(...tagValues(event, 'p'));
    if (event.kind === KIND.vanish) return false;
    const isUndeletable = event.kind === KIND.deletion;
    const isBuried = owners.some(author => deletedId.get(event.id, author) !== undefined);
    if (isBuried && !isUndeletable) return true;
    const keys = event.kind === KIND.giftWrap ? owners : [event.pubkey];
    if (keys.some(key => this.#isUnder(everythingBy(key), event))) return true;
    const kind = kindClass(event.kind);
    if (kind !== 'replaceable' && kind !== 'addressable') return false;
    return this.#isUnder(addressOf(event, kind === 'addressable'), event);
  }

  /** Is there a tombstone at the address that reaches to the second of the event? */
  #isUnder(address: string, event: NostrEvent): boolean {
    const until = this.#sql.deletedAddress.get(address)?.until;
    return until !== undefined && event.created_at <= until;
  }

  /** Keeps that id from being stored again when it comes from this author; without one, from anyone. */
  buryId(id: string, author: string = ANYONE): void {
    this.#sql.buryId.run(id, author);
  }

  /** Keeps versions at the address up to that second from being stored again. */
  buryAddress(address: string, until: number): void {
    this.#sql.buryAddress.run(address, until);
  }

  /** Keeps everything of that key up to that second from being stored again (NIP-62). */
  buryAuthor(pubkey: string, until: number): void {
    this.#sql.buryAddress.run(everythingBy(pubkey), until);
  }

  remove(id: string): boolean {
    const stored = this.#scanner.find(id);
    if (stored === undefined) return false;
    this.#erase(stored.seq);
    return true;
  }

  removeAll(filter: Filter): number {
    const { limit: _, ...conditions } = filter;
    // An empty condition must never come to mean all of them.
    if (Object.values(conditions).every(value => value === undefined)) {
      throw new RangeError('removeAll needs a condition');
    }
    // All of them first: a range that is read while its rows go would skip some.
    const found = [...this.#scanner.run(conditions)].filter(stored => stored !== undefined);
    for (const { seq } of found) this.#erase(seq);
    return found.length;
  }

  hasExpired(): boolean {
    return this.#due(1).length > 0;
  }

  /** Removes events whose time has passed, at most `limit`; answers their number. */
  removeExpired(limit: number): number {
    const due = this.#due(limit);
    for (const { seq } of due) this.#erase(seq);
    return due.length;
  }

  bury(id: string): void {
    this.buryId(id);
    this.remove(id);
  }

  banId(id: string, reason: string): void {
    this.#sql.banId.run(id, reason, this.#now());
    this.remove(id);
  }

  allowId(id: string): void {
    this.#sql.allowId.run(id);
  }

  isBannedId(id: string): boolean {
    return this.#sql.bannedId.get(id) !== undefined;
  }

  listBannedIds(): { id: string; reason: string; at: number }[] {
    return this.#sql.listBanned.all();
  }

  stats(): { events: number; bytes: number } {
    const pages = Number(this.#db.pragma('page_count', { simple: true }));
    const size = Number(this.#db.pragma('page_size', { simple: true }));
    return { events: this.#sql.count.get()?.n ?? 0, bytes: pages * size };
  }

  /** Forgets what it holds in memory: after a transaction that was undone. */
  reload(): void {
    this.#cache.clear();
    this.search.reload();
  }

  #due(limit: number): { seq: number }[] {
    return this.#sql.expired.all(this.#now(), this.#now() - KEPT_LAPSED, limit);
  }

  #insert({ event, json }: VerifiedEvent): StoredEvent {
    this.#lastSeq += 1;
    const stored = { seq: this.#lastSeq, event, json };
    const rank = prefix48(event.id);
    const author = prefix48(event.pubkey);
    const { kind, created_at } = event;
    this.#sql.insert.run(stored.seq, rank, author, kind, created_at, expirationOf(event) ?? null, json);
    for (const [name, value] of indexedTags(event)) {
      this.#sql.insertTag.run(name, indexValue(value), created_at, rank, stored.seq, kind, author);
    }
    // Not cached before somebody asks for it: most events are written more often than they are read.
    return stored;
  }

  #erase(seq: number): void {
    const stored = this.#scanner.read(seq);
    if (stored === undefined) return;
    const { event } = stored;
    for (const [name, value] of indexedTags(event)) {
      this.#sql.deleteTag.run(name, indexValue(value), event.created_at, prefix48(event.id), seq);
    }
    this.#sql.delete.run(seq);
    this.search.remove(seq);
    const kind = kindClass(event.kind);
    if (kind === 'replaceable' || kind === 'addressable') {
      this.#sql.deleteCurrent.run(addressOf(event, kind === 'addressable'), seq);
    }
    this.#cache.delete(seq);
    this.onRemoved(event);
  }

  #isExpired(event: NostrEvent): boolean {
    const expires = expirationOf(event);
    return expires !== undefined && expires <= this.#now();
  }
}

/** The tombstone of a whole key, beside those of single addresses. */
function everythingBy(pubkey: string): string {
  return `*:${pubkey}:`;
}

function isNewer(event: NostrEvent, held: Version): boolean {
  if (event.created_at !== held.created_at) return event.created_at > held.created_at;
  return event.id < held.id;
}

function statements(db: Database) {
  const make = <Parameters extends unknown[], Row = unknown>(sql: string) =>
    db.prepare(sql) as Statement<Parameters, Row>;
  return {
    lastSeq: make<[], { seq: number | null }>('SELECT max(seq) AS seq FROM events'),
    count: make<[], { n: number }>('SELECT count(*) AS n FROM events'),
    insert: make<[number, number, number, number, number, number | null, string]>(
      'INSERT INTO events (seq, rank, author, kind, created_at, expires_at, json) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    delete: make<[number]>('DELETE FROM events WHERE seq = ?'),
    insertTag: make<[string, string | Buffer, number, number, number, number, number]>(
      'INSERT INTO tags (name, value, created_at, rank, seq, kind, author) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    deleteTag: make<[string, string | Buffer, number, number, number]>(
      'DELETE FROM tags WHERE name = ? AND value = ? AND created_at = ? AND rank = ? AND seq = ?',
    ),
    current: make<[string], Version>('SELECT seq, created_at, id FROM current WHERE address = ?'),
    setCurrent: make<[string, number, number, string]>(
      'INSERT OR REPLACE INTO current (address, seq, created_at, id) VALUES (?, ?, ?, ?)',
    ),
    deleteCurrent: make<[string, number]>('DELETE FROM current WHERE address = ? AND seq = ?'),
    expired: make<[number, number, number], { seq: number }>(
      `SELECT seq FROM events WHERE expires_at IS NOT NULL AND expires_at <= ?
       AND (kind NOT IN (${REQUEST_KINDS.join()}) OR expires_at <= ? OR instr(json, '["request",') = 0)
       ORDER BY expires_at LIMIT ?`,
    ),
    deletedId: make<[string, string]>('SELECT 1 FROM deleted_ids WHERE id = ? AND author = ?'),
    buryId: make<[string, string]>('INSERT OR IGNORE INTO deleted_ids (id, author) VALUES (?, ?)'),
    deletedAddress: make<[string], { until: number }>(
      'SELECT until FROM deleted_addresses WHERE address = ?',
    ),
    buryAddress: make<[string, number]>(
      `INSERT INTO deleted_addresses (address, until) VALUES (?, ?)
       ON CONFLICT (address) DO UPDATE SET until = max(until, excluded.until)`,
    ),
    bannedId: make<[string]>('SELECT 1 FROM banned_ids WHERE id = ?'),
    banId: make<[string, string, number]>(
      'INSERT OR REPLACE INTO banned_ids (id, reason, at) VALUES (?, ?, ?)',
    ),
    allowId: make<[string]>('DELETE FROM banned_ids WHERE id = ?'),
    listBanned: make<[], { id: string; reason: string; at: number }>(
      'SELECT id, reason, at FROM banned_ids ORDER BY at DESC, id',
    ),
  };
}
