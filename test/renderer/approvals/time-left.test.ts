import { expect, test } from 'vitest';
import { timeLeft } from '../../../renderer/approvals/time-left.ts';

const AT = 1_800_000_000;
const words = (left: number) => timeLeft(AT, AT - 100_000, (AT - left) * 1000).words;

test('words name the largest unit that still tells something', () => {
  expect(words(5)).toBe('less than 20 s left');
  expect(words(45)).toBe('less than 60 s left');
  expect(words(61)).toBe('1 min left');
  expect(words(89 * 60)).toBe('89 min left');
  expect(words(91 * 60)).toBe('1 h left');
  expect(words(47 * 3600)).toBe('47 h left');
  expect(words(50 * 3600)).toBe('2 days left');
});

test('after the end it is over and nothing changes any more', () => {
  expect(timeLeft(AT, AT - 300, AT * 1000)).toMatchObject({ over: true, share: 0, changesAt: null });
});

test('the bar starts full, ends empty and never grows', () => {
  let share = 1;
  for (let left = 300; left >= 0; left -= 1) {
    const now = timeLeft(AT, AT - 300, (AT - left) * 1000);
    expect(now.share).toBeLessThanOrEqual(share);
    share = now.share;
  }
  expect(timeLeft(AT, AT - 300, (AT - 300) * 1000).share).toBe(1);
  expect(share).toBe(0);
});

test('between two changes nothing reads differently, and at each change something does', () => {
  const created = AT - 3 * 86_400;
  let now = created * 1000;
  for (let steps = 0; ; steps += 1) {
    expect(steps).toBeLessThan(400);
    const shown = timeLeft(AT, created, now);
    if (shown.changesAt === null) break;
    expect(shown.changesAt).toBeGreaterThan(now);
    const justBefore = timeLeft(AT, created, Math.max(now, shown.changesAt - 1));
    expect([justBefore.words, justBefore.share]).toEqual([shown.words, shown.share]);
    const then = timeLeft(AT, created, shown.changesAt);
    expect([then.words, then.share]).not.toEqual([shown.words, shown.share]);
    now = shown.changesAt;
  }
});

test('a five minute prompt wakes the page no faster than every few seconds', () => {
  const created = AT - 300;
  let now = created * 1000;
  let wakes = 0;
  for (;;) {
    const { changesAt } = timeLeft(AT, created, now);
    if (changesAt === null) break;
    now = changesAt;
    wakes += 1;
  }
  expect(wakes).toBeLessThanOrEqual(45);
});

test('a request made in the future of this clock still reads sensibly', () => {
  expect(timeLeft(AT, AT + 50, (AT - 30) * 1000)).toMatchObject({ over: false, share: 1 });
});
