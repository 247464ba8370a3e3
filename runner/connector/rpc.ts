// `tinyagent rpc`: JSON lines on stdin and stdout (spec/tinyagent-connector.md A2).

import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { RelayConnection } from '../../relay/client/connection.ts';
import { linesOf, MAX_LINE } from './lines.ts';
import { type ConnectorContext, filterParam, METHODS, read } from './methods.ts';

const MAX_CALLS = 32;
const CALL_MS = 120_000;

type Call = { id: unknown; method: string; params: unknown };

/** Serves calls until stdin ends; resolves after the last one was answered and every subscription stopped. */
export async function serveRpc(
  context: ConnectorContext & { ws: string },
  input: Readable,
  output: Writable,
): Promise<void> {
  const server = new RpcServer(context, message => output.write(`${JSON.stringify(message)}\n`));
  for await (const line of linesOf(input)) await server.take(line);
  await server.finish();
}

class RpcServer {
  readonly #context: ConnectorContext & { ws: string };
  readonly #send: (message: object) => void;
  readonly #subscriptions = new Map<string, { close(): void }>();
  readonly #running = new Set<Promise<void>>();
  #connection: RelayConnection | null = null;

  constructor(context: ConnectorContext & { ws: string }, send: (message: object) => void) {
    this.#context = context;
    this.#send = send;
  }

  /** Takes one line; waits while as many calls as allowed are running. */
  async take(line: Buffer | 'too long'): Promise<void> {
    const call = line === 'too long' ? `the line is longer than ${MAX_LINE} bytes` : readCall(line);
    if (call === null) return;
    if (typeof call === 'string') {
      this.#send({ error: { message: `invalid request: ${call}` } });
      return;
    }
    while (this.#running.size >= MAX_CALLS) await Promise.race(this.#running);
    const run = this.#answer(call).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async finish(): Promise<void> {
    await Promise.all(this.#running);
    for (const subscription of this.#subscriptions.values()) subscription.close();
    await this.#connection?.close();
  }

  async #answer({ id, method, params }: Call): Promise<void> {
    try {
      this.#send({ id, result: (await this.#perform(method, params)) ?? null });
    } catch (error) {
      this.#send({ id, error: { message: error instanceof Error ? error.message : String(error) } });
    }
  }

  #perform(method: string, params: unknown): unknown {
    if (method === 'subscribe') return this.#subscribe(params);
    if (method === 'unsubscribe') return this.#unsubscribe(params);
    return perform(this.#context, method, params);
  }

  #subscribe(params: unknown): { subscribed: true } {
    const shape = z.object({ subscription: z.string().min(1).max(64), filter: filterParam });
    const { subscription: name, filter } = read(shape, params);
    this.#subscriptions.get(name)?.close();
    let fresh = true;
    const connected = () => {
      if (fresh) this.#send({ event: 'connected', subscription: name });
      fresh = false;
    };
    const request = this.#online(name).subscribe(
      name,
      () => {
        fresh = true;
        return filter;
      },
      {
        event: data => {
          connected();
          this.#send({ event: 'event', subscription: name, data });
        },
        eose: connected,
        closed: message => this.#send({ event: 'error', subscription: name, data: { message } }),
      },
    );
    this.#subscriptions.set(name, request);
    return { subscribed: true };
  }

  #unsubscribe(params: unknown): { stopped: boolean } {
    const { subscription } = read(z.object({ subscription: z.string() }), params);
    this.#subscriptions.get(subscription)?.close();
    return { stopped: this.#subscriptions.delete(subscription) };
  }

  /** The one connection of all subscriptions, opened by the first. */
  #online(_name: string): RelayConnection {
    if (this.#connection !== null) return this.#connection;
    const connection = new RelayConnection({ url: this.#context.ws, signer: this.#context.signer });
    connection.onState(({ state, reason }) => {
      if (state !== 'offline' || reason === 'closed') return;
      const data = { message: reason ?? 'connection lost' };
      for (const subscription of this.#subscriptions.keys())
        this.#send({ event: 'error', subscription, data });
    });
    connection.connect();
    this.#connection = connection;
    return connection;
  }
}

/** Performs one method, within two minutes. Throws for unknown methods. */
export async function perform(context: ConnectorContext, method: string, params: unknown): Promise<unknown> {
  const known = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (known === undefined) throw new Error(`unknown method ${JSON.stringify(method)}`);
  const signal = AbortSignal.timeout(CALL_MS);
  return known(context, params, signal);
}

function readCall(line: Buffer): Call | string | null {
  const text = line.toString('utf8').trim();
  if (text === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return (error as Error).message;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not an object';
  const { id, method, params } = value as Record<string, unknown>;
  return typeof method === 'string' ? { id: id ?? null, method, params } : 'method is missing';
}
