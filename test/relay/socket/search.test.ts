// Searching (NIP-50) over a real socket, and queries that cost much (case F-17).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filter } from '../../../relay/protocol/event.ts';
import { type Draft, Edge } from '../http/edge.ts';
import { WireClient } from './wire-client.ts';

let edge: Edge;
let client: WireClient;

beforeAll(async () => {
  edge = await Edge.start();
  client = await WireClient.open(edge.relay.url, edge.owner);
});
afterAll(async () => {
  client.close();
  await edge.close();
});

const write = (content: string, draft: Partial<Draft> = {}) =>
  edge.publish(edge.owner, { kind: 1, content, ...draft });
const found = async (search: string, filter: Filter = {}) =>
  (await client.ask({ search, ...filter })).events.map(({ content }) => content);

/** Waits until the index has taken in what was written. */
async function indexed(): Promise<void> {
  const index = edge.relay.context.store.events as unknown as {
    search: { progress: number };
    lastSeq: number;
  };
  await expect.poll(() => index.search.progress, { timeout: 20_000 }).toBe(index.lastSeq);
}

describe('NIP-50 search', () => {
  test('finds what was just written, and the same once it is indexed', async () => {
    await write('The quick brown fox');
    await write('A slow brown bear');
    await write('Nothing of the kind');
    for (const _ of ['at once', 'indexed']) {
      expect(await found('brown')).toHaveLength(2);
      expect(await found('BROWN fox')).toEqual(['The quick brown fox']);
      expect(await found('brown wolf')).toEqual([]);
      await indexed();
    }
  });

  test('finds what an index far behind has not reached yet', async () => {
    const { store, transact } = edge.relay.context;
    const { signOwn } = await import('../../../relay/verify/verified-event.ts');
    const events = store.events as unknown as { save(event: object): unknown };
    transact(() => {
      for (let n = 0; n < 6000; n += 1) {
        const content = n === 0 ? 'a lonely okapi' : `filler ${n}`;
        events.save(signOwn(edge.owner, { kind: 1, created_at: 500 + n, tags: [], content }));
      }
    });
    expect(await found('okapi')).toEqual(['a lonely okapi']);
    await write('an event that comes in the usual way sets the index going');
    await indexed();
    expect(await found('okapi')).toEqual(['a lonely okapi']);
  });

  test('the best comes first, the limit counts after that, other keys narrow it', async () => {
    await write(`kiwi ${'filler '.repeat(80)}`, { created_at: edge.now });
    await write('kiwi kiwi kiwi', { created_at: edge.now - 50 });
    await write('kiwi thread', { kind: 11, created_at: edge.now - 50 });
    expect((await found('kiwi', { limit: 1 }))[0]).toBe('kiwi kiwi kiwi');
    expect(await found('kiwi', { kinds: [11] })).toEqual(['kiwi thread']);
    expect(await found('kiwi', { until: edge.now - 40 })).toHaveLength(2);
    expect(await client.count({ search: 'kiwi' })).toBe(3);
  });

  test('what is deleted, replaced or hidden is not found', async () => {
    const event = await write('vanishing word');
    const page = (content: string, created_at: number) =>
      write(content, { kind: 30_023, created_at, tags: [['d', 'page']] });
    await page('former wording', edge.now - 10);
    await indexed();
    await page('latter wording', edge.now);
    await edge.publish(edge.owner, { kind: 5, tags: [['e', event.id]] });
    await write('secret word', { kind: 4, tags: [['p', 'a'.repeat(64)]] });
    await indexed();
    expect(await found('word')).toEqual([]);
    expect(await found('wording')).toEqual(['latter wording']);
  });

  test('a subscription goes on with the same words', async () => {
    await client.ask({ search: 'live words', limit: 0 }, { id: 'live', stay: true });
    await write('these words are live');
    await write('these are not');
    await client.settled();
    expect(client.received('live').map(({ content }) => content)).toEqual(['these words are live']);
  });

  test('can be switched off, and set to every kind', async () => {
    const set = (search: string) =>
      edge.relay.context.transact(() => edge.relay.context.setPolicy({ features: { search } }));
    await write('odd kind', { kind: 4242 });
    expect(await found('odd')).toEqual([]);
    set('full');
    await write('another odd kind', { kind: 4242 });
    await indexed();
    expect(await found('odd')).toHaveLength(2);
    set('off');
    expect((await client.ask({ search: 'odd' })).closed).toMatch(/^unsupported:/);
    set('prose');
  });
});

describe('F-17 expensive queries', () => {
  test.each([
    '%',
    '_',
    '*',
    '"',
    "'; DROP TABLE events; --",
    'NEAR(a b)',
    'a AND b OR c',
    'text : x',
    '^a',
    'a*',
    '-a',
    '(',
    'x"y',
  ])('no syntax of the engine in %j', async search =>
    expect((await client.ask({ search })).closed).toBeNull(),
  );

  test('a search of 10,000 characters is refused', async () => {
    expect((await client.ask({ search: 'x'.repeat(10_000) })).closed).toMatch(/^invalid: bad filter: search/);
    expect((await client.ask({ search: 5 as unknown as string })).closed).toMatch(
      /^invalid: bad filter: search/,
    );
  });

  test('while one client asks for much another is answered between the slices', async () => {
    const { store, transact } = edge.relay.context;
    const { signOwn } = await import('../../../relay/verify/verified-event.ts');
    const save = (store.events as unknown as { save(event: object): unknown }).save.bind(store.events);
    transact(() => {
      for (let index = 0; index < 20_000; index += 1) {
        save(
          signOwn(edge.owner, {
            kind: 1,
            created_at: 1000 + index,
            tags: [['t', `v${index % 500}`]],
            content: 'many words',
          }),
        );
      }
    });
    const greedy = await WireClient.open(edge.relay.url, edge.owner);
    const costly: Filter[] = [
      {},
      { '#t': Array.from({ length: 500 }, (_, index) => `v${index}`) },
      { since: 0, until: edge.now, authors: ['b'.repeat(64)] },
      { search: 'many words nowhere' },
    ];
    const order: string[] = [];
    const slow = Promise.all(costly.map(filter => greedy.count(filter))).then(() => order.push('slow'));
    await client.ask({ kinds: [0], limit: 1 });
    order.push('quick');
    await slow;
    expect(order).toEqual(['quick', 'slow']);
    greedy.close();
  });
});
