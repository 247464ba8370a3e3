// Reports (NIP-56) and how long the events of a kind are kept (spec/management.md section 5).

export const moderation = `
CREATE TABLE reports (
  id TEXT PRIMARY KEY,
  reporter TEXT NOT NULL,
  target_event TEXT NOT NULL,
  target_pubkey TEXT NOT NULL,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  at INTEGER NOT NULL,
  counts INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'resolved')),
  resolved_by TEXT NOT NULL,
  resolved_at INTEGER NOT NULL,
  action TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX reports_by_status ON reports (status, at DESC, id);
CREATE INDEX reports_by_target ON reports (target_event, status);

CREATE TABLE retention (
  kind INTEGER PRIMARY KEY,
  days INTEGER NOT NULL
) STRICT;
`;
