// Events on their way to the relay: sent, waiting for OK, sent once more after `auth-required:` (NIP-01, NIP-42).

import type { NostrEvent } from '../protocol/event.ts';

/** What the relay said of an event. `reason` is empty or `prefix: text`. */
export type Publication = { ok: boolean; reason: string };

export type Wire = {
  /** Sends one message; false when there is no open socket. */
  send(message: unknown[]): boolean;
  /** Starts NIP-42 again for the challenge in hand; false when that is impossible. */
  authenticate(): boolean;
};

type Pending = {
  event: NostrEvent;
  waiters: Set<(publication: Publication) => void>;
  awaitsAuth: boolean;
  sentAgain: boolean;
};

export class Publications {
  readonly #pending = new Map<string, Pending>();
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Sends and waits. The same event published twice at once shares one answer. */
  add(event: NostrEvent, timeoutMs: number): Promise<Publication> {
    return new Promise(resolve => {
      const known = this.#pending.get(event.id);
      const pending = known ?? { event, waiters: new Set(), awaitsAuth: false, sentAgain: false };
      const timer = setTimeout(() => {
        pending.waiters.delete(settle);
        if (pending.waiters.size === 0) this.#pending.delete(event.id);
        resolve({ ok: false, reason: 'error: no answer in time' });
      }, timeoutMs);
      const settle = (publication: Publication) => {
        clearTimeout(timer);
        resolve(publication);
      };
      pending.waiters.add(settle);
      if (known !== undefined) return;
      this.#pending.set(event.id, pending);
      if (!this.#wire.send(['EVENT', event])) this.#settle(event.id, lost);
    });
  }

  /** The relay's OK for an event; unknown ids are passed over. */
  answered(id: string, ok: boolean, reason: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    if (!ok && reason.startsWith('auth-required:') && !pending.sentAgain && this.#wire.authenticate()) {
      pending.awaitsAuth = true;
      pending.sentAgain = true;
      return;
    }
    this.#settle(id, { ok, reason });
  }

  authenticated(): void {
    for (const pending of this.#pending.values()) {
      if (!pending.awaitsAuth) continue;
      pending.awaitsAuth = false;
      this.#wire.send(['EVENT', pending.event]);
    }
  }

  /** The socket is gone: nobody knows whether the open ones were stored. */
  disconnected(): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id, lost);
  }

  #settle(id: string, publication: Publication): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    for (const settle of pending?.waiters ?? []) settle(publication);
  }
}

const lost: Publication = { ok: false, reason: 'error: connection lost' };
