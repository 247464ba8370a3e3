// The journal and its lock: whole after every change, bounded, and one holder at a time.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journal, JournalError } from '../../../runner/agent/journal.ts';
import { takeLock } from '../../../runner/agent/lock.ts';
import { Queue } from '../../../runner/agent/queue.ts';
import { folder } from '../world.ts';

const me = 'a'.repeat(64);
const id = (number: number) => number.toString(16).padStart(64, '0');

const work = (number: number, room = 'general') => ({
  type: 'mention' as const,
  room,
  event: id(number),
  author: me,
  prompt: `message ${number}`,
  root: id(number),
  threaded: false,
  kind: 9,
  created_at: 1_000 + number,
  since: 0,
});

test('every change is on the disk when it returns, whole and for its owner only', () => {
  const file = join(folder(), 'deep', 'queue.json');
  const journal = Journal.open(file, me, 500);
  journal.change(state => {
    state.sessions.thread = 'session';
    journal.see(id(1));
  });
  const again = Journal.open(file, me, 900);
  expect(again.state.sessions.thread).toBe('session');
  expect(again.state.watermark).toBe(500);
  expect(again.hasSeen(id(1))).toBe(true);
  expect(readdirSync(join(file, '..'))).toEqual(['queue.json']);
  expect(() => Journal.open(file, 'b'.repeat(64), 0)).toThrow(JournalError);
});

test('ten thousand ids are remembered, waiting ones always', () => {
  const journal = Journal.open(join(folder(), 'queue.json'), me, 0);
  const queue = new Queue(journal, 32, () => undefined);
  expect(queue.offer(work(1))).toBe('queued');
  journal.change(() => {
    for (let number = 2; number <= 10_005; number += 1) journal.see(id(number));
  });
  expect(journal.state.seen.length).toBeLessThanOrEqual(10_001);
  expect(journal.hasSeen(id(1))).toBe(true);
  expect(journal.hasSeen(id(2))).toBe(false);
  expect(queue.offer(work(1))).toBe('duplicate');
});

test('I11 what a full queue turned away is not remembered', () => {
  const journal = Journal.open(join(folder(), 'queue.json'), me, 0);
  const queue = new Queue(journal, 2, () => undefined);
  expect([1, 2, 3].map(number => queue.offer(work(number)))).toEqual(['queued', 'queued', 'full']);
  expect(queue.offer(work(4, 'other'))).toBe('queued');
  queue.drop('general', ({ event }) => event === id(1));
  expect(queue.offer(work(3))).toBe('queued');
  expect(queue.offer(work(1))).toBe('duplicate');
});

test.each([
  ['no JSON', '{"version":'],
  ['another version', '{"version":2}'],
  ['nothing', ''],
])('a file with %s is refused and left as it is', (_, text) => {
  const file = join(folder(), 'queue.json');
  writeFileSync(file, text);
  expect(() => Journal.open(file, me, 0)).toThrow(JournalError);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('a lock names its holder; the lock of a dead process, or of none, is no lock', () => {
  const file = join(folder(), 'queue.json.lock');
  const first = takeLock(file);
  expect(first.ok).toBe(true);
  expect(takeLock(file)).toEqual({ ok: false, pid: process.pid });
  if (first.ok) first.lock.release();
  writeFileSync(file, JSON.stringify({ pid: process.pid, startTime: '1' }));
  const second = takeLock(file);
  expect(second.ok).toBe(true);
  if (second.ok) second.lock.release();
  writeFileSync(file, 'not a lock');
  expect(takeLock(file).ok).toBe(true);
  mkdirSync(join(file, '..', 'x'));
  expect(readdirSync(join(file, '..')).sort()).toEqual(['queue.json.lock', 'x']);
});
