// One event on its way to its live readers: its frame is made once for each subscription id that is in use.

import type { News } from '../admission/admit.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { textFrame } from './wire.ts';

export class Delivery {
  readonly event: NostrEvent;
  readonly #json: string;
  readonly #frames = new Map<string, Buffer>();

  constructor(news: News) {
    this.event = news.event;
    this.#json = news.json;
  }

  frame(subscriptionId: string): Buffer {
    const made = this.#frames.get(subscriptionId);
    if (made !== undefined) return made;
    const frame = eventFrame(subscriptionId, this.#json);
    this.#frames.set(subscriptionId, frame);
    return frame;
  }
}

/** `["EVENT", id, event]` around JSON that is stored as it was first written. */
export function eventFrame(subscriptionId: string, json: string): Buffer {
  return textFrame(`["EVENT",${JSON.stringify(subscriptionId)},${json}]`);
}
