// What comes in from the relay: the stored past first, sorted, then everything as it happens. Own events are read
// before others, so that a mention answered under an older journal is not answered again (case I6).

import type { RelayConnection } from '../../relay/client/connection.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { filtersOf, type Listener } from './mention.ts';

export type WatchHandlers = {
  /** One of our own job requests or answers. */
  own(event: NostrEvent): void;
  /** A mention or a job request. */
  asked(event: NostrEvent): void;
  reaction(event: NostrEvent): void;
  jobCancelled(event: NostrEvent): void;
  /** The past is read; work may begin. Again after every reconnect. */
  caughtUp(): void;
  /** The relay does not let the agent listen any more. */
  refused(reason: string): void;
};

export class Watch {
  readonly #listener: Listener;
  readonly #handlers: WatchHandlers;
  readonly #subscription: { close(): void };
  #past: NostrEvent[] | null = [];
  #catchingUp = false;

  constructor(
    connection: RelayConnection,
    listener: Listener,
    watermark: () => number,
    handlers: WatchHandlers,
  ) {
    this.#listener = listener;
    this.#handlers = handlers;
    this.#subscription = connection.subscribe(
      'tiny-agent',
      () => {
        // Asked again after every reconnect: the past comes again as well.
        this.#past = [];
        return filtersOf(listener, watermark(), Math.floor(Date.now() / 1000));
      },
      {
        event: event => {
          if (this.#past === null) this.#take(event);
          else this.#past.push(event);
        },
        eose: () => this.#caughtUp(),
        closed: reason => handlers.refused(reason),
      },
    );
  }

  /** True while the stored past is handed on. */
  get catchingUp(): boolean {
    return this.#catchingUp;
  }

  close(): void {
    this.#subscription.close();
  }

  #caughtUp(): void {
    const past = this.#past ?? [];
    this.#past = null;
    const isOwn = (event: NostrEvent) => event.pubkey === this.#listener.pubkey;
    const oldestFirst = (a: NostrEvent, b: NostrEvent) =>
      a.created_at - b.created_at || weight(a) - weight(b);
    this.#catchingUp = true;
    for (const event of past.filter(isOwn)) this.#take(event);
    for (const event of past.filter(event => !isOwn(event)).sort(oldestFirst)) this.#take(event);
    this.#catchingUp = false;
    this.#handlers.caughtUp();
  }

  #take(event: NostrEvent): void {
    if (event.pubkey === this.#listener.pubkey) {
      this.#handlers.own(event);
    } else if (event.kind === KIND.reaction) this.#handlers.reaction(event);
    else if (event.kind === KIND.jobCancel) this.#handlers.jobCancelled(event);
    else this.#handlers.asked(event);
  }
}

/** Within one second a word to stop comes after what it may stop. */
function weight(event: NostrEvent): number {
  return event.kind === KIND.jobCancel || /(^|\s)\/(cancel|stop)(\s|$)/.test(event.content) ? 1 : 0;
}
