// Who is told of what has been committed: the sockets first, then whoever else listens.

import type { News } from './admission/admit.ts';
import type { AccessChange, Logger } from './context.ts';

export type NewsListener = (news: News) => void;

export class Newsroom {
  readonly #events = new Set<NewsListener>();
  readonly #access = new Set<(change: AccessChange) => void>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Hears of every event after its commit, ephemeral ones included. Answers the way out. */
  onEvent(listener: NewsListener): () => void {
    this.#events.add(listener);
    return () => this.#events.delete(listener);
  }

  /** Hears when what some keys may read has changed. */
  onAccess(listener: (change: AccessChange) => void): void {
    this.#access.add(listener);
  }

  announce(news: News): void {
    for (const tell of this.#events) this.#guard(() => tell(news));
  }

  accessChanged(change: AccessChange): void {
    for (const tell of this.#access) this.#guard(() => tell(change));
  }

  /** What is told has been committed: a listener that fails must not make it look otherwise. */
  #guard(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#log.error({ error: String(error) }, 'A listener failed');
    }
  }
}
