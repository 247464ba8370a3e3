// The relay against a naive one: whatever is published and whatever is asked, both answer the same, stored and live.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filter, NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge } from '../http/edge.ts';
import { seconds, WireClient } from '../socket/wire-client.ts';
import { Maker } from './made-events.ts';
import { fits, NaiveStore } from './naive-store.ts';
import { random } from './random.ts';

const ROUNDS = Number(process.env.ORACLE_ROUNDS ?? 3);
const FIRST_SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000_000);
const EVENTS = 250;
const QUERIES = 150;

let edge: Edge;
let client: WireClient;

beforeAll(async () => {
  edge = await Edge.start({ reads: 'open', writes: 'open' });
  client = await WireClient.open(edge.relay.url);
});
afterAll(async () => {
  client.close();
  await edge.close();
});

describe.each(Array.from({ length: ROUNDS }, (_, index) => index))('round %i', round => {
  const dice = random(FIRST_SEED + round);
  const label = `seed ${dice.seed}`;

  test('B-12 B-18 B-24 stored events answer every filter as a plain list would', async () => {
    const maker = new Maker(dice, seconds() - 10);
    const oracle = new NaiveStore();
    const authors = maker.authors.map(({ pubkey }) => pubkey);
    for (let index = 0; index < EVENTS; index += 1) {
      const event = maker.event();
      await client.publish(event);
      oracle.add(event);
    }
    for (let index = 0; index < QUERIES; index += 1) {
      // Events of the other rounds are in the same relay: each asks for its own authors.
      const filters = Array.from({ length: 1 + dice.below(3) }, () => ({ authors, ...maker.filter() }));
      const { events } = await client.ask(filters);
      const expected = oracle.ask(filters, edge.now);
      expect(ids(events), `${label} ${JSON.stringify(filters)}`).toEqual(ids(expected));
      for (const event of events) expect(expected, label).toContainEqual(event);
      expect(await client.count(filters.map(({ limit: _, ...rest }: Filter) => rest)), label).toBe(
        oracle.ask(
          filters.map(({ limit: _, ...rest }: Filter) => rest),
          edge.now,
        ).length,
      );
    }
  });

  test('B-28 live events reach exactly the subscriptions whose filter fits', async () => {
    const maker = new Maker(dice, seconds() - 10);
    const authors = maker.authors.map(({ pubkey }) => pubkey);
    for (let index = 0; index < 40; index += 1) maker.event();
    maker.made.length = 0;
    const reader = await WireClient.open(edge.relay.url);
    const asked = new Map<string, Filter[]>();
    for (let index = 0; index < 40; index += 1) {
      const filters = [
        { authors, ...maker.filter(), limit: 0 },
        { authors, ...maker.filter(), limit: 0 },
      ];
      asked.set(`live-${index}`, filters);
      await reader.ask(filters, { id: `live-${index}`, stay: true });
    }
    const taken: NostrEvent[] = [];
    for (let index = 0; index < EVENTS; index += 1) {
      const event = maker.event();
      // What is not stored because a newer version is held is no news either.
      if ((await client.publish(event)) === 'true: ') taken.push(event);
    }
    await reader.settled();
    for (const [id, filters] of asked) {
      const expected = taken.filter(event => filters.some(filter => fits(filter, event)));
      expect(ids(reader.received(id)), `${label} ${JSON.stringify(filters)}`).toEqual(ids(expected));
    }
    reader.close();
  });
});

function ids(events: readonly NostrEvent[]): string[] {
  return events.map(({ id }) => id).sort();
}
