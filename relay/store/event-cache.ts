// Events read or stored lately, parsed. What many subscriptions ask for is mostly the same few hundred events.

import type { StoredEvent } from '../context.ts';

/** Two generations: when the young one is full it becomes the old one, and what was in the old one is let go. */
export class EventCache {
  readonly #limit: number;
  #young = new Map<number, StoredEvent>();
  #old = new Map<number, StoredEvent>();
  #characters = 0;

  /** `characters` of JSON that one generation may hold. */
  constructor(characters = 2_000_000) {
    this.#limit = characters;
  }

  get(seq: number): StoredEvent | undefined {
    const young = this.#young.get(seq);
    if (young !== undefined) return young;
    const old = this.#old.get(seq);
    if (old !== undefined) this.set(old);
    return old;
  }

  set(stored: StoredEvent): void {
    this.#young.set(stored.seq, stored);
    this.#characters += stored.json.length;
    if (this.#characters <= this.#limit) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#characters = 0;
  }

  delete(seq: number): void {
    this.#young.delete(seq);
    this.#old.delete(seq);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#characters = 0;
  }
}
