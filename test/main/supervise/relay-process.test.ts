// The relay as a process of its own: its address and key over the channel, its death seen, its port kept.

import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProcessState } from '../../../main/contract/app.ts';
import { programFiles } from '../../../main/program-files.ts';
import { openLedger } from '../../../main/supervise/ledger.ts';
import { RelayProcess } from '../../../main/supervise/relay-process.ts';
import { nodeSpawner } from '../../../main/supervise/spawner.ts';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { living, scratch } from './family.ts';

let home: string;
let relay: RelayProcess;
let told: (() => void) | null;
const secret = generateSecret();
beforeEach(() => {
  home = scratch();
  told = null;
});
afterEach(async () => {
  await relay.stop();
  rmSync(home, { recursive: true });
});

function make(port = 0): RelayProcess {
  relay = new RelayProcess({
    ledger: openLedger(home),
    spawner: nodeSpawner(),
    launch: {
      entry: programFiles().relay,
      data: join(home, 'relay'),
      port,
      owner: signerFrom(generateSecret()).pubkey,
      name: 'Test',
      selfSecret: async () => Buffer.from(secret).toString('hex'),
    },
    onState: () => told?.(),
    log() {},
  });
  return relay;
}
async function until(...states: ProcessState['state'][]): Promise<ProcessState> {
  while (!states.includes(relay.state.state)) {
    await new Promise<void>(resolve => {
      told = resolve;
    });
  }
  return relay.state;
}

test('A1 a relay that dies is seen with its reason and comes back on the same port with the same key', async () => {
  make();
  await relay.start();
  const { pid } = await until('running');
  const address = relay.address!;
  expect(address.self).toBe(signerFrom(secret).pubkey);
  process.kill(pid!, 'SIGKILL');
  expect((await until('backing-off')).reason).toContain('SIGKILL');
  await until('running');
  expect(relay.address).toEqual(address);
  expect((await fetch(address.http, { headers: { accept: 'application/nostr+json' } })).status).toBe(200);
});

test('F6 the key of the relay is in neither its command line nor its environment', async () => {
  make();
  await relay.start();
  const { pid } = await until('running');
  const hex = Buffer.from(secret).toString('hex');
  for (const file of ['cmdline', 'environ']) {
    expect(await readFile(`/proc/${pid}/${file}`, 'latin1')).not.toContain(hex);
  }
  await relay.stop();
  expect(await living([pid!])).toEqual([]);
});

test('F-52 a port that is taken is the reason shown', async () => {
  const squatter = createServer();
  await new Promise<void>(resolve => squatter.listen(0, '127.0.0.1', resolve));
  const { port } = squatter.address() as { port: number };
  make(port);
  await relay.start();
  const { reason } = await until('backing-off', 'suspended');
  expect(reason).toMatch(new RegExp(`EADDRINUSE|in use|${port}`));
  squatter.close();
});
