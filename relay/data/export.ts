// `tiny relay export`: every event as one JSON line, in the order in which the relay took them in, so that an import
// meets rooms, grants and requests before what depends on them.

import { type FileHandle, open } from 'node:fs/promises';
import type { Database } from 'better-sqlite3';
import { isHex64 } from '../protocol/tags.ts';
import { prefix48 } from '../store/keys.ts';
import { StoreRefusal } from '../store/refusal.ts';
import { isTaken } from './files.ts';
import { openForReading } from './reading.ts';

export type ExportOptions = {
  /** Go on after the last whole line of a file that an earlier export left. */
  resume?: boolean;
  onProgress?(lines: number): void;
};

export type ExportReport = { lines: number; resumedAfter: number };

type Row = { seq: number; json: string };

const BATCH = 500;
/** How far back an interrupted file is searched for an event that is still stored. */
const TAIL_BYTES = 4 * 1024 * 1024;

/** Writes to the file, 0600 and synced; expired events are left out. Throws StoreRefusal when the file is there. */
export async function exportEvents(
  data: string,
  path: string,
  options: ExportOptions = {},
): Promise<ExportReport> {
  const resume = options.resume ?? false;
  if (!resume && (await isTaken(path))) {
    throw new StoreRefusal(`${path} exists: choose another name, or --resume to go on with it`);
  }
  const db = openForReading(data);
  try {
    await using file = await open(path, resume ? 'a+' : 'wx', 0o600);
    const start = resume ? await resumePoint(db, file, path) : 0;
    let lines = 0;
    await writeEvents(db, start, async (text, count) => {
      await file.writeFile(text);
      lines += count;
      options.onProgress?.(lines);
    });
    await file.sync();
    return { lines, resumedAfter: start };
  } finally {
    db.close();
  }
}

/** The same to any writer, such as standard output; answers the number of lines. */
export async function exportTo(data: string, write: (text: string) => Promise<void>): Promise<number> {
  const db = openForReading(data);
  let lines = 0;
  try {
    await writeEvents(db, 0, async (text, count) => {
      await write(text);
      lines += count;
    });
  } finally {
    db.close();
  }
  return lines;
}

async function writeEvents(
  db: Database,
  after: number,
  write: (text: string, count: number) => Promise<void>,
): Promise<void> {
  const page = db.prepare<[number, number, number], Row>(
    `SELECT seq, json FROM events WHERE seq > ? AND (expires_at IS NULL OR expires_at > ?)
     ORDER BY seq LIMIT ?`,
  );
  const now = Math.floor(Date.now() / 1000);
  for (
    let rows = page.all(after, now, BATCH);
    rows.length > 0;
    rows = page.all(rows.at(-1)!.seq, now, BATCH)
  ) {
    await write(rows.map(row => `${row.json}\n`).join(''), rows.length);
  }
}

/** Cuts a half-written line off and answers the place of the last event of the file that is still stored. */
async function resumePoint(db: Database, file: FileHandle, path: string): Promise<number> {
  const { size } = await file.stat();
  const length = Math.min(size, TAIL_BYTES);
  const tail = Buffer.alloc(length);
  await file.read(tail, 0, length, size - length);
  const whole = tail.lastIndexOf(0x0a) + 1;
  if (whole < length) await file.truncate(size - length + whole);
  const lines = tail
    .toString('utf8', 0, whole)
    .split('\n')
    .filter(line => line !== '')
    .reverse();
  for (const line of lines) {
    const seq = placeOf(db, line);
    if (seq !== null) return seq;
  }
  if (size === 0) return 0;
  throw new StoreRefusal(`${path} does not end with events of this relay: it was not gone on with`);
}

function placeOf(db: Database, line: string): number | null {
  let id: unknown;
  try {
    id = (JSON.parse(line) as { id?: unknown } | null)?.id;
  } catch {
    // The first line of the tail may be the end of a longer one.
    return null;
  }
  if (!isHex64(id)) return null;
  const rows = db.prepare<[number], Row>('SELECT seq, json FROM events WHERE rank = ?').all(prefix48(id));
  return rows.find(row => row.json === line)?.seq ?? null;
}
