// Who is here and what they may do: members, grants, rooms, bans, and the record of every change.

export const community = `
CREATE TABLE members (
  pubkey TEXT PRIMARY KEY,
  role TEXT NOT NULL CHECK (role IN ('moderator', 'member', 'agent')),
  name TEXT NOT NULL,
  note TEXT NOT NULL,
  invited_by TEXT NOT NULL,
  via TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
  agent TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  event_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  name TEXT NOT NULL,
  expires INTEGER NOT NULL,
  paused INTEGER NOT NULL,
  revoked INTEGER NOT NULL,
  scope TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE rooms (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  about TEXT NOT NULL,
  picture TEXT NOT NULL,
  access TEXT NOT NULL CHECK (access IN ('open', 'members')),
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  event_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE room_members (
  room TEXT NOT NULL,
  pubkey TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  added_at INTEGER NOT NULL,
  PRIMARY KEY (room, pubkey)
) STRICT, WITHOUT ROWID;

CREATE TABLE banned_keys (
  pubkey TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE blocked_ips (
  ip TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
`;
