// Who is told of what the relay takes in: some inside its transaction, the sockets after the commit, then whoever else
// listens.

import type { News } from './admission/admit.ts';
import type { AccessChange, Logger } from './context.ts';

export type NewsListener = (news: News) => void;

export class Newsroom {
  readonly #events = new Set<NewsListener>();
  readonly #taken = new Set<NewsListener>();
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

  /** Hears of every event inside the transaction that takes it in; what is thrown undoes the event. */
  onTaken(listener: NewsListener): void {
    this.#taken.add(listener);
  }

  /** Hears when what some keys may read has changed. Answers the way out. */
  onAccess(listener: (change: AccessChange) => void): () => void {
    this.#access.add(listener);
    return () => this.#access.delete(listener);
  }

  /** Call inside the transaction, after all that the event changes. */
  taken(news: News): void {
    for (const keep of this.#taken) keep(news);
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
