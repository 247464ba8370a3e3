// Finding the events of a filter, newest first, without ever sorting more than is asked for: each value of the
// condition that narrows most is one ordered range of an index, and the ranges are merged. Every row found is tested
// against the whole filter before anyone sees it.

import type { Database, Statement } from 'better-sqlite3';
import type { EventCursor, StoredEvent } from '../context.ts';
import type { Filter } from '../protocol/event.ts';
import { matcher, tagConditions } from '../protocol/filter.ts';
import { searchScore, searchWords } from '../protocol/search.ts';
import type { EventCache } from './event-cache.ts';
import { indexValue, prefix48 } from './keys.ts';
import { type Place, Range, type RangeBounds } from './range.ts';
import { RangeMerge } from './range-merge.ts';
import type { SearchIndex } from './search.ts';

export type ScanOptions = {
  /** Events strictly after this place of the order. */
  after?: EventCursor | undefined;
  /** Only events the relay took in no later than this one: a scan that pauses must not see what came meanwhile. */
  upTo?: number | undefined;
  /** Events whose time has passed as well. */
  expired?: boolean | undefined;
};

/** Tags in the order in which they narrow: few events share an id, many a room or a kind. */
const NARROWING = 'edaiqprEAIPQR';
/** Rows looked at between two points where a scan may pause. */
const PAUSE_ROWS = 200;
/** Above this many pairs of author and kind one range a kind is cheaper. */
const MAX_PAIRS = 2000;
const END = Number.MAX_SAFE_INTEGER;
/** Comparing words costs more than comparing values: searches pause earlier. */
const PAUSE_SEARCHED = 20;
/** Events that are weighed against each other in one search. */
const MOST_RANKED = 1000;

export class Scanner {
  readonly #db: Database;
  readonly #cache: EventCache;
  readonly #search: SearchIndex;
  readonly #statements = new Map<string, Statement<unknown[], Place>>();
  readonly #byRank: Statement<[number], Place>;
  readonly #jsonOf: Statement<[number], { json: string }>;
  readonly #nextKind: Statement<[number, number], { kind: number | null }>;

  constructor(db: Database, cache: EventCache, search: SearchIndex) {
    this.#db = db;
    this.#cache = cache;
    this.#search = search;
    this.#byRank = db.prepare('SELECT seq, created_at, rank FROM events WHERE rank = ?');
    this.#jsonOf = db.prepare('SELECT json FROM events WHERE seq = ?');
    this.#nextKind = db.prepare('SELECT min(kind) AS kind FROM events WHERE author = ? AND kind > ?');
  }

  /** Events that match, newest first, each once; `undefined` is a point where the caller may pause. */
  *run(filter: Filter, options: ScanOptions = {}): Generator<StoredEvent | undefined, void, void> {
    if (filter.search !== undefined) {
      yield* this.#ranked(filter, filter.search, options);
      return;
    }
    const test = matcher(filter);
    const upTo = options.upTo ?? END;
    let last = -1;
    let looked = 0;
    for (const place of this.#places(filter, options)) {
      looked += 1;
      if (looked % PAUSE_ROWS === 0) yield undefined;
      if (place === undefined) {
        yield undefined;
        continue;
      }
      if (place.seq === last || place.seq > upTo) continue;
      last = place.seq;
      const stored = this.read(place.seq);
      if (stored === undefined || !test(stored.event)) continue;
      if (options.after !== undefined && !isAfter(stored, options.after)) continue;
      yield stored;
    }
  }

