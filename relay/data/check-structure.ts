// The structure of the database, and rows that point at nothing.

import { type Database, SqliteError } from 'better-sqlite3';

/** Tells each problem; false when the pages themselves are damaged. */
export function checkStructure(db: Database, tell: (problem: string) => void): boolean {
  try {
    const found = (db.pragma('integrity_check(20)') as { integrity_check: string }[]).map(
      row => row.integrity_check,
    );
    if (found.length !== 1 || found[0] !== 'ok') {
      for (const line of found) tell(`database: ${line}`);
      return false;
    }
    const tables = new Set(db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all());
    for (const orphan of ORPHANS) if (tables.has(orphan.table)) tellOrphans(db, orphan, tell);
    return true;
  } catch (error) {
    if (!(error instanceof SqliteError)) throw error;
    tell(`database: ${error.message}`);
    return false;
  }
}

type Orphan = { table: string; why: string; rows: string; name: string };

/** `rows` selects what is wrong; `name` is what of it is shown. */
const ORPHANS: readonly Orphan[] = [
  {
    table: 'tags',
    why: 'index an event that is not there',
    rows: 'FROM tags AS t WHERE NOT EXISTS (SELECT 1 FROM events AS e WHERE e.seq = t.seq)',
    name: "t.name || ' of ' || t.seq",
  },
  {
    table: 'current',
    why: 'name a version that is not there',
    rows: 'FROM current AS c WHERE NOT EXISTS (SELECT 1 FROM events AS e WHERE e.seq = c.seq)',
    name: 'c.address',
  },
  {
    table: 'room_members',
    why: 'are in a room that is not there',
    rows: 'FROM room_members AS m WHERE NOT EXISTS (SELECT 1 FROM rooms AS r WHERE r.id = m.room)',
    name: "m.room || ' ' || m.pubkey",
  },
  {
    table: 'members',
    why: 'have the role agent without a grant that stands',
    rows: `FROM members AS m WHERE m.role = 'agent'
           AND NOT EXISTS (SELECT 1 FROM grants AS g WHERE g.agent = m.pubkey AND g.revoked = 0)`,
    name: 'm.pubkey',
  },
  {
    table: 'members',
    why: 'are banned and members at once',
    rows: 'FROM members AS m WHERE EXISTS (SELECT 1 FROM banned_keys AS b WHERE b.pubkey = m.pubkey)',
    name: 'm.pubkey',
  },
  ...['callback_jobs', 'callback_log'].map(table => ({
    table,
    why: 'belong to a callback that is not there',
    rows: `FROM ${table} AS t WHERE NOT EXISTS (SELECT 1 FROM callbacks AS c WHERE c.id = t.callback)`,
    name: 't.callback',
  })),
];

const SHOWN = 3;

function tellOrphans(
  db: Database,
  { table, why, rows, name }: Orphan,
  tell: (problem: string) => void,
): void {
  const count = Number(db.prepare(`SELECT count(*) ${rows}`).pluck().get());
  if (count === 0) return;
  const shown = db.prepare(`SELECT ${name} ${rows} LIMIT ${SHOWN}`).pluck().all().join(', ');
  tell(`${table}: ${count} rows ${why} (${shown}${count > SHOWN ? ', ...' : ''})`);
}
