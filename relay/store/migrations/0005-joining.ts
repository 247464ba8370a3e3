// How people come in: invite codes, and the requests of those who have none (spec/management.md section 4).

export const joining = `
CREATE TABLE invites (
  code TEXT PRIMARY KEY,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  max_uses INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  revoked INTEGER NOT NULL,
  note TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE join_requests (
  pubkey TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied')),
  decided_by TEXT NOT NULL,
  decided_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
