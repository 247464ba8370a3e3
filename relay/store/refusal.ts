// The two ways the database can let us down: it cannot be opened as it is, or a write fails while it runs.

import { SqliteError } from 'better-sqlite3';

/** The data folder cannot be used as it is; the message is one line for a person. Nothing was changed. */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal';
}

/** A transaction that could not be kept; nothing of it was stored. `reason` is an `error:` text for clients. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  readonly reason: string;

  constructor(reason: string, cause: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

const REASONS: [RegExp, string][] = [
  [/^SQLITE_FULL/, 'error: the disk is full, nothing was stored'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'error: the database is damaged, nothing was stored'],
  [/^SQLITE_(IOERR|CANTOPEN|READONLY)/, 'error: the disk cannot be written, nothing was stored'],
  [/^SQLITE_(BUSY|LOCKED)/, 'error: the database is busy, try again'],
];

/** The failure behind an error of SQLite, or undefined when the error is another one. */
export function storeFailure(error: unknown): StoreFailure | undefined {
  if (error instanceof StoreFailure) return error;
  if (!(error instanceof SqliteError)) return undefined;
  const found = REASONS.find(([code]) => code.test(error.code));
  return found === undefined ? undefined : new StoreFailure(found[1], error);
}
