// Repeatable randomness and sets of ids for the negentropy tests.

import { NegentropyBuilder, type NegentropyItems } from '../../../relay/protocol/negentropy-items.ts';

export type Item = { timestamp: number; id: string };

/** Numbers in [0, below) from a seed (mulberry32). */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return below => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** The seed of this run: TEST_SEED repeats one that failed. */
export function runSeed(): number {
  const given = Number(process.env.TEST_SEED);
  return Number.isSafeInteger(given) && given > 0 ? given : (Date.now() % 2 ** 31) | 1;
}

export function randomId(next: (below: number) => number): string {
  let id = '';
  while (id.length < 64)
    id += next(2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return id;
}

/** `times` is how many different timestamps there are: few make long runs of equal ones. */
export function randomItems(next: (below: number) => number, size: number, times: number): Item[] {
  return Array.from({ length: size }, () => ({ timestamp: 1_700_000_000 + next(times), id: randomId(next) }));
}

export function setOf(items: readonly Item[]): NegentropyItems {
  const builder = new NegentropyBuilder();
  for (const { timestamp, id } of items) builder.add(timestamp, id);
  return builder.build();
}

export function idsMissingFrom(others: readonly Item[], items: readonly Item[]): string[] {
  const known = new Set(others.map(item => item.id));
  return items
    .map(item => item.id)
    .filter(id => !known.has(id))
    .sort();
}
