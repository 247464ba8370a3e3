// Numbers that look random and come again with the same seed; a test prints its seed when it fails.

export type Random = {
  seed: number;
  /** 0 up to, not including, 1. */
  next(): number;
  /** 0 up to, not including, `limit`. */
  below(limit: number): number;
  pick<T>(values: readonly T[]): T;
  chance(share: number): boolean;
};

export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    seed,
    next,
    below,
    pick: values => values[below(values.length)]!,
    chance: share => next() < share,
  };
}
