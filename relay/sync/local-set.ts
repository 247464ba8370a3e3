// Our side of an exchange: the ids of what one reader may see here, collected without holding up the relay.

import { setImmediate as turn } from 'node:timers/promises';
import type { Reader, RelayContext } from '../context.ts';
import type { Filter } from '../protocol/event.ts';
import { NegentropyBuilder, type NegentropyItems } from '../protocol/negentropy-items.ts';

export type LocalParts = Pick<RelayContext, 'store' | 'visibility'>;

/** The whole set, or the time of the event with which it became too large. */
export type LocalSet = { items: NegentropyItems } | { tooManyAt: number };

/** Events looked at between two pauses. */
const STRIDE = 500;

/** Collects at most `most` ids; newest first, so that `tooManyAt` leaves fewer than that after it. */
export async function localSet(
  { store, visibility }: LocalParts,
  { filter, reader, most }: { filter: Filter; reader: Reader; most: number },
): Promise<LocalSet> {
  const builder = new NegentropyBuilder();
  let looked = 0;
  for (const event of store.events.scan(filter)) {
    looked += 1;
    if (looked % STRIDE === 0) await turn();
    if (!visibility.canRead(reader, event)) continue;
    if (builder.size === most) return { tooManyAt: event.created_at };
    builder.add(event.created_at, event.id);
  }
  return { items: builder.build() };
}
