// Two whole relays exchange what they hold, over a real socket.

import { expect, onTestFinished, test } from 'vitest';
import { RelayConnection, RelayRefusal } from '../../../relay/client/connection.ts';
import { reconcile } from '../../../relay/client/reconcile.ts';
import type { Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { NegentropyBuilder } from '../../../relay/protocol/negentropy-items.ts';
import { type ExchangeOptions, exchange } from '../../../relay/sync/exchange.ts';
import { Edge, person } from '../http/edge.ts';
import { random, runSeed } from '../negentropy/seeded.ts';

type Pair = { here: Edge; there: Edge; owner: Signer; connection: RelayConnection };

/** Two relays of one person, and a connection from the first to the second. */
async function pair(): Promise<Pair> {
  const [here, there] = [await Edge.start(), await Edge.start()];
  onTestFinished(async () => {
    await here.close();
    await there.close();
  });
  const { owner } = here;
  await there.call(there.owner, 'setmember', owner.pubkey, { role: 'moderator' });
  return { here, there, owner, connection: connect(there, owner) };
}

function connect(to: Edge, signer: Signer): RelayConnection {
  const connection = new RelayConnection({ url: to.relay.url, signer });
  onTestFinished(() => connection.close());
  connection.connect();
  return connection;
}

async function give(edge: Edge, events: readonly NostrEvent[]): Promise<void> {
  for (const event of events) expect(await edge.offer(event)).toMatchObject({ accepted: true });
}

function idsIn(edge: Edge, kind: number): string[] {
  const reader = { keys: [edge.owner.pubkey] };
  return [...edge.relay.context.store.events.scan({ kinds: [kind] })]
    .filter(event => edge.relay.context.visibility.canRead(reader, event))
    .map(({ id }) => id)
    .sort();
}

const idsOf = (events: readonly NostrEvent[]) => events.map(({ id }) => id).sort();

function run({ here, owner, connection }: Pair, more: Partial<ExchangeOptions> = {}) {
  const reader = { keys: [owner.pubkey] };
  return exchange({ relay: here.relay.context, connection, filter: { kinds: [1] }, reader, ...more });
}

let made = 0;

function notes(edge: Edge, author: Signer, count: number, next = random(1)): NostrEvent[] {
  return Array.from({ length: count }, () => {
    made += 1;
    return edge.sign(author, { kind: 1, created_at: edge.now - next(30), content: `note ${made}` });
  });
}

test('reconcile tells what only one side holds', async () => {
  const { there, owner, connection } = await pair();
  const seed = runSeed();
  const next = random(seed);
  const [common, ours, theirs] = [80, 40, 60].map(count => notes(there, owner, next(count), next));
  await give(there, [...common!, ...theirs!]);
  const builder = new NegentropyBuilder();
  for (const { created_at, id } of [...common!, ...ours!]) builder.add(created_at, id);
  const { have, need } = await reconcile(connection, { kinds: [1] }, builder.build());
  expect([[...have].sort(), [...need].sort()], `seed ${seed}`).toEqual([idsOf(ours!), idsOf(theirs!)]);
});

test('both relays hold everything afterwards, however finely the time must be divided', async () => {
  for (const most of [250_000, 20]) {
    const both = await pair();
    const { here, there, owner } = both;
    const [common, ours, theirs] = [60, 70, 80].map(count => notes(here, owner, count));
    await give(here, [...common!, ...ours!]);
    await give(there, [...common!, ...theirs!]);
    const told: number[] = [];
    const done = await run(both, { most, onProgress: ({ pulled, pushed }) => told.push(pulled + pushed) });
    expect(done).toEqual({ pulled: 80, pushed: 70, refused: 0, left: 0, finished: true });
    expect(told.at(-1)).toBe(150);
    const all = idsOf([...common!, ...ours!, ...theirs!]);
    expect(idsIn(here, 1)).toEqual(all);
    expect(idsIn(there, 1)).toEqual(all);
    expect(await run(both)).toMatchObject({ pulled: 0, pushed: 0 });
  }
});

test('one way leaves the other side as it is', async () => {
  const both = await pair();
  const { here, there, owner } = both;
  const [ours, theirs] = [notes(here, owner, 3), notes(there, owner, 4)];
  await give(here, ours);
  await give(there, theirs);
  expect(await run(both, { ways: 'pull' })).toMatchObject({ pulled: 4, pushed: 0 });
  expect(idsIn(there, 1)).toHaveLength(4);
  expect(await run(both, { ways: 'push' })).toMatchObject({ pulled: 0, pushed: 3 });
  expect(idsIn(there, 1)).toHaveLength(7);
});

test('stopped in the middle, the next run moves what is left', async () => {
  const both = await pair();
  const { here, there, owner } = both;
  await give(there, notes(there, owner, 450));
  const stop = new AbortController();
  const first = await run(both, { signal: stop.signal, onProgress: () => stop.abort() });
  expect(first).toMatchObject({ pulled: 200, finished: false });
  expect(await run(both)).toMatchObject({ pulled: 250, finished: true });
  expect(idsIn(here, 1)).toHaveLength(450);
});

test('rooms come before what is said in them, and what rests on something else gets a second chance', async () => {
  const both = await pair();
  const { here, owner } = both;
  const room = here.sign(owner, {
    kind: 9007,
    created_at: here.now,
    tags: [
      ['h', 'plans'],
      ['name', 'Plans'],
    ],
  });
  // Written a moment before the room it is in, as clocks go.
  const early = here.sign(owner, {
    kind: 9,
    created_at: here.now - 5,
    tags: [['h', 'plans']],
    content: 'early',
  });
  await give(here, [room, early]);
  const done = await run(both, { filter: { kinds: [9, 9007] } });
  expect(done).toMatchObject({ pushed: 2, refused: 0 });
  expect(idsIn(both.there, 9)).toEqual([early.id]);
});

test('F-21 protected events stay, and nothing leaves that the reader may not see', async () => {
  const both = await pair();
  const { here, there, owner } = both;
  const member = await here.member();
  await there.call(there.owner, 'setmember', member.pubkey, { role: 'member' });
  await here.room('closed', 'members');
  const secret = here.sign(owner, { kind: 9, tags: [['h', 'closed']], content: 'secret' });
  const letter = here.sign(owner, { kind: 4, tags: [['p', owner.pubkey]], content: 'x' });
  const open = here.sign(member, { kind: 1, content: 'open' });
  await give(here, [secret, letter, open]);
  const guarded = there.sign(owner, { kind: 1, tags: [['-']], content: 'stays there' });
  await give(there, [guarded]);
  const connection = connect(there, member);
  const reader = { keys: [member.pubkey] };
  const filter = { kinds: [1, 4, 9] };
  const refused: string[] = [];
  const done = await run(both, {
    connection,
    reader,
    filter,
    onRefused: (_, reason) => refused.push(reason),
  });
  expect(done).toMatchObject({ pulled: 0, pushed: 1, left: 1 });
  expect([...idsIn(there, 9), ...idsIn(there, 4)]).toEqual([]);
  expect(idsIn(here, 1)).toEqual([open.id]);
  expect(refused).toEqual([]);
});

test('what is refused there is told with the reason', async () => {
  const both = await pair();
  const { here, there } = both;
  const stranger = await here.member();
  await give(here, notes(here, stranger, 1));
  await there.call(there.owner, 'banpubkey', stranger.pubkey);
  const refused: string[] = [];
  const done = await run(both, { onRefused: (_, reason) => refused.push(reason) });
  expect(done).toMatchObject({ pushed: 0, refused: 1, finished: true });
  expect(refused[0]).toMatch(/^(blocked|restricted):/);
});

test('a relay that knows us not, and one that is gone, reject with the reason', async () => {
  const both = await pair();
  const stranger = connect(both.there, person());
  await expect(run(both, { connection: stranger })).rejects.toThrow(/^restricted:/);
  await both.connection.close();
  await expect(run(both)).rejects.toThrow(RelayRefusal);
});
