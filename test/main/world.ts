// A relay in this process with the owner's link on it, for features that need no desktop around them: other keys can
// be made members or agents and publish what they like.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openGrants } from '../../main/agents/grants.ts';
import { CallFailure } from '../../main/bridge.ts';
import { openLive } from '../../main/live.ts';
import { openRelayLink } from '../../main/relay-link.ts';
import { generateSecret, signerFrom } from '../../relay/client/signer.ts';
import { type Relay, startRelay } from '../../relay/relay.ts';
import { Pushes } from './desk.ts';
import { scratch } from './supervise/family.ts';

export type World = Awaited<ReturnType<typeof startWorld>>;

export async function startWorld() {
  const folder = scratch();
  const owner = signerFrom(generateSecret());
  const relays: Relay[] = [];
  const start = async (port: number) => {
    relays.push(await startRelay({ data: join(folder, 'relay'), port, owner: owner.pubkey, name: 'Test' }));
    return relays.at(-1)!;
  };
  const relay = await start(0);
  const link = openRelayLink(relay.url, owner);
  const live = openLive(link);
  const failures: unknown[] = [];
  const failed = (error: unknown) => {
    // While the relay restarts, what reads in the background fails and is read again once it is back.
    if (!(error instanceof CallFailure) || error.failure.kind !== 'unavailable') failures.push(error);
  };
  const grants = openGrants(link, live, failed);
  const pushes = new Pushes();
  const others: { close(): Promise<void> }[] = [];
  await new Promise<void>(resolve => live.onLive(resolve));
  const push: typeof pushes.add = (name, value) => pushes.add(name, value);

  /** A key of its own with a link to the relay. */
  function somebody() {
    const other = openRelayLink(relay.url, signerFrom(generateSecret()));
    others.push(other);
    return other;
  }
  return {
    folder,
    owner: owner.pubkey,
    link,
    live,
    grants,
    failures,
    failed,
    push,
    until: pushes.until.bind(pushes),
    /** What every feature takes. */
    common: { link, live, push, failed },
    async member() {
      const other = somebody();
      await link.call('setmember', other.owner);
      return other;
    },
    async agent(more: string[][] = []) {
      const other = somebody();
      const kinds = [5, 7, 9, 1111].map(kind => ['k', String(kind)]);
      const expires = String(Math.floor(Date.now() / 1000) + 3600);
      const tags = [
        ['d', other.owner],
        ['p', other.owner],
        ['name', 'Scribe'],
        ['expiration', expires],
        ['jobs', 'both'],
      ];
      await link.publish({
        kind: 30392,
        tags: [...tags, ['room', 'general'], ...kinds, ['rate', '600'], ...more],
        content: '',
      });
      return other;
    },
    async restartRelay() {
      const { port } = new URL(relay.http);
      await relays.pop()?.close();
      await start(Number(port));
    },
    async stop() {
      grants.close();
      live.close();
      await link.close();
      for (const other of others) await other.close();
      await relays.pop()?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
