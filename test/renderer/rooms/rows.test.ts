import { expect, test } from 'vitest';
import { Conversation } from '../../../renderer/rooms/conversation.ts';
import { type Block, blocksOf, rowsOf } from '../../../renderer/rooms/rows.ts';
import { anna, answerTo, message, robin } from './some-events.ts';

const noon = Math.floor(new Date(2026, 5, 10, 12).getTime() / 1000);

function entriesOf(...events: Parameters<Conversation['add']>[0][]) {
  const made = new Conversation();
  for (const event of events) made.add(event);
  return made.entries();
}

test('messages of one author join within five minutes, and not over an answer or a day', () => {
  const first = message(anna, noon);
  const rows = rowsOf(
    entriesOf(
      first,
      message(anna, noon + 60),
      message(robin, noon + 90),
      message(anna, noon + 100),
      message(anna, noon + 900),
      message(anna, noon + 86_400),
    ),
    undefined,
    robin,
  );
  expect(rows.map(row => row.joins)).toEqual([false, true, false, false, false, false]);
  expect(rows.map(row => row.day !== undefined)).toEqual([true, false, false, false, false, true]);
  const answered = rowsOf(
    entriesOf(first, answerTo(first, robin, noon + 5), message(anna, noon + 10)),
    undefined,
    robin,
  );
  expect(answered.map(row => row.joins)).toEqual([false, false]);
});

test('the mark of what is new stands once, before the first unread message of somebody else', () => {
  const entries = entriesOf(
    message(anna, noon),
    message(robin, noon + 60),
    message(anna, noon + 120),
    message(anna, noon + 180),
  );
  expect(rowsOf(entries, noon + 30, robin).map(row => row.unread)).toEqual([false, false, true, false]);
  expect(rowsOf(entries, noon + 180, robin).some(row => row.unread)).toBe(false);
  expect(rowsOf(entries, undefined, robin).some(row => row.unread)).toBe(false);
});

test('what is loaded above leaves the blocks below as they are', () => {
  const later = Array.from({ length: 100 }, (_, index) => message(anna, noon + index));
  const earlier = Array.from({ length: 55 }, (_, index) => message(anna, noon - 100 + index));
  const made = new Conversation();
  for (const event of later) made.add(event);
  const anchor = made.entries()[0]?.id;
  const before = blocksOf(rowsOf(made.entries(), undefined, robin), anchor, []);
  expect(before.map(block => [block.number, block.rows.length])).toEqual([
    [0, 40],
    [1, 40],
    [2, 20],
  ]);
  for (const event of earlier) made.add(event);
  const after: Block[] = blocksOf(rowsOf(made.entries(), undefined, robin), anchor, before);
  expect(after.map(block => [block.number, block.rows.length])).toEqual([
    [-2, 15],
    [-1, 40],
    [0, 40],
    [1, 40],
    [2, 20],
  ]);
  expect(after[3]).toBe(before[1]);
  expect(after[4]).toBe(before[2]);
});
