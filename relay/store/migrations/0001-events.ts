// Events, what is indexed of them, what was deleted, and named values.
//
// `rank` and `author` are the first 48 bits of id and key: an index of numbers is a third the size of one of keys,
// and every row found is checked against the whole filter anyway. `rank` also orders events of one second by id.

export const events = `
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  rank INTEGER NOT NULL,
  author INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  json TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_id ON events (rank);
CREATE INDEX events_by_author ON events (author, kind, created_at DESC, rank);
CREATE INDEX events_by_kind ON events (kind, created_at DESC, rank);
CREATE INDEX events_by_time ON events (created_at DESC, rank);
CREATE INDEX events_that_expire ON events (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE tags (
  name TEXT NOT NULL,
  value ANY NOT NULL,
  created_at INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  author INTEGER NOT NULL,
  PRIMARY KEY (name, value, created_at DESC, rank, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE current (
  address TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deleted_ids (
  id TEXT NOT NULL,
  author TEXT NOT NULL,
  PRIMARY KEY (id, author)
) STRICT, WITHOUT ROWID;

CREATE TABLE deleted_addresses (
  address TEXT PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE banned_ids (
  id TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
