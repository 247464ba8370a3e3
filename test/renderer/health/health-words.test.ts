import { expect, test } from 'vitest';
import { memoryWords, summaryOf, worstFirst } from '../../../renderer/health/health-words.ts';

const check = (id: string, state: 'good' | 'warning' | 'bad') => ({
  id,
  name: id,
  state,
  finding: '',
  at: 0,
});

test('what needs looking after stands first, the rest keeps its order', () => {
  const checks = [check('a', 'good'), check('b', 'warning'), check('c', 'good'), check('d', 'bad')];
  expect(worstFirst(checks).map(each => each.id)).toEqual(['d', 'b', 'a', 'c']);
  expect(summaryOf(checks)).toBe('1 bad, 1 warning');
  expect(summaryOf([check('a', 'good')])).toBe('All good');
});

test('memory in a unit that fits', () => {
  expect([memoryWords(400), memoryWords(84_300_000), memoryWords(1_530_000_000)]).toEqual([
    '1 MB',
    '84 MB',
    '1.5 GB',
  ]);
});
