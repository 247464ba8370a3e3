import { expect, test } from 'vitest';
import { diffCounts, foldUnchanged, lineDiff, linesOf } from '../../../renderer/approvals/line-diff.ts';

const text = (rows: ReturnType<typeof lineDiff>) =>
  rows.map(row => `${row.kind === 'same' ? ' ' : row.kind === 'added' ? '+' : '-'}${row.text}`);

test('an edit in the middle keeps its surroundings and numbers both sides', () => {
  const rows = lineDiff('one\ntwo\nthree\n', 'one\n2\nthree\n');
  expect(text(rows)).toEqual([' one', '-two', '+2', ' three']);
  expect(rows.at(-1)).toMatchObject({ before: 3, after: 3 });
});

test('a new file is all added and an emptied one all removed', () => {
  expect(text(lineDiff('', 'a\nb'))).toEqual(['+a', '+b']);
  expect(text(lineDiff('a\nb', ''))).toEqual(['-a', '-b']);
  expect(lineDiff('', '')).toEqual([]);
});

test('lines that moved are told by insertion and removal, not by replacing everything', () => {
  const rows = lineDiff('a\nb\nc\nd\ne', 'b\nc\nx\nd\ne\nf');
  expect(text(rows)).toEqual(['-a', ' b', ' c', '+x', ' d', ' e', '+f']);
});

test('both texts can be rebuilt from any diff, and it is as short as the longest common subsequence allows', () => {
  const seed = Date.now() % 100_000;
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  for (let round = 0; round < 200; round += 1) {
    const make = () => Array.from({ length: random(12) }, () => 'abc'[random(3)] as string);
    const before = make();
    const after = make();
    const rows = lineDiff(before.join('\n'), after.join('\n'));
    const label = `seed ${seed} round ${round}: ${before.join('')} to ${after.join('')}`;
    expect(
      rows.filter(row => row.kind !== 'added').map(row => row.text),
      label,
    ).toEqual(before);
    expect(
      rows.filter(row => row.kind !== 'removed').map(row => row.text),
      label,
    ).toEqual(after);
    expect(rows.filter(row => row.kind === 'same').length, label).toBe(common(before, after));
  }
});

/** Length of a longest common subsequence, the dull way. */
function common(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      table[i]![j] =
        a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
    }
  }
  return table[a.length]![b.length]!;
}

test('two texts with nothing in common and thousands of lines are shown whole', () => {
  const before = Array.from({ length: 3000 }, (_, i) => `before ${i}`);
  const after = Array.from({ length: 3000 }, (_, i) => `after ${i}`);
  expect(diffCounts(lineDiff(before.join('\n'), after.join('\n')))).toEqual({ added: 3000, removed: 3000 });
});

test('a fold hides nothing: its rows are still there in order', () => {
  const before = Array.from({ length: 60 }, (_, i) => `line ${i}`);
  const after = before.map((line, i) => (i === 30 ? 'changed' : line));
  const rows = lineDiff(before.join('\n'), after.join('\n'));
  const blocks = foldUnchanged(rows);
  expect(blocks.map(block => block.kind)).toEqual(['fold', 'rows', 'fold']);
  expect(blocks.flatMap(block => block.rows)).toEqual(rows);
});

test('short unchanged stretches are not folded', () => {
  const rows = lineDiff('a\nb\nc\nd', 'a\nb\nX\nd');
  expect(foldUnchanged(rows).map(block => block.kind)).toEqual(['rows']);
});

test('a carriage return makes lines differ and stays in the line', () => {
  expect(text(lineDiff('a\r\nb', 'a\nb'))).toEqual(['-a\r', '+a', ' b']);
  expect(linesOf('a\n\n')).toEqual(['a', '']);
});
