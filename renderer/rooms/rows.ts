// A conversation as rows: days, the mark of what is new, messages of one author joined; and rows as blocks, so that
// a long room is drawn only where it is looked at.

import type { Entry } from './conversation.ts';

export type Row = {
  entry: Entry;
  /** True when it follows a message of the same author closely and needs no head of its own. */
  joins: boolean;
  /** Start of its day in milliseconds, on the first row of a day. */
  day: number | undefined;
  /** True on the first row the person has not read. */
  unread: boolean;
};

export type Block = { number: number; rows: readonly Row[] };

/** Seconds within which messages of one author join. */
const JOIN_WITHIN = 5 * 60;
const BLOCK = 40;

/** Start of the day a second lies in; most rows lie in the day of the one before, which is worth remembering. */
function dayFinder(): (seconds: number) => number {
  let start = 0;
  let end = 0;
  return seconds => {
    const at = seconds * 1000;
    if (at >= start && at < end) return start;
    const day = new Date(at);
    start = day.setHours(0, 0, 0, 0);
    end = day.setDate(day.getDate() + 1);
    return start;
  };
}

/** Rows of the entries, oldest first. `readTo` is where the person had read when the room was opened. */
export function rowsOf(entries: readonly Entry[], readTo: number | undefined, me: string): Row[] {
  const rows: Row[] = [];
  let before: Entry | undefined;
  let day = Number.NaN;
  const dayStart = dayFinder();
  let marked = readTo === undefined;
  for (const entry of entries) {
    const start = dayStart(entry.at);
    const unread = !marked && entry.at > (readTo ?? 0) && entry.author !== me && before !== undefined;
    if (entry.at > (readTo ?? 0) && entry.author !== me) marked = true;
    const newDay = start !== day;
    rows.push({
      entry,
      joins: !newDay && !unread && joins(before, entry),
      day: newDay ? start : undefined,
      unread,
    });
    day = start;
    before = entry;
  }
  return rows;
}

function joins(before: Entry | undefined, entry: Entry): boolean {
  if (before?.kind !== 'message' || entry.kind !== 'message') return false;
  if (before.answers.length > 0) return false;
  return before.author === entry.author && entry.at - before.at < JOIN_WITHIN;
}

/**
 * Rows in blocks of 40. The row of `anchor` begins block 0 and earlier blocks count backwards from it, so that what
 * is loaded above leaves the blocks below as they are.
 */
export function blocksOf(rows: readonly Row[], anchor: string | undefined, old: readonly Block[]): Block[] {
  const found = rows.findIndex(row => row.entry.id === anchor);
  const zero = Math.max(found, 0);
  const known = new Map(old.map(block => [block.number, block]));
  const blocks: Block[] = [];
  let start = 0;
  while (start < rows.length) {
    const number = Math.floor((start - zero) / BLOCK);
    const end = Math.min(rows.length, zero + (number + 1) * BLOCK);
    blocks.push(keptBlock({ number, rows: rows.slice(start, end) }, known.get(number)));
    start = end;
  }
  return blocks;
}

function keptBlock(block: Block, old: Block | undefined): Block {
  if (!old || old.rows.length !== block.rows.length) return block;
  const same = block.rows.every((row, index) => {
    const other = old.rows[index];
    return (
      other !== undefined &&
      other.entry === row.entry &&
      other.joins === row.joins &&
      other.day === row.day &&
      other.unread === row.unread
    );
  });
  return same ? old : block;
}
