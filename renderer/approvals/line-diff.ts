// A line diff of two texts by Myers' greedy algorithm, for edits an agent asks to make. Nothing is dropped: every
// line of both texts is in the rows, so a fold is the view's choice and can be opened.

export type DiffRow =
  | { kind: 'same'; before: number; after: number; text: string }
  | { kind: 'removed'; before: number; text: string }
  | { kind: 'added'; after: number; text: string };

export type DiffFold = { kind: 'fold'; key: string; rows: DiffRow[] };
export type DiffBlock = DiffFold | { kind: 'rows'; key: string; rows: DiffRow[] };

/** Beyond this many differing lines the search costs more than a reader gains: the middle is shown as replaced. */
const MAX_EDITS = 1000;

/** Lines without their ends; a text that ends with a line feed has no empty last line. CR stays visible in the line. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Every line of both texts in reading order, removed before added; numbers count from 1. */
export function lineDiff(before: string, after: string): DiffRow[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail += 1;
  }
  const kept = matches(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const pairs: [number, number][] = [];
  for (let i = 0; i < head; i += 1) pairs.push([i, i]);
  for (const [x, y] of kept) pairs.push([x + head, y + head]);
  for (let i = tail; i > 0; i -= 1) pairs.push([a.length - i, b.length - i]);
  return rowsBetween(a, b, pairs);
}

function rowsBetween(a: string[], b: string[], pairs: [number, number][]): DiffRow[] {
  const rows: DiffRow[] = [];
  let x = 0;
  let y = 0;
  const gap = (toX: number, toY: number) => {
    for (; x < toX; x += 1) rows.push({ kind: 'removed', before: x + 1, text: a[x] ?? '' });
    for (; y < toY; y += 1) rows.push({ kind: 'added', after: y + 1, text: b[y] ?? '' });
  };
  for (const [px, py] of pairs) {
    gap(px, py);
    rows.push({ kind: 'same', before: px + 1, after: py + 1, text: a[px] ?? '' });
    x = px + 1;
    y = py + 1;
  }
  gap(a.length, b.length);
  return rows;
}

/** Index pairs of a longest common subsequence, in order; empty when the texts differ too much to search. */
function matches(a: string[], b: string[]): [number, number][] {
  if (a.length === 0 || b.length === 0) return [];
  const most = Math.min(a.length + b.length, MAX_EDITS);
  // Furthest x on each diagonal k, at index k + most + 1; each round keeps only the part it could have written.
  const middle = most + 1;
  const furthest = new Int32Array(2 * most + 3).fill(-1);
  furthest[middle + 1] = 0;
  const trace: Round[] = [];
  for (let d = 0; d <= most; d += 1) {
    trace.push({ from: middle - d - 1, values: furthest.slice(middle - d - 1, middle + d + 2) });
    for (let k = -d; k <= d; k += 2) {
      const left = furthest[middle + k - 1] as number;
      const right = furthest[middle + k + 1] as number;
      let x = k === -d || (k !== d && left < right) ? right : left + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(trace, middle, a.length, b.length);
    }
  }
  return [];
}

type Round = { from: number; values: Int32Array };

function walkBack(trace: Round[], middle: number, endX: number, endY: number): [number, number][] {
  const pairs: [number, number][] = [];
  let x = endX;
  let y = endY;
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const round = trace[d] as Round;
    const reached = (k: number) => round.values[middle + k - round.from] as number;
    const k = x - y;
    const down = k === -d || (k !== d && reached(k - 1) < reached(k + 1));
    const beforeK = down ? k + 1 : k - 1;
    const beforeX = d === 0 ? 0 : reached(beforeK);
    const beforeY = d === 0 ? 0 : beforeX - beforeK;
    while (x > beforeX && y > beforeY) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    x = beforeX;
    y = beforeY;
  }
  return pairs.reverse();
}

/** How many lines come and go. */
export function diffCounts(rows: DiffRow[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const row of rows) {
    if (row.kind === 'added') added += 1;
    if (row.kind === 'removed') removed += 1;
  }
  return { added, removed };
}

/** Runs of unchanged lines longer than `2 * context + 3` are gathered in folds the view can open. */
export function foldUnchanged(rows: DiffRow[], context = 3): DiffBlock[] {
  const blocks: DiffBlock[] = [];
  let open: DiffRow[] = [];
  const flush = () => {
    if (open.length > 0) blocks.push({ kind: 'rows', key: `rows-${blocks.length}`, rows: open });
    open = [];
  };
  let i = 0;
  while (i < rows.length) {
    let end = i;
    while (end < rows.length && rows[end]?.kind === 'same') end += 1;
    const from = i === 0 ? i : i + context;
    const to = end === rows.length ? end : end - context;
    if (to - from > 3) {
      open.push(...rows.slice(i, from));
      flush();
      blocks.push({ kind: 'fold', key: `fold-${blocks.length}`, rows: rows.slice(from, to) });
      open.push(...rows.slice(to, end));
    } else {
      open.push(...rows.slice(i, end));
    }
    i = end;
    const changed = rows[i];
    if (changed !== undefined) {
      open.push(changed);
      i += 1;
    }
  }
  flush();
  return blocks;
}
