// The clients of the bench: bare sockets that publish, ask and listen as fast as the relay lets them.

import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Signer } from '../../../relay/client/signer.ts';
import type { Filter, NostrEvent } from '../../../relay/protocol/event.ts';

export class Client {
  readonly #ws: WebSocket;
  /** Hears every frame, parsed only as far as it must be. */
  onFrame: (text: string) => void = () => {};

  private constructor(ws: WebSocket) {
    this.#ws = ws;
    ws.on('message', data => this.onFrame(String(data)));
  }

  /** Connects, and proves the key when there is one: then the relay must ask for it. */
  static async open(url: string, signer?: Signer): Promise<Client> {
    const ws = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 });
    const client = new Client(ws);
    const challenge = new Promise<string>(resolve => {
      client.onFrame = text => {
        const [verb, value] = JSON.parse(text);
        if (verb === 'AUTH') resolve(value);
      };
    });
    await once(ws, 'open');
    if (signer !== undefined) await client.#prove(url, signer, await challenge);
    client.onFrame = () => {};
    return client;
  }

  async #prove(url: string, signer: Signer, challenge: string): Promise<void> {
    const tags = [
      ['relay', url],
      ['challenge', challenge],
    ];
    const created_at = Math.floor(Date.now() / 1000);
    const answered = new Promise<void>(resolve => {
      this.onFrame = text => {
        if (text.startsWith('["OK"')) resolve();
      };
    });
    this.send(['AUTH', signer.sign({ kind: 22242, created_at, tags, content: '' })]);
    await answered;
  }

  send(message: unknown[]): void {
    this.#ws.send(JSON.stringify(message));
  }

  sendText(text: string): void {
    this.#ws.send(text);
  }

  close(): void {
    this.#ws.terminate();
  }
}

/** Publishes all of them with so many in flight; answers how many a second were accepted. */
export async function publishAll(clients: Client[], frames: string[], inFlight: number): Promise<number> {
  let next = 0;
  let accepted = 0;
  let refused = '';
  const started = performance.now();
  const one = (client: Client) =>
    new Promise<void>(resolve => {
      let waiting = 0;
      const more = () => {
        while (waiting < inFlight && next < frames.length) {
          client.sendText(frames[next] ?? '');
          next += 1;
          waiting += 1;
        }
        if (waiting === 0) resolve();
      };
      client.onFrame = text => {
        if (!text.startsWith('["OK"')) return;
        waiting -= 1;
        if (text.includes(',true,')) accepted += 1;
        else refused = text;
        more();
      };
      more();
    });
  await Promise.all(clients.map(one));
  if (refused !== '') throw new Error(`an event of the bench was refused: ${refused}`);
  return accepted / ((performance.now() - started) / 1000);
}

/** Asks one after the other; answers how many a second, and checks that each brought so many events. */
export async function askAll(client: Client, filters: Filter[], events: number): Promise<number> {
  const started = performance.now();
  for (const [index, filter] of filters.entries()) {
    const found = await ask(client, `q${index}`, filter);
    if (found !== events)
      throw new Error(`a query of the bench brought ${found} events instead of ${events}`);
  }
  return filters.length / ((performance.now() - started) / 1000);
}

async function ask(client: Client, id: string, filter: Filter): Promise<number> {
  let found = 0;
  const end = new Promise<number>((resolve, reject) => {
    client.onFrame = text => {
      if (text.startsWith('["EVENT"')) found += 1;
      else if (text.startsWith('["EOSE"')) resolve(found);
      else if (text.startsWith('["CLOSED"')) reject(new Error(text));
    };
  });
  client.send(['REQ', id, filter]);
  const count = await end;
  client.send(['CLOSE', id]);
  return count;
}

/** Subscribes them all, publishes, and answers deliveries a second; throws when one is lost or comes twice. */
export async function fanOut(
  readers: Client[],
  writer: Client,
  events: NostrEvent[],
  filter: Filter,
): Promise<number> {
  const ready = readers.map(
    (reader, index) =>
      new Promise<void>((resolve, reject) => {
        reader.onFrame = text => {
          if (text.startsWith('["EOSE"')) resolve();
          else if (text.startsWith('["CLOSED"')) reject(new Error(text));
        };
        reader.send(['REQ', `fan${index}`, { ...filter, limit: 0 }]);
      }),
  );
  await Promise.all(ready);
  const done = readers.map(
    reader =>
      new Promise<void>((resolve, reject) => {
        const seen = new Set<string>();
        reader.onFrame = text => {
          if (!text.startsWith('["EVENT"')) return;
          const at = text.indexOf('"id":"') + 6;
          const id = text.slice(at, at + 64);
          if (seen.has(id)) reject(new Error('an event was delivered twice'));
          seen.add(id);
          if (seen.size === events.length) resolve();
        };
      }),
  );
  const started = performance.now();
  for (const event of events) writer.send(['EVENT', event]);
  await Promise.all(done);
  return (readers.length * events.length) / ((performance.now() - started) / 1000);
}
