import { expect, test } from 'vitest';
import type { LogLine } from '../../../main/contract/agents.ts';
import { joinLines, linesText, MOST_LINES, searchLines } from '../../../renderer/agents/log-lines.ts';

const line = (at: number, text: string, level: LogLine['level'] = 'info'): LogLine => ({
  at,
  level,
  source: 'runner',
  text,
});

test('lines pushed while the log was asked for appear once', () => {
  const asked = [line(1, 'a'), line(2, 'b'), line(2, 'c')];
  const pushed = [line(2, 'c'), line(2, 'd'), line(3, 'e')];
  expect(joinLines(asked, pushed).map(each => each.text)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(joinLines([], pushed)).toHaveLength(3);
});

test('only so many lines are kept, the newest', () => {
  const many = Array.from({ length: MOST_LINES + 5 }, (_, i) => line(i, String(i)));
  expect(joinLines(many.slice(0, 10), many.slice(10))[0]?.text).toBe('5');
});

test('a search holds every word and the level or worse', () => {
  const lines = [
    line(1, 'Relay refused kind 1', 'warn'),
    line(2, 'relay took kind 9'),
    line(3, 'noise', 'debug'),
  ];
  expect(searchLines(lines, { words: 'RELAY kind', level: 'info' })).toHaveLength(2);
  expect(searchLines(lines, { words: 'relay', level: 'warn' })).toHaveLength(1);
  expect(searchLines(lines, { words: '', level: 'debug' })).toHaveLength(3);
});

test('copied lines carry their whole time', () => {
  expect(linesText([line(0, 'x')])).toBe('1970-01-01T00:00:00.000Z info runner x');
});
