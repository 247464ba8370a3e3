// `tiny relay check`: is the database sound, does every row belong to another, is every event what its author signed,
// and does every grant say what its event says? Reads one moment of it, beside a relay that may be running.

import type { Database } from 'better-sqlite3';
import { SignaturePool } from '../verify/signature-pool.ts';
import { checkEvents } from './check-events.ts';
import { checkGrants } from './check-grants.ts';
import { checkStructure } from './check-structure.ts';
import { openForReading } from './reading.ts';

export type CheckOptions = {
  /** Called with each problem, one line for a person. */
  onProblem(problem: string): void;
  /** Called now and then with the number of events checked and to check. */
  onProgress?(checked: number, total: number): void;
};

export type CheckReport = { events: number; problems: number };

/** Throws StoreRefusal when the database cannot be read at all. */
export async function check(data: string, options: CheckOptions): Promise<CheckReport> {
  const db = openForReading(data);
  const pool = new SignaturePool();
  // The pool's threads do not keep the process alive, and while they work nothing else does.
  const alive = setInterval(() => {}, 3_600_000);
  let problems = 0;
  const tell = (problem: string) => {
    problems += 1;
    options.onProblem(problem);
  };
  try {
    // What follows a damaged structure would only be noise, or throw.
    if (!checkStructure(db, tell)) return { events: 0, problems };
    const events = await inOneMoment(db, async () => {
      checkGrants(db, tell);
      return checkEvents(db, { pool, tell, onProgress: options.onProgress ?? (() => {}) });
    });
    return { events, problems };
  } finally {
    clearInterval(alive);
    await pool.close();
    db.close();
  }
}

async function inOneMoment<T>(db: Database, work: () => Promise<T>): Promise<T> {
  db.exec('BEGIN');
  try {
    return await work();
  } finally {
    db.exec('ROLLBACK');
  }
}
