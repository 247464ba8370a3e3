// The WebSocket door: who may connect (address, Host, Origin, path), the connections that are open, and the way of a
// new event to those who wait for it.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { News } from '../admission/admit.ts';
import type { AccessChange } from '../context.ts';
import { LIMITS } from '../limits.ts';
import type { Newsroom } from '../news.ts';
import type { SqliteStore } from '../store/store.ts';
import { Connection, type ConnectionParts } from './connection.ts';
import { Delivery } from './delivery.ts';
import { LiveIndex } from './live-index.ts';
import { RecordBudget } from './negentropy-snapshot.ts';
import { Wire } from './wire.ts';

const PING_EVERY = 30_000;
/** How long a client may take to answer our closing. */
const CLOSE_GRACE = 1_000;

export type SocketParts = Omit<ConnectionParts, 'live' | 'events' | 'budget'> & {
  store: SqliteStore;
  news: Newsroom;
};

export class SocketServer {
  readonly #parts: SocketParts;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<Connection>();
  readonly #live = new LiveIndex();
  readonly #budget = new RecordBudget(LIMITS.negentropyAllRecords);
  readonly #pings: NodeJS.Timeout;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: LIMITS.messageBytes,
      // Frames are small, the network is this machine, and what is not inflated cannot be a bomb.
      perMessageDeflate: false,
    });
    parts.news.onEvent(news => this.#announce(news));
    parts.news.onAccess(change => this.#accessChanged(change));
    this.#pings = setInterval(() => {
      for (const connection of this.#connections) connection.checkAlive();
    }, PING_EVERY);
    this.#pings.unref();
  }

  /** Open connections and subscriptions. */
  get size(): { connections: number; subscriptions: number } {
    return { connections: this.#connections.size, subscriptions: this.#live.size };
  }

  /** For `upgrade` of the HTTP server. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#refusal(request);
    if (refusal !== null) {
      refuse(socket, refusal);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, ws => {
      const { store, admission, visibility, pool, urls, policy, now, log, inviteFor } = this.#parts;
      const ip = request.socket.remoteAddress ?? '';
      const wire = new Wire(ws, socket as Socket);
      const connection = new Connection(ws, wire, ip, {
        ...{ admission, visibility, pool, urls, policy, now, log, inviteFor },
        ...{ events: store.events, live: this.#live, budget: this.#budget },
      });
      this.#connections.add(connection);
      ws.on('close', () => this.#connections.delete(connection));
    });
  }

  /** Tells the live readers of an event. */
  #announce(news: News): void {
    const delivery = new Delivery(news);
    for (const subscription of this.#live.interested(delivery)) {
      if (subscription.take(delivery)) continue;
      subscription.outlet.endSubscription(
        subscription.id,
        'error: too many events while stored ones were sent',
      );
    }
  }

  #accessChanged({ keys, reason }: AccessChange): void {
    for (const connection of this.#connections) {
      if (this.#parts.store.ips.isBlocked(connection.ip)) {
        connection.close(1008, 'this address is blocked');
        continue;
      }
      const isTouched = keys === undefined || keys.some(key => connection.keys.includes(key));
      if (isTouched) connection.closeSubscriptions(`blocked: ${reason}, subscribe again`);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#pings);
    for (const connection of this.#connections) connection.close(1001, 'the relay is closing');
    const deadline = performance.now() + CLOSE_GRACE;
    while (this.#connections.size > 0 && performance.now() < deadline) {
      await new Promise(resolve => setTimeout(resolve, 20));
    }
    for (const connection of this.#connections) connection.terminate();
    this.#server.close();
  }

  #refusal(request: IncomingMessage): string | null {
    const { urls, store } = this.#parts;
    if (!urls.isOurHost(request.headers.host)) return '421 Misdirected Request';
    if (!urls.allowsOrigin(request.headers.origin)) return '403 Forbidden';
    if (store.ips.isBlocked(request.socket.remoteAddress ?? '')) return '403 Forbidden';
    const path = (request.url ?? '').split('?')[0];
    return path === '/' ? null : '404 Not Found';
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
