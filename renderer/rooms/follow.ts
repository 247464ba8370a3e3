// What of a conversation has been seen, and what came since. Pure.

import type { Entry } from './conversation.ts';

/** Seen: everything before that second, and within it these. */
export type Seen = { at: number; ids: ReadonlySet<string> };

export const nothingSeen: Seen = { at: 0, ids: new Set() };

function* all(entries: readonly Entry[]): Generator<Entry> {
  for (const entry of entries) {
    yield entry;
    yield* all(entry.answers);
  }
}

/** Everything there is, as seen. */
export function seenNow(entries: readonly Entry[]): Seen {
  let at = 0;
  let ids = new Set<string>();
  for (const entry of all(entries)) {
    if (entry.at > at) {
      at = entry.at;
      ids = new Set();
    }
    if (entry.at === at) ids.add(entry.id);
  }
  return { at, ids };
}

/** How much came after what was seen, from others. What is loaded above is older and does not count. */
export function missedSince(entries: readonly Entry[], seen: Seen, me: string): number {
  let count = 0;
  for (const entry of all(entries)) {
    if (entry.author === me || entry.at < seen.at) continue;
    if (entry.at > seen.at || !seen.ids.has(entry.id)) count += 1;
  }
  return count;
}
