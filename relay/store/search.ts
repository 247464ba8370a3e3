// The word index (NIP-50, FTS5). It is filled behind the writers, in slices, and remembers how far it is; what it has
// not reached yet is looked through word by word, so a search never misses what was just written.

import type { Database, Statement } from 'better-sqlite3';
import type { Policy } from '../policy.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { KIND } from '../protocol/kinds.ts';
import { searchText } from '../protocol/search.ts';

export type SearchMode = Policy['features']['search'];

/** Kinds whose content is prose. */
const PROSE = new Set<number>([
  ...[KIND.profile, KIND.note, KIND.chat, KIND.thread, KIND.threadReply, KIND.comment, KIND.article],
  ...[KIND.patch, KIND.pullRequest, KIND.issue, KIND.wikiPage, KIND.richContent],
  ...[KIND.jobRequest, KIND.jobResult, KIND.jobError, KIND.repository],
]);
/** Kinds whose content is sealed or no text at all, also when everything else is searched. */
const NEVER = new Set<number>([
  ...[KIND.encryptedMessage, KIND.seal, KIND.giftWrap, KIND.marmotMessage, KIND.reaction, KIND.deletion],
]);
const PROGRESS = 'search-progress';
const MODE = 'search-mode';
const PAGE = 64;

type Row = { seq: number; json: string };

export class SearchIndex {
  readonly #sql: ReturnType<typeof statements>;
  #progress: number;
  #mode: SearchMode;

  constructor(db: Database) {
    this.#sql = statements(db);
    this.#progress = this.#read(PROGRESS, 0);
    this.#mode = this.#sql.setting.get(MODE)?.value === 'full' ? 'full' : 'prose';
  }

  /** The last row that is indexed. */
  get progress(): number {
    return this.#progress;
  }

  /** Indexes the next events after the last; answers whether there are more. Call inside a transaction. */
  advance(mode: SearchMode, limit: number): boolean {
    if (mode === 'off') return false;
    if (mode !== this.#mode) this.#restart(mode);
    const rows = this.#sql.next.all(this.#progress, limit);
    for (const { seq, json } of rows) {
      const event: NostrEvent = JSON.parse(json);
      if (isSearched(event.kind, mode)) this.#sql.add.run(seq, searchText(event));
    }
    const last = rows.at(-1);
    if (last === undefined) return false;
    this.#progress = last.seq;
    this.#sql.set.run(PROGRESS, String(last.seq));
    return rows.length === limit;
  }

  /** Takes an event out; call for every one that is removed. */
  remove(seq: number): void {
    if (seq <= this.#progress) this.#sql.remove.run(seq);
  }

  /** Events that may hold all of the words, the last taken in first: ids of rows, to be tested. */
  *candidates(words: readonly string[]): Generator<number, void, void> {
    if (words.length === 0) return;
    const reached = this.#progress;
    yield* this.#unindexed(reached);
    // Words are letters and digits alone; the quotes make each a string even where it spells an operator.
    const match = words.map(word => `"${word}"`).join(' ');
    // The index goes on meanwhile: what it reaches only now has been looked through.
    let before = reached + 1;
    for (;;) {
      const page = this.#sql.match.all(match, before, PAGE);
      for (const { seq } of page) yield seq;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      before = last.seq;
    }
  }

  /** Rows the index has not reached when the search begins, however many: after an import it is behind for a while. */
  *#unindexed(from: number): Generator<number, void, void> {
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const page = this.#sql.tail.all(from, before, PAGE);
      for (const { seq } of page) yield seq;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      before = last.seq;
    }
  }

  isSearched(kind: number): boolean {
    return isSearched(kind, this.#mode);
  }

  reload(): void {
    this.#progress = this.#read(PROGRESS, 0);
    this.#mode = this.#sql.setting.get(MODE)?.value === 'full' ? 'full' : 'prose';
  }

  #restart(mode: 'prose' | 'full'): void {
    this.#sql.clear.run();
    this.#sql.set.run(MODE, mode);
    this.#mode = mode;
    this.#progress = 0;
  }

  #read(name: string, otherwise: number): number {
    const value = this.#sql.setting.get(name)?.value;
    return value === undefined ? otherwise : Number(value);
  }
}

function isSearched(kind: number, mode: SearchMode): boolean {
  return mode === 'full' ? !NEVER.has(kind) : PROSE.has(kind);
}

function statements(db: Database) {
  const make = <Parameters extends unknown[], Row = unknown>(sql: string) =>
    db.prepare(sql) as Statement<Parameters, Row>;
  return {
    setting: make<[string], { value: string }>('SELECT value FROM settings WHERE name = ?'),
    set: make<[string, string]>('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)'),
    next: make<[number, number], Row>('SELECT seq, json FROM events WHERE seq > ? ORDER BY seq LIMIT ?'),
    tail: make<[number, number, number], { seq: number }>(
      'SELECT seq FROM events WHERE seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?',
    ),
    add: make<[number, string]>('INSERT INTO search (rowid, text) VALUES (?, ?)'),
    remove: make<[number]>('DELETE FROM search WHERE rowid = ?'),
    clear: make<[]>("INSERT INTO search (search) VALUES ('delete-all')"),
    match: make<[string, number, number], { seq: number }>(
      'SELECT rowid AS seq FROM search WHERE search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
    ),
  };
}
