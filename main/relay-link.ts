// Main's own connection to its relay, as the owner: what the person does in the dashboard is signed and sent here,
// and every feature listens here. Refusals become CallFailures with the relay's words as details.

import { RelayConnection, RelayRefusal, type Subscription } from '../relay/client/connection.ts';
import { RelayRpc, RpcFailure } from '../relay/client/rpc.ts';
import type { Signer } from '../relay/client/signer.ts';
import type { EventTemplate, Filter, NostrEvent } from '../relay/protocol/event.ts';
import { CallFailure } from './bridge.ts';
import type { AppState } from './contract/app.ts';

/** A template whose time is filled in at signing unless it is given. */
export type Draft = Omit<EventTemplate, 'created_at'> & { created_at?: number };

export type LinkState = AppState['connection'];

export type RelayLink = {
  /** Public key of the owner, in hex. */
  readonly owner: string;
  /** The relay's WebSocket address. */
  readonly url: string;
  readonly state: LinkState;
  onState(listener: (state: LinkState) => void): () => void;
  /** Signs as the owner, publishes, answers the stored event. Throws CallFailure `refused` or `unavailable`. */
  publish(draft: Draft): Promise<NostrEvent>;
  /** A standing subscription; `live` comes after each end of stored events, also after a reconnect. */
  subscribe(
    id: string,
    filters: () => Filter[],
    handlers: { event(event: NostrEvent): void; live?(): void },
  ): Subscription;
  /** Stored events, newest first. Throws CallFailure. */
  query(filters: Filter[]): Promise<NostrEvent[]>;
  /** A management or browse method. Throws CallFailure. */
  call<T>(method: string, ...params: unknown[]): Promise<T>;
  close(): Promise<void>;
};

/** How many of the person's last events are told apart. */
const REMEMBERED = 64;

/** Opens the owner's connection to the relay at `url` and keeps it open. */
export function openRelayLink(url: string, signer: Signer): RelayLink {
  // The relay is on this machine and supervised: a restart should be felt as short as it is.
  const connection = new RelayConnection({ url, signer, minBackoff: 200, maxBackoff: 5_000 });
  const rpc = new RelayRpc({ url, signer });
  const listeners = new Set<(state: LinkState) => void>();
  let state: LinkState = { state: 'offline', since: Date.now() };
  connection.onState(now => {
    const since = now.state === state.state ? state.since : Date.now();
    state = { state: now.state, since, ...(now.reason === undefined ? {} : { reason: now.reason }) };
    for (const listener of listeners) listener(state);
  });
  connection.connect();

  const recent: string[] = [];
  /** Signs; the same words said twice in one second are two events, so the second is dated a second later. */
  function fresh({ kind, tags, content, created_at }: Draft): NostrEvent {
    let at = created_at ?? Math.floor(Date.now() / 1000);
    let event = signer.sign({ kind, tags, content, created_at: at });
    while (created_at === undefined && recent.includes(event.id)) {
      at += 1;
      event = signer.sign({ kind, tags, content, created_at: at });
    }
    if (recent.push(event.id) > REMEMBERED) recent.shift();
    return event;
  }

  return {
    owner: signer.pubkey,
    url,
    get state() {
      return state;
    },
    onState(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async publish(draft) {
      const event = fresh(draft);
      const { ok, reason } = await connection.publish(event);
      if (!ok) throw refusal(reason);
      return event;
    },
    subscribe(id, filters, { event, live }) {
      return connection.subscribe(id, filters, { event, ...(live === undefined ? {} : { eose: live }) });
    },
    async query(filters) {
      try {
        return await connection.query(filters);
      } catch (error) {
        throw error instanceof RelayRefusal ? refusal(error.reason) : error;
      }
    },
    async call<T>(method: string, ...params: unknown[]) {
      try {
        return await rpc.call<T>(method, params);
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error;
        throw error.status === 0 ? unavailable(error.error) : refusal(error.error);
      }
    },
    close: () => connection.close(),
  };
}

/** What a refusal of the relay means to the person; the relay's own words stay in `details`. */
function refusal(reason: string): CallFailure {
  const at = reason.indexOf(':');
  const prefix = at < 0 ? '' : reason.slice(0, at);
  const text = at < 0 ? reason : reason.slice(at + 1).trim();
  if (prefix === 'error') return unavailable(reason);
  if (prefix === 'not found') {
    return new CallFailure('not-found', `The relay does not have it: ${text}.`, { details: reason });
  }
  if (prefix === 'conflict' || prefix === 'duplicate') {
    return new CallFailure('conflict', `It changed meanwhile: ${text}.`, { details: reason });
  }
  return new CallFailure('refused', `The relay said no: ${text}.`, { details: reason });
}

function unavailable(reason: string): CallFailure {
  return new CallFailure('unavailable', 'The relay does not answer. It is tried again by itself.', {
    details: reason,
  });
}
