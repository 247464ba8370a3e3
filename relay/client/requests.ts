// The REQs of one connection: sent again after a reconnect, after AUTH and after the relay closed them because access
// changed; what arrives is checked before anybody sees it (NIP-01, spec/http-surface.md section 12).

import type { Filter, NostrEvent } from '../protocol/event.ts';
import { type Matcher, matcher } from '../protocol/filter.ts';
import type { Wire } from './publications.ts';
import { receivedEvent } from './received-event.ts';

export type SubscriptionHandlers = {
  /** A checked event. After a reconnect or a changed access the same one may come again. */
  event(event: NostrEvent): void;
  eose?(): void;
  /** The relay refuses this REQ. It is asked again by itself later, except for `invalid:` and `unsupported:`. */
  closed?(reason: string): void;
};

type Request = {
  id: string;
  filters: () => Filter[];
  /** Tests of the filters in force; empty while no REQ is out. */
  sent: Matcher[];
  handlers: SubscriptionHandlers;
  awaitsAuth: boolean;
  /** Refusals since the last EOSE, which set the pause before the next try. */
  refusals: number;
  lastRefusal: string;
  retry: NodeJS.Timeout | undefined;
  /** For a query: it ends with its first answer, and with the connection. */
  onLost: (() => void) | undefined;
};

export type Pauses = { min: number; max: number };

export class Requests {
  readonly #requests = new Map<string, Request>();
  readonly #wire: Wire;
  readonly #pauses: Pauses;
  #online = false;

  constructor(wire: Wire, pauses: Pauses) {
    this.#wire = wire;
    this.#pauses = pauses;
  }

  /** Opens a REQ under `id`, in place of an older one of that id; returns what ends it. */
  open(
    id: string,
    filters: () => Filter[],
    handlers: SubscriptionHandlers,
    onLost?: () => void,
  ): { close(): void } {
    clearTimeout(this.#requests.get(id)?.retry);
    const request: Request = {
      id,
      filters,
      sent: [],
      handlers,
      awaitsAuth: false,
      refusals: 0,
      lastRefusal: '',
      retry: undefined,
      onLost,
    };
    this.#requests.set(id, request);
    if (this.#online) this.#send(request);
    return {
      close: () => {
        clearTimeout(request.retry);
        if (this.#requests.get(id) !== request) return;
        this.#requests.delete(id);
        if (request.sent.length > 0) this.#wire.send(['CLOSE', id]);
      },
    };
  }

  connected(): void {
    this.#online = true;
    for (const request of [...this.#requests.values()]) this.#send(request);
  }

  disconnected(): void {
    this.#online = false;
    for (const request of [...this.#requests.values()]) {
      clearTimeout(request.retry);
      request.sent = [];
      request.awaitsAuth = false;
      if (request.onLost === undefined) continue;
      this.#requests.delete(request.id);
      request.onLost();
    }
  }

  authenticated(): void {
    for (const request of [...this.#requests.values()]) if (request.awaitsAuth) this.#send(request);
  }

  received(id: string, input: unknown): void {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    const event = receivedEvent(input);
    if (event !== null && request.sent.some(matches => matches(event))) request.handlers.event(event);
  }

  exhausted(id: string): void {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    request.refusals = 0;
    request.lastRefusal = '';
    request.handlers.eose?.();
  }

  refused(id: string, reason: string): void {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    request.sent = [];
    if (reason.startsWith('auth-required:') && request.refusals === 0 && this.#wire.authenticate()) {
      request.refusals += 1;
      request.awaitsAuth = true;
      return;
    }
    if (!reason.startsWith('blocked:') || request.onLost !== undefined) {
      const news = request.lastRefusal !== reason;
      request.lastRefusal = reason;
      if (news) request.handlers.closed?.(reason);
      if (this.#requests.get(id) !== request) return;
    }
    const pause = this.#pauseAfter(reason, request.refusals);
    request.refusals += 1;
    if (pause !== null) request.retry = setTimeout(() => this.#send(request), pause);
  }

  /** Milliseconds before asking again; null for a REQ that will never be right. */
  #pauseAfter(reason: string, refusals: number): number | null {
    if (/^(invalid|unsupported):/.test(reason)) return null;
    if (reason.startsWith('blocked:')) {
      return refusals === 0 ? 0 : Math.min(this.#pauses.max, this.#pauses.min * 2 ** (refusals - 1));
    }
    if (/^(rate-limited|error):/.test(reason)) {
      return Math.min(this.#pauses.max, this.#pauses.min * 2 ** Math.min(refusals, 20));
    }
    return this.#pauses.max;
  }

  #send(request: Request): void {
    clearTimeout(request.retry);
    request.awaitsAuth = false;
    if (!this.#online || this.#requests.get(request.id) !== request) return;
    const filters = request.filters();
    request.sent = filters.map(matcher);
    if (filters.length === 0) {
      // Nothing asked for (no rooms yet): there is nothing to wait for either.
      this.exhausted(request.id);
      return;
    }
    this.#wire.send(['REQ', request.id, ...filters]);
  }
}
