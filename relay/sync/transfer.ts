// Moving events between two relays once it is known who lacks which: ours out by EVENT, theirs in through the one
// admission. An event may rest on another (a message on its room), so what is refused is tried once more at the end.

import { type RelayConnection, RelayRefusal } from '../client/connection.ts';
import type { Origin, RelayContext } from '../context.ts';
import type { NostrEvent } from '../protocol/event.ts';

export type TransferParts = {
  relay: Pick<RelayContext, 'store' | 'visibility' | 'admission' | 'self'>;
  connection: RelayConnection;
  onRefused?(id: string, reason: string): void;
  onProgress?(count: TransferCount): void;
  signal?: AbortSignal;
};

export type TransferCount = {
  /** Taken in here, and by the other relay. */
  pulled: number;
  pushed: number;
  /** Refused here or there, with `onRefused`. */
  refused: number;
  /** Left where they are: protected (NIP-70), or records that the relay of their origin alone may sign. */
  left: number;
};

type Sent = { event: NostrEvent; reason: string | null };

const PULL_BATCH = 200;
const PUSH_BATCH = 64;
/** Refused events kept for a second try; more than that are told at once. */
const MOST_AGAIN = 5000;
const ORIGIN: Origin = { via: 'import', keys: [] };

export class Transfer {
  readonly count: TransferCount = { pulled: 0, pushed: 0, refused: 0, left: 0 };
  readonly #parts: TransferParts;
  readonly #again: { pulled: NostrEvent[]; pushed: NostrEvent[] } = { pulled: [], pushed: [] };

  constructor(parts: TransferParts) {
    this.#parts = parts;
  }

  get isStopped(): boolean {
    return this.#parts.signal?.aborted === true;
  }

  /** Fetches events by their ids and takes them in. Rejects with RelayRefusal when the other relay is gone. */
  async pull(ids: Iterable<string>): Promise<void> {
    const { relay, connection } = this.#parts;
    const missing = [...ids].filter(id => relay.store.events.get(id) === null);
    for (const batch of batches(missing, PULL_BATCH)) {
      if (this.isStopped) return;
      const events = await connection.query([{ ids: batch, limit: batch.length }]);
      await this.#send(this.#movable(events), 'pulled');
    }
  }

  /** Publishes events of ours there. Rejects with RelayRefusal when the other relay is gone. */
  async push(ids: Iterable<string>): Promise<void> {
    const { store } = this.#parts.relay;
    for (const batch of batches([...ids], PUSH_BATCH)) {
      if (this.isStopped) return;
      // Removed since the sets were compared: nothing to send.
      const events = batch.map(id => store.events.get(id)).filter(event => event !== null);
      await this.#send(this.#movable(events), 'pushed');
    }
  }

  /** Tries once more what was refused, oldest first, and tells what is refused for good. */
  async finish(): Promise<void> {
    for (const way of ['pulled', 'pushed'] as const) {
      for (const batch of batches(oldestFirst(this.#again[way].splice(0)), PUSH_BATCH)) {
        if (this.isStopped) return;
        this.#tell(await this.#offerAll(batch, way), way, false);
      }
    }
  }

  #movable(events: readonly NostrEvent[]): NostrEvent[] {
    const movable = events.filter(
      event => !isProtected(event) && event.pubkey !== this.#parts.relay.self.pubkey,
    );
    this.count.left += events.length - movable.length;
    return oldestFirst(movable);
  }

  async #send(events: readonly NostrEvent[], way: 'pulled' | 'pushed'): Promise<void> {
    this.#tell(await this.#offerAll(events, way), way, true);
  }

  #offerAll(events: readonly NostrEvent[], way: 'pulled' | 'pushed'): Promise<Sent[]> {
    const offer = way === 'pulled' ? this.#takeIn : this.#publish;
    return Promise.all(events.map(async event => ({ event, reason: await offer(event) })));
  }

  /** Null when it was taken, or the reason why not. */
  #takeIn = async (event: NostrEvent): Promise<string | null> => {
    const { accepted, message } = await this.#parts.relay.admission.publish(event, ORIGIN);
    return accepted ? null : message;
  };

  #publish = async (event: NostrEvent): Promise<string | null> => {
    const { ok, reason } = await this.#parts.connection.publish(event);
    if (!ok && LOST.has(reason)) throw new RelayRefusal(reason);
    return ok ? null : reason;
  };

  #tell(sent: readonly Sent[], way: 'pulled' | 'pushed', isFirst: boolean): void {
    for (const { event, reason } of sent) {
      if (reason === null) {
        this.count[way] += 1;
      } else if (isFirst && this.#again[way].length < MOST_AGAIN) {
        this.#again[way].push(event);
      } else {
        this.count.refused += 1;
        this.#parts.onRefused?.(event.id, reason);
      }
    }
    this.#parts.onProgress?.({ ...this.count });
  }
}

/** Said by our own connection, not by the other relay. */
const LOST = new Set(['error: not connected', 'error: connection lost', 'error: no answer in time']);

function isProtected(event: NostrEvent): boolean {
  return event.tags.some(tag => tag[0] === '-');
}

function* batches<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

function oldestFirst(events: readonly NostrEvent[]): NostrEvent[] {
  return [...events].sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
}
