// The stored part of a query: newest first, in slices so that a long one holds nobody up, and no faster than the
// client reads. COUNT walks the same way.

import type { Reader, StoredEvent } from '../context.ts';
import { LIMITS } from '../limits.ts';
import type { Filter } from '../protocol/event.ts';
import type { SqliteEvents } from '../store/events.ts';
import type { Visibility } from '../visibility/visibility.ts';

/** How long one query may hold the thread, ms. */
const SLICE = 8;

export type ReplayParts = { events: SqliteEvents; visibility: Visibility };

/** Where a replay goes: a subscription of one client. */
export type ReplayTarget = {
  readonly reader: Reader;
  /** False ends the replay without another word. */
  isOpen(): boolean;
  send(stored: StoredEvent): void;
  isBehind(): boolean;
  whenRead(tell: () => void): void;
};

/** `finish`: everything stored was sent. `more`: the limit cut it (NIP-67). */
export type ReplayEnd = 'finish' | 'more';

/** Steps of a replay; `wait` asks to go on only once the client has read. */
type Steps = Generator<'pause' | 'wait', ReplayEnd, void>;

/** Sends what is stored now and answers how it ended; undefined when the target closed. Never rejects for I/O. */
export function replay(
  parts: ReplayParts,
  filters: readonly Filter[],
  target: ReplayTarget,
  done: (end: ReplayEnd) => void,
): void {
  run(replaySteps(parts, filters, target), target, done);
}

function run(steps: Steps, target: ReplayTarget, done: (end: ReplayEnd) => void): void {
  const until = performance.now() + SLICE;
  while (target.isOpen()) {
    const step = steps.next();
    if (step.done === true) {
      done(step.value);
      return;
    }
    if (step.value === 'wait') {
      target.whenRead(() => run(steps, target, done));
      return;
    }
    if (performance.now() > until) {
      setImmediate(() => run(steps, target, done));
      return;
    }
  }
}

function* replaySteps(parts: ReplayParts, filters: readonly Filter[], target: ReplayTarget): Steps {
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

/** Counts what the reader may see, each event once, without holding the thread. */
export function count(
  parts: ReplayParts,
  filters: readonly Filter[],
  reader: Reader,
  done: (count: number) => void,
): void {
  const steps = countSteps(parts, filters, reader);
  const go = () => {
    const until = performance.now() + SLICE;
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        done(step.value);
        return;
      }
      if (performance.now() > until) {
        setImmediate(go);
        return;
      }
    }
  };
  go();
}

function* countSteps(
  { events, visibility }: ReplayParts,
  filters: readonly Filter[],
  reader: Reader,
): Generator<void, number, void> {
  const upTo = events.lastSeq;
  const seen = filters.length > 1 ? new Set<number>() : undefined;
  let total = 0;
  for (const filter of filters) {
    for (const stored of events.walk(filter, { upTo })) {
      if (stored === undefined) {
        yield;
        continue;
      }
      if (seen?.has(stored.seq) || !visibility.canRead(reader, stored.event)) continue;
      seen?.add(stored.seq);
      total += 1;
    }
  }
  return total;
}
