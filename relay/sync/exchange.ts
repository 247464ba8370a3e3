// Exchanging the events of a filter with another relay (NIP-77): find out who lacks what, a stretch of time at a time
// when there is too much for one session, and move it. Broken off at any point, the next run finds what is left.

import { RelayRefusal } from '../client/connection.ts';
import { reconcile } from '../client/reconcile.ts';
import type { Reader } from '../context.ts';
import { LIMITS } from '../limits.ts';
import type { Filter } from '../protocol/event.ts';
import { localSet } from './local-set.ts';
import { Transfer, type TransferCount, type TransferParts } from './transfer.ts';

export type ExchangeOptions = TransferParts & {
  /** What to exchange. Its `limit` is ignored. */
  filter: Filter;
  /** Whose eyes choose what may leave: nothing is pushed that these keys may not read here. */
  reader: Reader;
  /** Default `both`. */
  ways?: 'pull' | 'push' | 'both';
  /** Ids one comparison holds; more and the time is divided. */
  most?: number;
};

/** `finished` is false when the signal ended it early. */
export type Exchanged = TransferCount & { finished: boolean };

type Stretch = { since: number; until: number };

const END_OF_TIME = 2 ** 40;

/** Rejects with RelayRefusal when the other relay refuses the filter, cannot reconcile or is gone. */
export async function exchange(options: ExchangeOptions): Promise<Exchanged> {
  const transfer = new Transfer(options);
  const { limit: _, since = 0, until = END_OF_TIME, ...filter } = options.filter;
  const open: Stretch[] = since <= until ? [{ since, until }] : [];
  while (!transfer.isStopped) {
    const stretch = open.pop();
    if (stretch === undefined) break;
    const parts = await compare({ ...options, filter }, stretch, transfer);
    // The later part lies deeper: rooms come before what is said in them.
    open.push(...parts);
  }
  if (!transfer.isStopped) await transfer.finish();
  return { ...transfer.count, finished: !transfer.isStopped };
}

/** Settles a stretch, or answers the parts it must be divided into, later first. */
async function compare(options: ExchangeOptions, stretch: Stretch, transfer: Transfer): Promise<Stretch[]> {
  const { relay, connection, reader, ways = 'both', most = LIMITS.negentropyRecords } = options;
  const filter = { ...options.filter, ...stretch };
  const ours = await localSet(relay, { filter, reader, most });
  if ('tooManyAt' in ours) return divided(stretch, ours.tooManyAt);
  const { items } = ours;
  try {
    const { have, need } = await reconcile(connection, filter, items);
    if (ways !== 'push') await transfer.pull(need);
    if (ways !== 'pull') await transfer.push(have);
    return [];
  } catch (error) {
    const isTooMuch = error instanceof RelayRefusal && error.reason.startsWith('blocked: ');
    if (!isTooMuch || stretch.since === stretch.until) throw error;
    const middle = items.size > 1 ? items.timestampAt(items.size >> 1) : (stretch.since + stretch.until) / 2;
    return divided(stretch, Math.floor(middle));
  }
}

/** Two parts that meet after `at`, or in the middle when that would leave one of them empty. */
function divided({ since, until }: Stretch, at: number): Stretch[] {
  if (since === until) throw new RelayRefusal('blocked: too many events in one second to compare');
  const middle = at >= since && at < until ? at : Math.floor((since + until) / 2);
  return [
    { since: middle + 1, until },
    { since, until: middle },
  ];
}
