// One open REQ. While its stored events are being sent, live ones wait, so that each arrives once and after them.

import type { Filter } from '../protocol/event.ts';
import { type Matcher, matcher } from '../protocol/filter.ts';
import type { Delivery } from './delivery.ts';

/** Live events that may wait for a slow reader of history. */
const MOST_WAITING = 5_000;

/** What a subscription needs of its connection. */
export type Outlet = {
  readonly keys: readonly string[];
  deliver(subscription: Subscription, delivery: Delivery): void;
  endSubscription(id: string, reason: string): void;
};

export class Subscription {
  readonly id: string;
  readonly filters: readonly Filter[];
  readonly matchers: readonly Matcher[];
  readonly outlet: Outlet;
  /** Once false it never sends again, whatever is still under way. */
  isOpen = true;
  /** The last delivery it was looked at for: several of its filters may name one event. */
  lastSeen: Delivery | undefined;
  #waiting: Delivery[] | null = [];

  constructor(id: string, filters: readonly Filter[], outlet: Outlet) {
    this.id = id;
    this.filters = filters;
    this.matchers = filters.map(matcher);
    this.outlet = outlet;
  }

  /** Takes a live event; false when too many wait already. */
  take(delivery: Delivery): boolean {
    if (this.#waiting === null) {
      this.outlet.deliver(this, delivery);
      return true;
    }
    if (this.#waiting.length >= MOST_WAITING) return false;
    this.#waiting.push(delivery);
    return true;
  }

  /** Stored events have all been sent: those that waited follow, later ones go at once. */
  goLive(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const delivery of waiting) this.outlet.deliver(this, delivery);
  }
}
