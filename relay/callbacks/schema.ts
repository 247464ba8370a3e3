// The tables of event callbacks, as one migration of the relay's schema (store/migrations.ts). Times that drive work
// are milliseconds, times that people see are seconds.

export const callbacks = `
CREATE TABLE callbacks (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  url TEXT NOT NULL,
  host TEXT NOT NULL,
  filter TEXT NOT NULL,
  secret BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  registered_ms INTEGER NOT NULL,
  last_delivery INTEGER NOT NULL,
  last_status TEXT NOT NULL,
  failures INTEGER NOT NULL,
  paused INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE callback_jobs (
  id INTEGER PRIMARY KEY,
  callback TEXT NOT NULL,
  event_id TEXT NOT NULL,
  json TEXT,
  attempts INTEGER NOT NULL,
  due_ms INTEGER NOT NULL,
  finished_ms INTEGER,
  UNIQUE (callback, event_id)
) STRICT;
CREATE INDEX callback_jobs_that_wait ON callback_jobs (callback, due_ms, id) WHERE finished_ms IS NULL;
CREATE INDEX callback_jobs_finished ON callback_jobs (finished_ms) WHERE finished_ms IS NOT NULL;

CREATE TABLE callback_log (
  id INTEGER PRIMARY KEY,
  callback TEXT NOT NULL,
  event_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  milliseconds INTEGER NOT NULL
) STRICT;
CREATE INDEX callback_log_by_callback ON callback_log (callback, id);

CREATE TABLE callback_plans (
  event_id TEXT PRIMARY KEY,
  json TEXT,
  accepted_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  due_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