  /** Events that hold the words, the best first (NIP-50), of the last so many taken in that do. */
  *#ranked(
    filter: Filter,
    query: string,
    options: ScanOptions,
  ): Generator<StoredEvent | undefined, void, void> {
    const test = matcher(filter);
    const found: { stored: StoredEvent; score: number }[] = [];
    let looked = 0;
    for (const seq of this.#search.candidates(searchWords(query))) {
      looked += 1;
      if (looked % PAUSE_SEARCHED === 0) yield undefined;
      const stored = seq > (options.upTo ?? END) ? undefined : this.read(seq);
      if (stored === undefined || !this.#search.isSearched(stored.event.kind) || !test(stored.event))
        continue;
      found.push({ stored, score: searchScore(query, stored.event) });
      if (found.length === MOST_RANKED) break;
    }
    found.sort((a, b) => b.score - a.score || b.stored.event.created_at - a.stored.event.created_at);
    for (const { stored } of found) yield stored;
  }

  /** The event of a row, from the cache or the table. */
  read(seq: number): StoredEvent | undefined {
    const cached = this.#cache.get(seq);
    if (cached !== undefined) return cached;
    const row = this.#jsonOf.get(seq);
    if (row === undefined) return undefined;
    const stored = { seq, json: row.json, event: JSON.parse(row.json) };
    this.#cache.set(stored);
    return stored;
  }

  /** The event with that id. */
  find(id: string): StoredEvent | undefined {
    for (const { seq } of this.#byRank.all(prefix48(id))) {
      const stored = this.read(seq);
      if (stored?.event.id === id) return stored;
    }
    return undefined;
  }

  *#places(filter: Filter, options: ScanOptions): Generator<Place | undefined, void, void> {
    if (filter.ids !== undefined) {
      yield* filter.ids.flatMap(id => this.#byRank.all(prefix48(id))).sort(inOrder);
      return;
    }
    const bounds: RangeBounds = {
      since: filter.since ?? 0,
      until: Math.min(filter.until ?? END, options.after?.created_at ?? END),
    };
    const merge = new RangeMerge();
    let opened = 0;
    const ranges = this.#ranges(filter);
    const firstPage = ranges.length === 1 ? 64 : Math.max(8, Math.ceil(128 / ranges.length));
    for (const range of ranges) {
      merge.add(new Range(range.statement, range.key, bounds, firstPage));
      opened += 1;
      if (opened % 64 === 0) yield undefined;
    }
    for (let place = merge.next(); place !== undefined; place = merge.next()) yield place;
  }

  #ranges(filter: Filter): { statement: Statement<unknown[], Place>; key: unknown[] }[] {
    const tag = narrowestTag(filter);
    const kinds = filter.kinds;
    if (tag !== undefined) {
      const [name, values] = tag;
      const statement = this.#statement('tags', 'name = ? AND value = ?', filter);
      const extra = listParameters(filter);
      return values.map(value => ({ statement, key: [name, indexValue(value), ...extra] }));
    }
    const authors = filter.authors?.map(prefix48);
    if (authors !== undefined && authors.length * (kinds?.length ?? 1) <= MAX_PAIRS) {
      const statement = this.#statement('events', 'author = ? AND kind = ?', {});
      return authors.flatMap(author =>
        (kinds ?? this.#kindsOf(author)).map(kind => ({ statement, key: [author, kind] })),
      );
    }
    if (kinds !== undefined) {
      const rest: Filter = filter.authors === undefined ? {} : { authors: filter.authors };
      const statement = this.#statement('events', 'kind = ?', rest);
      return kinds.map(kind => ({ statement, key: [kind, ...listParameters(rest)] }));
    }
    const statement = this.#statement('events', 'TRUE', filter);
    return [{ statement, key: listParameters(filter) }];
  }

  #kindsOf(author: number): number[] {
    const kinds: number[] = [];
    for (;;) {
      const kind = this.#nextKind.get(author, kinds.at(-1) ?? -1)?.kind ?? null;
      if (kind === null) return kinds;
      kinds.push(kind);
    }
  }

  /**
   * One of a handful of statements: table, key, and whether kinds and authors are tested in the index as well. The
   * plus signs keep SQLite from walking those lists instead of the ordered range.
   */
  #statement(table: string, key: string, filter: Filter): Statement<unknown[], Place> {
    const kinds = filter.kinds === undefined ? '' : ' AND +kind IN (SELECT value FROM json_each(?))';
    const authors = filter.authors === undefined ? '' : ' AND +author IN (SELECT value FROM json_each(?))';
    const sql =
      `SELECT seq, created_at, rank FROM ${table} WHERE ${key}${kinds}${authors}` +
      ' AND created_at BETWEEN ? AND ? AND (created_at < ? OR rank > ? OR (rank = ? AND seq > ?))' +
      ' ORDER BY created_at DESC, rank, seq LIMIT ?';
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare<unknown[], Place>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function listParameters(filter: Filter): string[] {
  const lists: string[] = [];
  if (filter.kinds !== undefined) lists.push(JSON.stringify(filter.kinds));
  if (filter.authors !== undefined) lists.push(JSON.stringify(filter.authors.map(prefix48)));
  return lists;
}

function narrowestTag(filter: Filter): [string, string[]] | undefined {
  const weight = (name: string) => (NARROWING.includes(name) ? NARROWING.indexOf(name) : NARROWING.length);
  return tagConditions(filter).sort(([a], [b]) => weight(a) - weight(b))[0];
}

function inOrder(a: Place, b: Place): number {
  return b.created_at - a.created_at || a.rank - b.rank || a.seq - b.seq;
}

function isAfter({ event }: StoredEvent, cursor: EventCursor): boolean {
  if (event.created_at !== cursor.created_at) return event.created_at < cursor.created_at;
  return event.id > cursor.id;
}
