// Every stored event against its own JSON, id, signature and index rows, and against the tombstones.

import type { Database } from 'better-sqlite3';
import type { NostrEvent } from '../protocol/event.ts';
import { kindClass } from '../protocol/kinds.ts';
import { parseEvent } from '../protocol/parse-event.ts';
import { expirationOf } from '../protocol/tags.ts';
import { SqliteEvents } from '../store/events.ts';
import { addressOf, indexedTags, indexValue, prefix48 } from '../store/keys.ts';
import type { SignaturePool } from '../verify/signature-pool.ts';
import { hasOwnId } from '../verify/verified-event.ts';

export type EventCheck = {
  pool: SignaturePool;
  tell(problem: string): void;
  onProgress(checked: number, total: number): void;
};

type Row = {
  seq: number;
  rank: number;
  author: number;
  kind: number;
  created_at: number;
  expires_at: number | null;
  json: string;
};

const BATCH = 500;
/** What was stored once was inside the limits of that day. */
const NO_CAPS = { tags: Number.MAX_SAFE_INTEGER, contentCharacters: Number.MAX_SAFE_INTEGER };

/** Answers how many events there are. */
export async function checkEvents(db: Database, { pool, tell, onProgress }: EventCheck): Promise<number> {
  const total = Number(db.prepare('SELECT count(*) FROM events').pluck().get());
  const page = db.prepare<[number, number], Row>('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?');
  const rows = new RowCheck(db);
  let checked = 0;
  let indexed = 0;
  for (let batch = page.all(-1, BATCH); batch.length > 0; batch = page.all(batch.at(-1)!.seq, BATCH)) {
    const results = await Promise.all(batch.map(row => checkEvent(row, rows, pool)));
    for (const { problem, tags } of results) {
      if (problem !== null) tell(problem);
      indexed += tags;
    }
    checked += batch.length;
    onProgress(checked, total);
  }
  const inIndex = Number(db.prepare('SELECT count(*) FROM tags').pluck().get());
  if (inIndex > indexed) tell(`tags: ${inIndex - indexed} rows more than the events have tags`);
  return total;
}

async function checkEvent(row: Row, rows: RowCheck, pool: SignaturePool) {
  const event = eventOf(row.json);
  if (event === null) return { problem: `event ${row.seq}: its JSON is not an event`, tags: 0 };
  const problem = await eventProblem(row, event, rows, pool);
  const told = problem === null ? null : `event ${event.id}: ${problem}`;
  return { problem: told, tags: indexedTags(event).length };
}

async function eventProblem(row: Row, event: NostrEvent, rows: RowCheck, pool: SignaturePool) {
  if (!hasOwnId(event)) return 'its id is not the hash of its content';
  if (!(await pool.check(event))) return "its signature is not its author's";
  return rows.problem(row, event);
}

/** The event in the stored JSON, when it is exactly what we would store. */
function eventOf(json: string): NostrEvent | null {
  try {
    const parsed = parseEvent(JSON.parse(json), NO_CAPS);
    return parsed.ok && JSON.stringify(parsed.value) === json ? parsed.value : null;
  } catch {
    // Not JSON: told as such.
    return null;
  }
}

/** What the tables say about an event, compared with what the event says. */
class RowCheck {
  readonly #events: SqliteEvents;
  readonly #hasTag;
  readonly #current;

  constructor(db: Database) {
    this.#events = new SqliteEvents(db, () => 0);
    this.#hasTag = db.prepare<unknown[]>(
      `SELECT 1 FROM tags WHERE name = ? AND value = ? AND created_at = ? AND rank = ? AND seq = ?
       AND kind = ? AND author = ?`,
    );
    this.#current = db.prepare<[string], { seq: number }>('SELECT seq FROM current WHERE address = ?');
  }

  problem(row: Row, event: NostrEvent): string | null {
    const { seq, rank, author, kind, created_at } = row;
    const expires = expirationOf(event) ?? null;
    if (rank !== prefix48(event.id) || author !== prefix48(event.pubkey))
      return 'its row has another id or author';
    if (kind !== event.kind || created_at !== event.created_at) return 'its row has another kind or time';
    if (row.expires_at !== expires) return 'its row has another expiry';
    const missing = indexedTags(event).find(
      ([name, value]) =>
        this.#hasTag.get(name, indexValue(value), created_at, rank, seq, kind, author) === undefined,
    );
    if (missing !== undefined) return `its tag ${missing[0]} is not indexed`;
    const held = kindClass(event.kind);
    if (held === 'ephemeral') return 'an ephemeral event is stored';
    if (held !== 'regular' && this.#current.get(addressOf(event, held === 'addressable'))?.seq !== seq) {
      return 'a replaceable event that is not the version in force';
    }
    return this.#events.isTakenBack(event) ? 'it was deleted and is stored all the same' : null;
  }
}
