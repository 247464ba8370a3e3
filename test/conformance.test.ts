// docs/conformance.md is true: every file is there, every test has that name, every NIP the relay announces is listed.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Edge } from './relay/http/edge.ts';

const top = resolve(import.meta.dirname, '..');

type Row = { promise: string; file: string; testFile: string; title: string };

const rows = readRows(readFileSync(join(top, 'docs/conformance.md'), 'utf8'));

/** The rows of all tables; a row without a promise goes on with the one above. */
function readRows(text: string): Row[] {
  const found: Row[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('| ') || /^\| (---|Promise )/.test(line)) continue;
    const [promise = '', file = '', shown = ''] = line
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim());
    const match = /^`([^`]+)`: (.+)$/.exec(shown);
    if (match === null) throw new Error(`not a row of the table: ${line}`);
    const above = found.at(-1);
    found.push({
      promise: promise || (above?.promise ?? ''),
      file: file.replaceAll('`', '') || (above?.file ?? ''),
      testFile: match[1] ?? '',
      title: match[2] ?? '',
    });
  }
  return found;
}

/** Does the file hold a test, or a group of them, with exactly that title? */
function holdsTitle(path: string, title: string): boolean {
  const source = readFileSync(path, 'utf8');
  return [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``].some(quoted =>
    source.includes(quoted),
  );
}

let edge: Edge;
beforeAll(async () => {
  edge = await Edge.start();
});
afterAll(() => edge.close());

test('the table lists something', () => {
  expect(rows.length).toBeGreaterThan(80);
});

test.each(rows)('$promise - $title', ({ promise, file, testFile, title }) => {
  expect(promise).not.toBe('');
  expect(existsSync(join(top, file)), `${file} is there`).toBe(true);
  expect(existsSync(join(top, testFile)), `${testFile} is there`).toBe(true);
  expect(holdsTitle(join(top, testFile), title), `${testFile} has a test of that name`).toBe(true);
});

test('every NIP the relay announces is listed', async () => {
  await edge.call(edge.owner, 'setpolicy', { minPow: 1 });
  const { json } = await edge.raw({ headers: { accept: 'application/nostr+json' } });
  const { supported_nips } = json as { supported_nips: number[] };
  const listed = new Set(
    rows.flatMap(({ promise }) => [...promise.matchAll(/NIP-(\d+)/g)].map(one => Number(one[1]))),
  );
  expect(supported_nips.filter(nip => !listed.has(nip))).toEqual([]);
  expect(supported_nips).toEqual([
    ...[1, 9, 11, 13, 17, 29, 40, 42, 43, 45, 50, 56, 59, 62, 65, 67, 70, 77, 86, 98],
  ]);
});

test('what is switched off is not announced', async () => {
  await edge.call(edge.owner, 'setpolicy', {
    minPow: 0,
    features: { count: false, search: 'off', sync: false },
  });
  const { json } = await edge.raw({ headers: { accept: 'application/nostr+json' } });
  const { supported_nips } = json as { supported_nips: number[] };
  for (const nip of [13, 45, 50, 77]) expect(supported_nips).not.toContain(nip);
});
