// A disk that fills up, on a small file system of its own; where the test may not mount one it says so and is skipped.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startRelay } from '../../../relay/relay.ts';
import { person } from '../http/edge.ts';
import { seconds, WireClient } from '../socket/wire-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiny-full-'));
const mounted = mount();
if (!mounted) console.log('F-03 is skipped: no small file system can be mounted here');

afterAll(() => {
  if (mounted) execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!mounted)('F-03 disk full', () => {
  test('writes are refused with error:, reads go on, and both come back when there is space', async () => {
    const owner = person();
    const data = join(folder, 'data');
    const start = () => startRelay({ data, owner: owner.pubkey });
    const note = (content: string) => owner.sign({ kind: 1, created_at: seconds(), tags: [], content });
    let relay = await start();
    let client = await WireClient.open(relay.url, owner);
    const first = note('first');
    expect(await client.publish(first)).toBe('true: ');

    const filler = join(folder, 'filler');
    fill(filler);
    const refused = await publishUntilRefused(client, () => note('x'.repeat(20_000)));
    expect(refused.reason).toMatch(/^false: error: the disk/);
    expect((await client.ask({ ids: [first.id] })).events).toEqual([first]);
    expect((await client.ask({ ids: [refused.id] })).events).toEqual([]);
    expect(relay.context.store.health()).toMatchObject({ ok: false });

    // A start with a full disk is no crash loop: it reads.
    client.close();
    await relay.close();
    fill(filler);
    relay = await start();
    client = await WireClient.open(relay.url, owner);
    expect((await client.ask({ ids: [first.id] })).events).toEqual([first]);
    fill(filler);
    expect((await publishUntilRefused(client, () => note('y'.repeat(20_000)))).reason).toMatch(
      /^false: error:/,
    );

    rmSync(filler);
    rmSync(`${filler}.rest`, { force: true });
    expect(await client.publish(note('space again'))).toBe('true: ');
    expect(relay.context.store.health()).toEqual({ ok: true, error: '' });
    client.close();
    await relay.close();
  });
});

/** Publishes larger and larger amounts until one is refused. */
async function publishUntilRefused(
  client: WireClient,
  make: () => ReturnType<ReturnType<typeof person>['sign']>,
) {
  for (let index = 0; index < 400; index += 1) {
    const event = make();
    const reason = await client.publish(event);
    if (reason.startsWith('false')) return { reason, id: event.id };
  }
  throw new Error('the disk did not fill up');
}

/** Takes what space there is, down to the last small block. */
function fill(path: string): void {
  for (const [name, bytes] of [
    [path, 64 * 1024],
    [`${path}.rest`, 4096],
  ] as const) {
    const block = Buffer.alloc(bytes);
    try {
      for (;;) writeFileSync(name, block, { flag: 'a' });
    } catch {
      // Full: what was wanted.
    }
  }
}

function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
