// A receiver of callbacks: a real HTTPS (or HTTP) server on this machine that keeps what it gets and answers as told.

import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.ts';

export type Received = { body: string; headers: IncomingMessage['headers']; path: string };
export type Answering = (response: ServerResponse, received: Received) => void;

export const answers =
  (status: number, headers: Record<string, string> = {}): Answering =>
  response =>
    response.writeHead(status, headers).end();

export class Receiver {
  readonly received: Received[] = [];
  answering: Answering = answers(200);
  port = 0;
  connections = 0;
  readonly #waiting: { count: number; resolve: () => void }[] = [];
  readonly #server;

  constructor(secure: boolean) {
    const handle = (request: IncomingMessage, response: ServerResponse) => void this.#take(request, response);
    this.#server = secure
      ? createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, handle)
      : createHttpServer(handle);
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  url(path = '/hook', host = '127.0.0.1'): string {
    return `https://${host}:${this.port}${path}`;
  }

  async listen(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** Resolves when that many requests have come, counted from the start. */
  async until(count: number): Promise<void> {
    if (this.received.length >= count) return;
    await new Promise<void>(resolve => this.#waiting.push({ count, resolve }));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const received = { body, headers: request.headers, path: request.url ?? '' };
    this.received.push(received);
    this.answering(response, received);
    for (const waiting of this.#waiting) if (this.received.length >= waiting.count) waiting.resolve();
  }
}

/** A receiver that listens until the test is over. */
export async function startReceiver(secure = true): Promise<Receiver> {
  const receiver = new Receiver(secure);
  await receiver.listen();
  onTestFinished(() => receiver.close());
  return receiver;
}
