// What people reported (NIP-56, spec/management.md section 5). Who reported which event openly is also held in memory:
// every read asks whether an event has been reported too often.

import type { Database, Statement } from 'better-sqlite3';
import type { ReportRecord, ReportStore } from '../context.ts';

type Row = Omit<ReportRecord, 'counts'> & { counts: number };

export class SqliteReports implements ReportStore {
  readonly #sql: ReturnType<typeof statements>;
  /** Events under open reports that count, with the keys that made them. */
  #reporters = new Map<string, Set<string>>();

  constructor(db: Database) {
    this.#sql = statements(db);
    this.reload();
  }

  get(id: string): ReportRecord | null {
    const row = this.#sql.get.get(id);
    return row === undefined ? null : record(row);
  }

  list(status: 'open' | 'resolved' | 'all', limit: number): ReportRecord[] {
    const rows = status === 'all' ? this.#sql.all.all(limit) : this.#sql.byStatus.all(status, limit);
    return rows.map(record);
  }

  openOn(event: string): ReportRecord[] {
    return this.#sql.openOn.all(event).map(record);
  }

  reporterCount(event: string): number {
    return this.#reporters.get(event)?.size ?? 0;
  }

  add(report: ReportRecord): void {
    this.#sql.add.run({ ...report, counts: report.counts ? 1 : 0 });
    this.#count(report);
  }

  resolve(id: string, decision: { by: string; at: number; action: string }): void {
    this.#sql.resolve.run({ id, ...decision });
    this.#recount(id);
  }

  /** Forgets a report that its author or a moderator has taken back before it was looked at. */
  withdraw(id: string): void {
    const report = this.#sql.get.get(id);
    if (report?.status !== 'open') return;
    this.#sql.remove.run(id);
    this.#recountEvent(report.target_event);
  }

  reload(): void {
    this.#reporters = new Map();
    for (const row of this.#sql.counting.all()) this.#count(record(row));
  }

  #recount(id: string): void {
    const report = this.#sql.get.get(id);
    if (report !== undefined) this.#recountEvent(report.target_event);
  }

  #recountEvent(event: string): void {
    this.#reporters.delete(event);
    for (const report of this.openOn(event)) this.#count(report);
  }

  #count({ target_event, reporter, counts, status }: ReportRecord): void {
    if (!counts || status !== 'open' || target_event === '') return;
    const known = this.#reporters.get(target_event);
    if (known === undefined) this.#reporters.set(target_event, new Set([reporter]));
    else known.add(reporter);
  }
}

function record(row: Row): ReportRecord {
  return { ...row, counts: row.counts !== 0 };
}

function statements(db: Database) {
  const make = <Parameters extends unknown[], Row = unknown>(sql: string) =>
    db.prepare(sql) as Statement<Parameters, Row>;
  return {
    get: make<[string], Row>('SELECT * FROM reports WHERE id = ?'),
    all: make<[number], Row>('SELECT * FROM reports ORDER BY at DESC, id LIMIT ?'),
    byStatus: make<[string, number], Row>(
      'SELECT * FROM reports WHERE status = ? ORDER BY at DESC, id LIMIT ?',
    ),
    openOn: make<[string], Row>(
      `SELECT * FROM reports WHERE target_event = ? AND status = 'open' ORDER BY at DESC, id`,
    ),
    counting: make<[], Row>(`SELECT * FROM reports WHERE status = 'open' AND counts = 1`),
    add: make<[Row]>(
      `INSERT OR IGNORE INTO reports (id, reporter, target_event, target_pubkey, type, content, at, counts,
         status, resolved_by, resolved_at, action)
       VALUES (@id, @reporter, @target_event, @target_pubkey, @type, @content, @at, @counts,
         @status, @resolved_by, @resolved_at, @action)`,
    ),
    resolve: make<[{ id: string; by: string; at: number; action: string }]>(
      `UPDATE reports SET status = 'resolved', resolved_by = @by, resolved_at = @at, action = @action
       WHERE id = @id AND status = 'open'`,
    ),
    remove: make<[string]>('DELETE FROM reports WHERE id = ?'),
  };
}
