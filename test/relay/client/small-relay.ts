// A WebSocket server of a few lines that speaks NIP-01 as the test tells it to: every message that arrives is handed
// to the script, which answers what it likes.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export type Script = {
  opened?(peer: Peer): void;
  message?(peer: Peer, message: unknown[]): void;
};

export class Peer {
  readonly socket: WebSocket;
  readonly received: unknown[][] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
  }

  send(...message: unknown[]): void {
    this.socket.send(JSON.stringify(message));
  }
}

export class SmallRelay {
  readonly peers: Peer[] = [];
  readonly url: string;
  script: Script;
  readonly #server: WebSocketServer;

  private constructor(server: WebSocketServer, script: Script) {
    this.#server = server;
    this.script = script;
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    server.on('connection', socket => {
      const peer = new Peer(socket);
      this.peers.push(peer);
      socket.on('message', data => {
        const message = JSON.parse(data.toString()) as unknown[];
        peer.received.push(message);
        this.script.message?.(peer, message);
      });
      this.script.opened?.(peer);
    });
  }

  static async start(script: Script = {}, port = 0): Promise<SmallRelay> {
    const server = new WebSocketServer({ host: '127.0.0.1', port });
    await once(server, 'listening');
    return new SmallRelay(server, script);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every connection without a word. */
  cut(): void {
    for (const client of this.#server.clients) client.terminate();
  }

  async close(): Promise<void> {
    this.cut();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}
