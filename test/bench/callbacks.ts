// What callbacks cost and carry: the rate of publishing with none and with a thousand that want something else, and
// how many POSTs a second leave for one that wants everything and for a hundred that do.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RelayRpc } from '../../relay/client/rpc.ts';
import { generateSecret, type Signer, signerFrom } from '../../relay/client/signer.ts';
import { Client, publishAll } from './relay/load.ts';
import { type Server, startServer } from './relay/servers.ts';

type Print = (line: string) => void;
type Bench = { server: Server; owner: Signer; members: Signer[]; rpc: RelayRpc };

const MANY = 1000;
const ROUNDS = 7;
const EVENTS = 4000;

/** Prints a table line by line. */
export async function benchCallbacks(print: Print): Promise<void> {
  const { none, many } = await publishRates();
  const apart = (1 - many / none) * 100;
  print('| Figure | value | bar |');
  print('| --- | ---: | ---: |');
  print(`| publish 4 x 64 without callbacks, events/s | ${shown(none)} | |`);
  print(`| publish 4 x 64 with ${MANY} callbacks, events/s | ${shown(many)} | |`);
  print(`| slower by | ${apart.toFixed(1)} % | 10 % |`);
  print(`| through one callback, POSTs/s | ${shown(await delivered(1, 1500))} | |`);
  print(`| through a hundred callbacks, POSTs/s | ${shown(await delivered(100, 40))} | |`);
}

/** Two relays side by side, in turns, so that what else the machine does falls on both. */
async function publishRates(): Promise<{ none: number; many: number }> {
  const [bare, laden] = [await open(), await open()];
  try {
    for (let index = 0; index < MANY; index += 1) {
      // Half of them name the room's kind and somebody else, half another room: both must be told apart.
      const more = index % 2 === 0 ? { '#p': [signer().pubkey] } : { '#h': [`other-${index}`] };
      await add(laden, 'http://127.0.0.1:9/', { kinds: [9], ...more });
    }
    const rates = { none: [] as number[], many: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const turns = [['none', bare] as const, ['many', laden] as const];
      for (const [name, bench] of round % 2 === 0 ? turns : turns.reverse()) {
        const rate = await publish(bench, EVENTS);
        if (round > 0) rates[name].push(rate);
      }
    }
    return { none: median(rates.none), many: median(rates.many) };
  } finally {
    await bare.server.stop();
    await laden.server.stop();
  }
}

/** POSTs a second when so many callbacks each want so many events. */
async function delivered(callbacks: number, events: number): Promise<number> {
  const bench = await open();
  const all = callbacks * events;
  let received = 0;
  const finished = Promise.withResolvers<void>();
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      response.end();
      received += 1;
      if (received === all) finished.resolve();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  try {
    for (let index = 0; index < callbacks; index += 1) {
      await add(bench, `http://127.0.0.1:${port}/${index}`, { kinds: [9], '#h': ['bench'] });
    }
    const started = performance.now();
    await publish(bench, events);
    await finished.promise;
    return all / ((performance.now() - started) / 1000);
  } finally {
    receiver.close();
    await bench.server.stop();
  }
}

async function open(): Promise<Bench> {
  const [owner, ...members] = Array.from({ length: 5 }, signer) as [Signer, ...Signer[]];
  const keys = { owner: owner.pubkey, members: members.map(({ pubkey }) => pubkey) };
  const server = await startServer('ours', keys);
  const rpc = new RelayRpc({ url: server.url, signer: owner });
  await rpc.call('setpolicy', [{ callbackTargets: 'loopback' }]);
  const client = await Client.open(server.url, owner);
  const room = owner.sign({ kind: 9007, created_at: now(), tags: [['h', 'bench']], content: '' });
  await publishAll([client], [JSON.stringify(['EVENT', room])], 1);
  client.close();
  return { server, owner, members, rpc };
}

async function add({ rpc }: Bench, url: string, filter: object): Promise<void> {
  await rpc.call('addcallback', [{ url, filter }]);
}

let made = 0;

async function publish({ server, members }: Bench, count: number): Promise<number> {
  const clients = await Promise.all(members.map(member => Client.open(server.url, member)));
  const frames = Array.from({ length: count }, (_, index) => {
    made += 1;
    const content = `${made} `.padEnd(300, 'words that say little ');
    const author = members[index % members.length]!;
    return JSON.stringify([
      'EVENT',
      author.sign({ kind: 9, created_at: now(), tags: [['h', 'bench']], content }),
    ]);
  });
  const rate = await publishAll(clients, frames, 64);
  for (const client of clients) client.close();
  return rate;
}

function signer(): Signer {
  return signerFrom(generateSecret());
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function shown(value: number): string {
  return Math.round(value).toLocaleString('en');
}
