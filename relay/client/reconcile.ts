// Which events only one of two sides holds (NIP-77): the asking side, over a connection to the other relay. It finds
// ids; the events themselves travel by REQ and EVENT.

import type { Filter } from '../protocol/event.ts';
import { continueNegentropy, openNegentropy } from '../protocol/negentropy.ts';
import type { NegentropyItems } from '../protocol/negentropy-items.ts';
import type { RelayConnection } from './connection.ts';

export type Reconciliation = {
  /** Ids that only we hold. */
  have: Set<string>;
  /** Ids that only the relay holds, in the order in which it told of them. */
  need: Set<string>;
};

/** More rounds than any honest dialogue takes: each settles at least a sixteenth of what is open. */
const MOST_ROUNDS = 10_000;

/** Compares `items`, which must be ours for the same filter. Rejects with RelayRefusal; `timeoutMs` is per answer. */
export async function reconcile(
  connection: RelayConnection,
  filter: Filter,
  items: NegentropyItems,
  options: { timeoutMs?: number } = {},
): Promise<Reconciliation> {
  const have = new Set<string>();
  const need = new Set<string>();
  let rounds = 0;
  const next = (answer: unknown) => {
    const progress = continueNegentropy(items, answer);
    if (!progress.ok) return { end: `invalid: negentropy ${progress.fault.text}` };
    for (const id of progress.have) have.add(id);
    for (const id of progress.need) need.add(id);
    rounds += 1;
    if (rounds > MOST_ROUNDS) return { end: 'error: the relay comes to no end' };
    return progress.reply === null ? { end: null } : { send: progress.reply };
  };
  await connection.negotiate(filter, { first: openNegentropy(items), next }, options);
  return { have, need };
}
