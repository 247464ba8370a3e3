// The relay's figures (design.md, What it must reach), beside @nostr-relay/core in the same run.

import { generateSecret, type Signer, signerFrom } from '../../relay/client/signer.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { benchGrowth } from './relay/growth.ts';
import { askAll, Client, fanOut, publishAll } from './relay/load.ts';
import { type Server, type ServerName, startServer } from './relay/servers.ts';

type Figures = Record<string, number>;
type Sizes = { crowded: number; paired: number; single: number; queries: number; fanOut: number };

const SIZES: Record<ServerName, Sizes> = {
  ours: { crowded: 20_000, paired: 8_000, single: 3_000, queries: 3_000, fanOut: 100 },
  peer: { crowded: 2_000, paired: 2_000, single: 1_000, queries: 600, fanOut: 100 },
};
const BARS: Figures = {
  'publish 8 x 64, events/s': 5000,
  'publish 8 x 1, events/s': 2800,
  'publish 1 x 1, events/s': 1200,
  'REQ one tag limit 50, queries/s': 2400,
  'empty REQ, ms': 2,
  'fan-out 120 x 100, deliveries/s': 90_000,
  'mixed 4 and 4, events/s': 1400,
  'mixed 4 and 4, queries/s': 2200,
  'event loop delay p99, ms': 20,
  'peak memory, MiB': 250,
  'ready, ms': 500,
};
const READERS = 120;
const TAGS = 40;

/** Prints a table line by line. */
export async function benchRelay(print: (line: string) => void): Promise<void> {
  const ours = await figures('ours');
  const peer = await figures('peer');
  print('| Figure | ours | @nostr-relay/core | bar |');
  print('| --- | ---: | ---: | ---: |');
  for (const [name, bar] of Object.entries(BARS)) {
    print(`| ${name} | ${shown(ours[name])} | ${shown(peer[name])} | ${shown(bar)} |`);
  }
  print('');
  print('Kind 9 of 300 bytes in a room; ours with membership, grant and room rules on, the peer with none.');
  print(
    "Both with synchronous=FULL. The peer's repository runs on better-sqlite3 13: its own does not load here.",
  );
  const growth = Number(process.env.BENCH_GROWTH ?? 0);
  if (growth === 0) return;
  print('');
  await benchGrowth(print, growth);
}

async function figures(name: ServerName): Promise<Figures> {
  const people = Array.from({ length: 9 }, () => signerFrom(generateSecret()));
  const [owner, ...members] = people as [Signer, ...Signer[]];
  const keys = { owner: owner.pubkey, members: members.map(({ pubkey }) => pubkey) };
  const server = await startServer(name, keys);
  try {
    const writing = await publishFigures(name, server, owner, members);
    const reading = await readFigures(name, server, owner);
    const mixed = await mixedFigures(name, server, owner, members);
    const fan = await fanOutFigures(name, server, owner, members[0] ?? owner);
    const { memory, lag } = await server.strain();
    return {
      ...writing,
      ...reading,
      ...mixed,
      ...fan,
      'event loop delay p99, ms': lag,
      'peak memory, MiB': memory,
      'ready, ms': server.readyMs,
    };
  } finally {
    await server.stop();
  }
}

async function publishFigures(
  name: ServerName,
  server: Server,
  owner: Signer,
  members: Signer[],
): Promise<Figures> {
  const sizes = SIZES[name];
  const first = await connect(name, server, owner);
  const room = owner.sign({ kind: 9007, created_at: now(), tags: [['h', 'bench']], content: '' });
  await publishAll([first], [JSON.stringify(['EVENT', room])], 1);
  const clients = await Promise.all(members.map(member => connect(name, server, member)));
  // A first round that is not counted: the code gets warm, every member joins the room.
  await publishAll(clients, frames(members, 800), 8);
  const crowded = await publishAll(clients, frames(members, sizes.crowded), 64);
  const paired = await publishAll(clients, frames(members, sizes.paired), 1);
  const single = await publishAll(clients.slice(0, 1), frames(members, sizes.single), 1);
  for (const client of [first, ...clients]) client.close();
  return {
    'publish 8 x 64, events/s': crowded,
    'publish 8 x 1, events/s': paired,
    'publish 1 x 1, events/s': single,
  };
}

async function readFigures(name: ServerName, server: Server, owner: Signer): Promise<Figures> {
  const client = await connect(name, server, owner);
  const count = SIZES[name].queries;
  const tagged = Array.from({ length: count }, (_, index) => ({ '#t': [`t${index % TAGS}`], limit: 50 }));
  await askAll(client, tagged.slice(0, TAGS * 2), 50);
  const queries = await askAll(client, tagged, 50);
  const nothing = Array.from({ length: 300 }, (_, index) => ({ '#t': [`nothing-${index}`] }));
  const empty = await askAll(client, nothing, 0);
  client.close();
  return { 'REQ one tag limit 50, queries/s': queries, 'empty REQ, ms': 1000 / empty };
}

/** Four write and four read one tag, each one thing at a time, until the writers are through. */
async function mixedFigures(
  name: ServerName,
  server: Server,
  owner: Signer,
  members: Signer[],
): Promise<Figures> {
  const authors = members.slice(0, 4);
  const writers = await Promise.all(authors.map(author => connect(name, server, author)));
  const readers = await Promise.all(authors.map(() => connect(name, server, owner)));
  const until = now() - 1;
  const written = frames(authors, SIZES[name].paired);
  let writing = true;
  let asked = 0;
  const started = performance.now();
  const read = async (client: Client) => {
    while (writing) {
      // Only what stood before: what the writers add meanwhile may rightly come live on top of the fifty.
      await askAll(client, [{ '#t': [`t${asked % TAGS}`], limit: 50, until }], 50);
      asked += 1;
    }
  };
  const reading = Promise.all(readers.map(read));
  const events = await publishAll(writers, written, 1);
  writing = false;
  await reading;
  const seconds = (performance.now() - started) / 1000;
  for (const client of [...writers, ...readers]) client.close();
  return { 'mixed 4 and 4, events/s': events, 'mixed 4 and 4, queries/s': asked / seconds };
}

async function fanOutFigures(
  name: ServerName,
  server: Server,
  owner: Signer,
  author: Signer,
): Promise<Figures> {
  const writer = await connect(name, server, author);
  const readers = await Promise.all(Array.from({ length: READERS }, () => connect(name, server, owner)));
  const rounds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const events = notes([author], SIZES[name].fanOut);
    rounds.push(await fanOut(readers, writer, events, { kinds: [9], '#h': ['bench'] }));
  }
  for (const client of [writer, ...readers]) client.close();
  return { 'fan-out 120 x 100, deliveries/s': median(rounds.slice(1)) };
}

/** The peer takes everybody, so it asks for no proof. */
function connect(name: ServerName, server: Server, signer: Signer): Promise<Client> {
  return name === 'ours' ? Client.open(server.url, signer) : Client.open(server.url);
}

function frames(authors: Signer[], count: number): string[] {
  return notes(authors, count).map(event => JSON.stringify(['EVENT', event]));
}

let made = 0;

/** Notes of about 300 bytes of content, each different. */
function notes(authors: Signer[], count: number): NostrEvent[] {
  return Array.from({ length: count }, (_, index) => {
    made += 1;
    const tags = [
      ['h', 'bench'],
      ['t', `t${made % TAGS}`],
    ];
    const content = `${made} `.padEnd(300, 'words that say little ');
    return authors[index % authors.length]!.sign({ kind: 9, created_at: now(), tags, content });
  });
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function shown(value: number | undefined): string {
  if (value === undefined) return '-';
  return value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en');
}
