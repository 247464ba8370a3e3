// The POSTs that are planned, those that were made, and events whose planning is still owed. A finished job stays for a
// while, so that planning an event again does not deliver it again.

import type { Database, Statement } from 'better-sqlite3';

/** `json` is the event itself when it is ephemeral, null when it is stored. `attempts` made so far. */
export type Job = {
  id: number;
  callback: string;
  event_id: string;
  json: string | null;
  attempts: number;
  due_ms: number;
};

export type LogEntry = {
  event_id: string;
  attempt: number;
  /** Unix seconds. */
  at: number;
  /** HTTP status, 0 without an answer. */
  status: number;
  /** '' after a success. */
  outcome: string;
  milliseconds: number;
};

export type OwedPlan = {
  event_id: string;
  json: string | null;
  accepted_ms: number;
  attempts: number;
  due_ms: number;
};

const LOG_ENTRIES = 50;

export class JobRows {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: Database) {
    this.#sql = statements(db);
  }

  /** Plans a POST unless that event has been planned for the callback before. */
  add(callback: string, event_id: string, json: string | null, due_ms: number): void {
    this.#sql.add.run(callback, event_id, json, due_ms);
  }

  /** Plans a POST of an event whatever has been done with it; what it was planned with before is forgotten. */
  addAgain(callback: string, event_id: string, json: string | null, due_ms: number): void {
    this.#sql.again.run(callback, event_id, json, due_ms);
  }

  /** The job of a callback that is due first. */
  next(callback: string): Job | null {
    return this.#sql.next.get(callback) ?? null;
  }

  /** How many wait, by callback. */
  waiting(): Map<string, number> {
    return new Map(this.#sql.waiting.all().map(({ callback, jobs }) => [callback, jobs]));
  }

  retryAt(job: number, due_ms: number): void {
    this.#sql.retry.run(due_ms, job);
  }

  finish(job: number, finished_ms: number): void {
    this.#sql.finish.run(finished_ms, job);
  }

  /** Forgets what waits for a callback. */
  dropWaiting(callback: string): void {
    this.#sql.dropWaiting.run(callback);
  }

  /** Forgets everything of a callback. */
  removeCallback(callback: string): void {
    this.#sql.removeJobs.run(callback);
    this.#sql.removeLog.run(callback);
  }

  /** Forgets jobs finished before that time. */
  forgetFinished(before_ms: number): void {
    this.#sql.forget.run(before_ms);
  }

  /** Nothing waits longer than until then. */
  bringForward(latest_ms: number): void {
    this.#sql.bringForward.run(latest_ms);
  }

  /** Adds an entry to a callback's log, which keeps its last 50. */
  log(callback: string, entry: LogEntry): void {
    this.#sql.addLog.run({ ...entry, callback });
    this.#sql.trimLog.run(callback, callback, LOG_ENTRIES);
  }

  /** Newest first. */
  logOf(callback: string): LogEntry[] {
    return this.#sql.logOf.all(callback);
  }

  owe(plan: OwedPlan): void {
    this.#sql.owe.run(plan);
  }

  /** Planning that is owed, the one due first in front. */
  owed(): OwedPlan[] {
    return this.#sql.owed.all();
  }

  settle(event_id: string): void {
    this.#sql.settle.run(event_id);
  }
}

function statements(db: Database) {
  const make = <Parameters extends unknown[], Row = unknown>(sql: string) =>
    db.prepare(sql) as Statement<Parameters, Row>;
  const columns = '(callback, event_id, json, attempts, due_ms) VALUES (?, ?, ?, 0, ?)';
  return {
    add: make<[string, string, string | null, number]>(`INSERT OR IGNORE INTO callback_jobs ${columns}`),
    again: make<[string, string, string | null, number]>(`INSERT OR REPLACE INTO callback_jobs ${columns}`),
    next: make<[string], Job>(
      `SELECT id, callback, event_id, json, attempts, due_ms FROM callback_jobs
       WHERE callback = ? AND finished_ms IS NULL ORDER BY due_ms, id LIMIT 1`,
    ),
    waiting: make<[], { callback: string; jobs: number }>(
      'SELECT callback, count(*) AS jobs FROM callback_jobs WHERE finished_ms IS NULL GROUP BY callback',
    ),
    retry: make<[number, number]>(
      'UPDATE callback_jobs SET attempts = attempts + 1, due_ms = ? WHERE id = ?',
    ),
    finish: make<[number, number]>(
      'UPDATE callback_jobs SET attempts = attempts + 1, json = NULL, finished_ms = ? WHERE id = ?',
    ),
    dropWaiting: make<[string]>('DELETE FROM callback_jobs WHERE callback = ? AND finished_ms IS NULL'),
    removeJobs: make<[string]>('DELETE FROM callback_jobs WHERE callback = ?'),
    removeLog: make<[string]>('DELETE FROM callback_log WHERE callback = ?'),
    forget: make<[number]>('DELETE FROM callback_jobs WHERE finished_ms < ?'),
    bringForward: make<[number]>(
      'UPDATE callback_jobs SET due_ms = min(due_ms, ?) WHERE finished_ms IS NULL',
    ),
    addLog: make<[LogEntry & { callback: string }]>(
      `INSERT INTO callback_log (callback, event_id, attempt, at, status, outcome, milliseconds)
       VALUES (@callback, @event_id, @attempt, @at, @status, @outcome, @milliseconds)`,
    ),
    trimLog: make<[string, string, number]>(
      `DELETE FROM callback_log WHERE callback = ? AND id <=
       (SELECT id FROM callback_log WHERE callback = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
    ),
    logOf: make<[string], LogEntry>(
      `SELECT event_id, attempt, at, status, outcome, milliseconds FROM callback_log
       WHERE callback = ? ORDER BY id DESC`,
    ),
    owe: make<[OwedPlan]>(
      `INSERT OR REPLACE INTO callback_plans (event_id, json, accepted_ms, attempts, due_ms)
       VALUES (@event_id, @json, @accepted_ms, @attempts, @due_ms)`,
    ),
    owed: make<[], OwedPlan>('SELECT * FROM callback_plans ORDER BY due_ms'),
    settle: make<[string]>('DELETE FROM callback_plans WHERE event_id = ?'),
  };
}
