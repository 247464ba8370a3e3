import { expect, test } from 'vitest';
import { dayWord, relativeTime, span } from '../../../renderer/parts/time-words.ts';

const now = new Date(2026, 5, 10, 12, 0, 0).getTime();
const minute = 60_000;

test('ages are said in one unit, in both directions', () => {
  expect(relativeTime(now - 20_000, now)).toBe('now');
  expect(relativeTime(now + 20_000, now)).toBe('in under a minute');
  expect(relativeTime(now - 4 * minute, now)).toBe('4 min ago');
  expect(relativeTime(now + 90 * minute, now)).toBe('in 1 h');
  expect(relativeTime(now - 48 * 60 * minute, now)).not.toContain('ago');
});

test('how long something takes is said in two where it helps', () => {
  expect(span(12_400)).toBe('12 s');
  expect(span(59 * minute)).toBe('59 min');
  expect(span(125 * minute)).toBe('2 h 5 min');
  expect(span(7 * 60 * minute + minute)).toBe('7 h');
  expect(span(49 * 60 * minute)).toBe('2 days');
  expect(span(-5)).toBe('0 s');
});

test('days near by have names', () => {
  expect(dayWord(now - minute, now)).toBe('Today');
  expect(dayWord(now - 13 * 60 * minute, now)).toBe('Yesterday');
  expect(dayWord(now - 5 * 24 * 60 * minute, now)).not.toBe('Yesterday');
});
