import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Origin, Outcome } from '../../../relay/context.ts';
import { exportEvents, exportTo } from '../../../relay/data/export.ts';
import { type ImportOptions, importEvents } from '../../../relay/data/import.ts';
import { ImportNote } from '../../../relay/data/import-note.ts';
import { linesOf } from '../../../relay/data/lines.ts';
import { parseEvent } from '../../../relay/protocol/parse-event.ts';
import { verifiedNow } from '../../../relay/verify/verified-event.ts';
import {
  filledFolder,
  NOW,
  openStored,
  type StoredRelay,
  save,
  signed,
  signer,
  temporaryFolder,
} from './stored.ts';

function exported() {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  return { folder, data, events: filledFolder(data), file: join(folder, 'events.jsonl') };
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of source) found.push(one);
  return found;
}

const linesIn = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '');

/** The store alone as the way in: what admission refuses is tested where admission is. */
function storing(relay: StoredRelay, seen: Origin[] = []): ImportOptions['publish'] {
  return (input, origin): Promise<Outcome> => {
    seen.push(origin);
    const parsed = parseEvent(input, { tags: 100, contentCharacters: 1000 });
    if (!parsed.ok) return Promise.resolve({ accepted: false, message: parsed.refusal });
    const verified = verifiedNow(parsed.value);
    if (verified === null) return Promise.resolve({ accepted: false, message: 'invalid: bad signature' });
    const { status } = relay.store.transact(() => relay.store.events.save(verified));
    return Promise.resolve({ accepted: true, message: status === 'stored' ? '' : 'duplicate: known' });
  };
}

test('an export holds every event once, byte for byte and in the order the relay took them in', async () => {
  const { data, events, file } = exported();
  const relay = openStored(data);
  save(relay.store, [signed(signer(), { tags: [['expiration', '5']], content: 'over' })]);
  relay.close();
  expect(await exportEvents(data, file)).toEqual({ lines: events.length, resumedAfter: 0 });
  expect(linesIn(file)).toEqual(events.map(event => JSON.stringify(event)));
  let text = '';
  await exportTo(data, async part => {
    text += part;
  });
  expect(text).toBe(readFileSync(file, 'utf8'));
});

test('an export does not write over a file, and goes on with one that was cut off in a line', async () => {
  const { data, events, file } = exported();
  await exportEvents(data, file);
  const whole = readFileSync(file, 'utf8');
  await expect(exportEvents(data, file)).rejects.toThrow(/exists/);
  truncateSync(file, Math.floor(Buffer.byteLength(whole) * 0.6));
  const report = await exportEvents(data, file, { resume: true });
  expect(report.lines).toBeLessThan(events.length);
  expect(readFileSync(file, 'utf8')).toBe(whole);
  expect(await exportEvents(data, file, { resume: true })).toMatchObject({ lines: 0 });
  writeFileSync(join(data, 'other.jsonl'), '{"id":"nothing"}\n');
  await expect(exportEvents(data, join(data, 'other.jsonl'), { resume: true })).rejects.toThrow(
    /not gone on with/,
  );
});

test('what was exported imports into an empty relay as the same events', async () => {
  const { folder, data, events, file } = exported();
  await exportEvents(data, file);
  const target = join(folder, 'other');
  const relay = openStored(target);
  const origins: Origin[] = [];
  const report = await importEvents(file, {
    publish: storing(relay, origins),
    note: new ImportNote(target, file),
    onRefused: (line, reason) => expect.unreachable(`${line} ${reason}`),
  });
  expect(report).toEqual({
    lines: events.length,
    stored: events.length,
    duplicates: 0,
    refused: 0,
    finished: true,
  });
  expect(origins.every(origin => origin.via === 'import')).toBe(true);
  for (const event of events) expect(relay.store.events.get(event.id)).toEqual(event);
  expect(existsSync(join(target, 'import.json'))).toBe(false);
  relay.close();
});

test('every refused line is named with its number and the reason', async () => {
  const folder = temporaryFolder();
  const relay = openStored(join(folder, 'data'));
  const author = signer();
  const good = signed(author, { content: 'good' });
  const forged = { ...signed(author, { content: 'mine' }), content: 'yours' };
  const lines = [JSON.stringify(good), '', 'no json', '[1,2]', JSON.stringify(forged), JSON.stringify(good)];
  const refusals: [number, string][] = [];
  const report = await importEvents(Readable.from([Buffer.from(lines.join('\r\n'))]), {
    publish: storing(relay),
    onRefused: (line, reason) => refusals.push([line, reason]),
  });
  expect(report).toEqual({ lines: 6, stored: 1, duplicates: 1, refused: 3, finished: true });
  expect(refusals).toEqual([
    [3, 'invalid: line is not JSON'],
    [4, 'invalid: event must be an object'],
    [5, 'invalid: bad signature'],
  ]);
  relay.close();
});

test('an import that was stopped goes on where it was, and starts over when the file has changed', async () => {
  const { folder, data, file } = exported();
  const author = signer();
  const filled = openStored(data);
  save(
    filled.store,
    Array.from({ length: 700 }, (_, i) => signed(author, { at: NOW + i, content: `more ${i}` })),
  );
  filled.close();
  await exportEvents(data, file);
  const total = linesIn(file).length;
  const target = join(folder, 'other');
  const relay = openStored(target);
  const stop = new AbortController();
  const into = storing(relay);
  let published = 0;
  const first = await importEvents(file, {
    publish: (event, origin) => {
      published += 1;
      if (published === 300) stop.abort();
      return into(event, origin);
    },
    note: new ImportNote(target, file),
    onRefused: () => expect.unreachable(),
    signal: stop.signal,
  });
  expect(first).toMatchObject({ finished: false, lines: 300, stored: 300 });
  const options = { publish: into, onRefused: () => expect.unreachable() };
  const second = await importEvents(file, { ...options, note: new ImportNote(target, file) });
  expect(second).toEqual({ finished: true, lines: total, stored: total, duplicates: 0, refused: 0 });

  new ImportNote(target, file).write({ offset: 10, lines: 1, stored: 1, duplicates: 0, refused: 0 });
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n`);
  const third = await importEvents(file, { ...options, note: new ImportNote(target, file) });
  expect(third).toMatchObject({ finished: true, duplicates: total, stored: 0 });
  relay.close();
});

test('lines come whole whatever the chunks, too long ones are named, offsets lead back to them', async () => {
  const text = `a\n\nbé\n${'x'.repeat(50)}\nlast`;
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 3, 7, 200]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
    const found = await all(linesOf(Readable.from(chunks), { offset: 0, number: 0 }, 20));
    expect(found.map(line => line.text)).toEqual(['a', '', 'bé', null, 'last']);
    expect(found.map(line => line.number)).toEqual([1, 2, 3, 4, 5]);
    expect(bytes.toString('utf8', found[3]!.end)).toBe('last');
  }
  const file = join(temporaryFolder(), 'lines');
  writeFileSync(file, text);
  const rest = await all(linesOf(file, { offset: 3, number: 2 }, 100));
  expect(rest.map(line => line.text)).toEqual(['bé', 'x'.repeat(50), 'last']);
  expect(rest[0]!.number).toBe(3);
});

test('a file that is not there is refused in one line', () => {
  expect(() => new ImportNote(temporaryFolder(), '/nowhere/events.jsonl')).toThrow(/no file/);
});
