// Which room an event belongs to, also for a reaction or deletion that does not say: it is where its target is.

import type { NostrEvent } from '../../relay/protocol/event.ts';
import { tagValue, tagValues } from '../../relay/protocol/tags.ts';

const REMEMBERED = 20_000;

export class RoomOfEvent {
  readonly #rooms = new Map<string, string>();

  /** Remembers the room of an event that names one. */
  learn(event: NostrEvent): void {
    const room = tagValue(event, 'h');
    if (room === undefined || this.#rooms.has(event.id)) return;
    this.#rooms.set(event.id, room);
    if (this.#rooms.size <= REMEMBERED) return;
    for (const oldest of this.#rooms.keys()) if (this.#rooms.delete(oldest)) break;
  }

  /** The room, or undefined when neither the event nor what is known of its targets tells. */
  find(event: NostrEvent): string | undefined {
    const named = tagValue(event, 'h');
    if (named !== undefined) return named;
    for (const target of tagValues(event, 'e')) {
      const room = this.#rooms.get(target);
      if (room !== undefined) return room;
    }
    return undefined;
  }
}
