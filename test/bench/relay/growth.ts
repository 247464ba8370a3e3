// How the figures grow: with the events the relay holds, and with the subscribers it delivers to. Runs when asked for
// with BENCH_GROWTH=N (events; a million takes about two minutes).

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSecret, type Signer, signerFrom } from '../../../relay/client/signer.ts';
import type { Filter } from '../../../relay/protocol/event.ts';
import { openDatabase } from '../../../relay/store/database.ts';
import { SqliteStore } from '../../../relay/store/store.ts';
import { signOwn } from '../../../relay/verify/verified-event.ts';
import { Client, fanOut } from './load.ts';
import { startServer } from './servers.ts';

const hex = () => randomBytes(32).toString('hex');
const AUTHORS = Array.from({ length: 50 }, hex);
const QUERIES: [string, Filter][] = [
  ['newest 50 of a room', { '#h': ['room7'] }],
  ['of a room and kind', { kinds: [9], '#h': ['room7'] }],
  ['of a kind the room has none of', { kinds: [43_001], '#h': ['room7'] }],
  ['of an author', { authors: [AUTHORS[3] ?? ''] }],
  ['of everything', {}],
  ['of 40 tags at once', { '#t': Array.from({ length: 40 }, (_, index) => `t${index}`) }],
];

export async function benchGrowth(print: (line: string) => void, most: number): Promise<void> {
  const sizes = [10_000, 100_000, 1_000_000].filter(size => size <= most);
  const columns = sizes.map(size => storeFigures(size));
  print(`| Stored events | ${sizes.map(size => size.toLocaleString('en')).join(' | ')} |`);
  print(`| --- | ${sizes.map(() => '---:').join(' | ')} |`);
  for (const name of Object.keys(columns[0] ?? {})) {
    print(`| ${name} | ${columns.map(column => column[name]).join(' | ')} |`);
  }
  print('');
  print('| Subscribers | deliveries/s | last of one event, ms |');
  print('| ---: | ---: | ---: |');
  for (const subscribers of [10, 100, 1000]) {
    const { rate, last } = await subscriberFigures(subscribers);
    print(`| ${subscribers} | ${Math.round(rate).toLocaleString('en')} | ${last.toFixed(1)} |`);
  }
}

/** A store of that size: how fast the last tenth went in, and how long each query takes (median of 50). */
function storeFigures(size: number): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-growth-'));
  const database = openDatabase(folder);
  const store = new SqliteStore(database.db, () => 1_800_000_000);
  let rate = 0;
  for (let index = 0; index < size; ) {
    const started = performance.now();
    const until = Math.min(size, index + size / 10);
    const from = index;
    while (index < until) {
      store.transact(() => {
        for (let group = 0; group < 64 && index < until; group += 1, index += 1)
          store.events.save(note(index));
      });
    }
    rate = (until - from) / ((performance.now() - started) / 1000);
  }
  const figures: Record<string, string> = { 'stored a second': Math.round(rate).toLocaleString('en') };
  for (const [name, filter] of QUERIES)
    figures[`${name}, ms`] = medianTime(() => take(store, filter)).toFixed(3);
  database.close();
  rmSync(folder, { recursive: true, force: true });
  return figures;
}

/** The store is measured, not the curve: only the fields of a signature are filled in. */
function note(index: number) {
  const pubkey = AUTHORS[index % AUTHORS.length] ?? '';
  const unsigned: Signer = {
    pubkey,
    sign: template => ({ id: hex(), pubkey, ...template, sig: 'ab'.repeat(64) }),
  };
  const tags = [
    ['h', `room${index % 20}`],
    ['t', `t${index % 40}`],
    ['p', AUTHORS[(index * 7) % AUTHORS.length] ?? ''],
  ];
  const content = `${index} `.padEnd(300, 'words that say little ');
  return signOwn(unsigned, { kind: 9, created_at: 1_700_000_000 + (index >> 2), tags, content });
}

function take(store: SqliteStore, filter: Filter): void {
  let found = 0;
  for (const _ of store.events.scan(filter)) {
    found += 1;
    if (found === 50) return;
  }
}

function medianTime(work: () => void): number {
  const times = Array.from({ length: 50 }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return times.sort((a, b) => a - b)[25] ?? 0;
}

async function subscriberFigures(subscribers: number): Promise<{ rate: number; last: number }> {
  const owner = signerFrom(generateSecret());
  const server = await startServer('ours', { owner: owner.pubkey, members: [] });
  const sign = (content: string) =>
    owner.sign({ kind: 1, created_at: Math.floor(Date.now() / 1000), tags: [['t', 'growth']], content });
  const writer = await Client.open(server.url, owner);
  const readers = await Promise.all(
    Array.from({ length: subscribers }, () => Client.open(server.url, owner)),
  );
  const filter = { '#t': ['growth'] };
  const many = Array.from({ length: 100 }, (_, index) => sign(`${index}`));
  const rate = await fanOut(readers, writer, many, filter);
  const one = await fanOut(readers, writer, [sign('one')], filter);
  for (const client of [writer, ...readers]) client.close();
  await server.stop();
  return { rate, last: (subscribers / one) * 1000 };
}
