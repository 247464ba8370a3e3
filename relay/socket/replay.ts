// The stored part of a query: newest first, in slices so that a long one holds nobody up, and no faster than the
// client reads. COUNT walks the same way.

import type { Reader, StoredEvent } from '../context.ts';
import { LIMITS } from '../limits.ts';
import type { Filter } from '../protocol/event.ts';
import type { SqliteEvents } from '../store/events.ts';
import type { Visibility } from '../visibility/visibility.ts';
import { Turns } from './turns.ts';

/** One for the whole process, as there is one thread to share. */
const turns = new Turns();

export type ReplayParts = { events: SqliteEvents; visibility: Visibility };

/** Where a replay goes: a subscription of one client. */
export type ReplayTarget = {
  readonly reader: Reader;
  /** False ends the replay without another word. */
  isOpen(): boolean;
  send(stored: StoredEvent): void;
  isBehind(): boolean;
  whenRead(tell: () => void): void;
  done(end: ReplayEnd): void;
  /** The store could not be read. */
  failed(error: unknown): void;
};

/** `finish`: everything stored was sent. `more`: the limit cut it (NIP-67). */
export type ReplayEnd = 'finish' | 'more';

/** Steps of a query; `wait` asks to go on only once the client has read. */
export type Steps<T> = Generator<'pause' | 'wait', T, void>;
export type Walk<T> = Pick<ReplayTarget, 'isOpen' | 'whenRead' | 'failed'> & { done(result: T): void };

/** Sends what is stored now, then calls `done`; neither when the target closes meanwhile. */
export function replay(parts: ReplayParts, filters: readonly Filter[], target: ReplayTarget): void {
  walkInSlices(replaySteps(parts, filters, target), target);
}

/** Counts what the reader may see, each event once. */
export function count(
  parts: ReplayParts,
  filters: readonly Filter[],
  target: Omit<ReplayTarget, 'done' | 'send' | 'isBehind'> & { done(count: number): void },
): void {
  walkInSlices(countSteps(parts, filters, target.reader), target);
}

/** Runs the steps of a query to its end, sharing the thread with the others. */
export function walkInSlices<T>(steps: Steps<T>, walk: Walk<T>): void {
  const work = (until: number): void => {
    try {
      while (walk.isOpen()) {
        const step = steps.next();
        if (step.done === true) {
          walk.done(step.value);
          return;
        }
        if (step.value === 'wait') {
          walk.whenRead(() => turns.resume(work));
          return;
        }
        if (performance.now() > until) {
          turns.resume(work);
          return;
        }
      }
    } catch (error) {
      walk.failed(error);
    }
  };
  turns.begin(work);
}

function* replaySteps(
  parts: ReplayParts,
  filters: readonly Filter[],
  target: ReplayTarget,
): Steps<ReplayEnd> {
  const { events, visibility } = parts;
  const upTo = events.lastSeq;
  const sent = filters.length > 1 ? new Set<number>() : undefined;
  let end: ReplayEnd = 'finish';
  for (const filter of filters) {
    const limit = Math.min(filter.limit ?? LIMITS.defaultLimit, LIMITS.filterLimit);
    if (limit === 0) continue;
    let found = 0;
    for (const stored of events.walk(filter, { upTo })) {
      if (stored === undefined) {
        yield 'pause';
        continue;
      }
      if (!visibility.canRead(target.reader, stored.event)) continue;
      if (found === limit) {
        end = 'more';
        break;
      }
      found += 1;
      if (sent?.has(stored.seq)) continue;
      sent?.add(stored.seq);
      target.send(stored);
      if (target.isBehind()) yield 'wait';
    }
  }
  return end;
}

function* countSteps(
  { events, visibility }: ReplayParts,
  filters: readonly Filter[],
  reader: Reader,
): Steps<number> {
  const upTo = events.lastSeq;
  const seen = filters.length > 1 ? new Set<number>() : undefined;
  let total = 0;
  for (const filter of filters) {
    for (const stored of events.walk(filter, { upTo })) {
      if (stored === undefined) {
        yield 'pause';
        continue;
      }
      if (seen?.has(stored.seq) || !visibility.canRead(reader, stored.event)) continue;
      seen?.add(stored.seq);
      total += 1;
    }
  }
  return total;
}
