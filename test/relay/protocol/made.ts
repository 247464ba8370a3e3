// Events for tests of pure code: right in shape, with ids and keys that are easy to read, never signed.

import type { NostrEvent } from '../../../relay/protocol/event.ts';

/** A 64-digit hex text told apart by one short hex word: `hex('a1')` is `a1a1...`. */
export function hex(word: string): string {
  return word.repeat(64).slice(0, 64);
}

let made = 0;

/** An event with the fields given; each has an id of its own, later ones higher. */
export function madeEvent(fields: Partial<NostrEvent> = {}): NostrEvent {
  made += 1;
  return {
    id: made.toString(16).padStart(64, '0'),
    pubkey: hex('ab'),
    created_at: 1_700_000_000,
    kind: 1,
    tags: [],
    content: '',
    sig: '0'.repeat(128),
    ...fields,
  };
}

/** A random generator from a seed (mulberry32): a failing run can be had again. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed of this run: `SEED` to repeat one, else a new one. */
export function testSeed(): number {
  const given = process.env.SEED;
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
}
