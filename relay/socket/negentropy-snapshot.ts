// The set a negentropy session is about: what its reader may see at its opening, through the one visibility function,
// and how many ids the sessions of all clients hold together.

import type { Reader } from '../context.ts';
import type { Filter } from '../protocol/event.ts';
import { NegentropyBuilder, type NegentropyItems } from '../protocol/negentropy-items.ts';
import { type ReplayParts, type Steps, walkInSlices } from './replay.ts';

/** Ids the relay keeps in memory for sessions at one time. */
export class RecordBudget {
  readonly #most: number;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get held(): number {
    return this.#held;
  }

  /** Takes room for one; false when there is none. */
  take(): boolean {
    if (this.#held >= this.#most) return false;
    this.#held += 1;
    return true;
  }

  give(count: number): void {
    this.#held -= count;
  }
}

export type SnapshotTarget = {
  readonly reader: Reader;
  /** False ends it without another word. */
  isOpen(): boolean;
  /** Is there room for one more id? */
  take(): 'taken' | 'full' | 'busy';
  full(): void;
  busy(): void;
  done(items: NegentropyItems): void;
  failed(error: unknown): void;
};

/** Collects the set in slices; one of `full`, `busy`, `done` and `failed` is called, unless the target closes. */
export function snapshot(parts: ReplayParts, filter: Filter, target: SnapshotTarget): void {
  walkInSlices(steps(parts, filter, target), {
    isOpen: () => target.isOpen(),
    // Nothing is sent meanwhile, so there is nothing to wait for.
    whenRead: go => go(),
    done: result => {
      if (result === 'full') target.full();
      else if (result === 'busy') target.busy();
      else target.done(result);
    },
    failed: error => target.failed(error),
  });
}

function* steps(
  { events, visibility }: ReplayParts,
  filter: Filter,
  target: SnapshotTarget,
): Steps<NegentropyItems | 'full' | 'busy'> {
  const builder = new NegentropyBuilder();
  const most = filter.limit ?? Number.POSITIVE_INFINITY;
  if (most === 0) return builder.build();
  for (const stored of events.walk(filter, { upTo: events.lastSeq })) {
    if (stored === undefined) {
      yield 'pause';
      continue;
    }
    if (!visibility.canRead(target.reader, stored.event)) continue;
    const room = target.take();
    if (room !== 'taken') return room;
    builder.add(stored.event.created_at, stored.event.id);
    if (builder.size === most) break;
  }
  return builder.build();
}
