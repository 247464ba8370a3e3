// What answered a request for more access, as it was answered (spec/agent-grants.md section 4): the grant itself is
// replaced by the next one.

export const receipts = `
CREATE TABLE grant_receipts (
  request TEXT PRIMARY KEY,
  operator TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
