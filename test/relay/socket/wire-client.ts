// A client of the relay that shows every frame as it came, for tests of the protocol itself.

import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';
import type { Signer } from '../../../relay/client/signer.ts';
import type { Filter, NostrEvent } from '../../../relay/protocol/event.ts';

export type Frame = unknown[];
export type Answer = { events: NostrEvent[]; closed: string | null; hints: unknown };

/** How long a test waits for a frame before it says which one did not come. */
const PATIENCE = 10_000;

export class WireClient {
  readonly ws: WebSocket;
  readonly url: string;
  readonly frames: Frame[] = [];
  readonly #waits = new Set<(frame: Frame) => void>();
  #asked = 0;

  private constructor(url: string, options: ClientOptions) {
    this.url = url;
    this.ws = new WebSocket(url, { perMessageDeflate: false, ...options });
    this.ws.on('message', data => this.#take(JSON.parse(String(data))));
    this.ws.on('error', () => {});
  }

  /** Connects, and proves the keys given. */
  static async open(
    url: string,
    signers: Signer | Signer[] = [],
    options: ClientOptions = {},
  ): Promise<WireClient> {
    const client = new WireClient(url, options);
    await once(client.ws, 'open');
    for (const signer of [signers].flat()) {
      const answer = await client.authenticate(signer);
      if (answer[2] !== true) throw new Error(`AUTH refused: ${answer[3]}`);
    }
    return client;
  }

  get challenge(): Promise<string> {
    return this.frame(frame => frame[0] === 'AUTH').then(frame => String(frame[1]));
  }

  async authenticate(signer: Signer, change: { kind?: number; created_at?: number; tags?: string[][] } = {}) {
    const tags = [
      ['relay', this.url],
      ['challenge', await this.challenge],
    ];
    const event = signer.sign({ kind: 22242, created_at: seconds(), tags, content: '', ...change });
    this.send(['AUTH', event]);
    return this.frame(frame => frame[0] === 'OK' && frame[1] === event.id);
  }

  send(frame: Frame): void {
    this.ws.send(JSON.stringify(frame));
  }

  /** The first frame, past or to come, that passes the test. */
  frame(test: (frame: Frame) => boolean): Promise<Frame> {
    const seen = this.frames.find(test);
    return seen === undefined ? this.next(test) : Promise.resolve(seen);
  }

  /** The next frame from now on that passes the test. */
  next(test: (frame: Frame) => boolean): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waits.delete(wait);
        reject(
          new Error(
            `no frame passed ${test} in time; the last were ${JSON.stringify(this.frames.slice(-5))}`,
          ),
        );
      }, PATIENCE);
      const wait = (frame: Frame) => {
        if (!test(frame)) return;
        clearTimeout(timer);
        this.#waits.delete(wait);
        resolve(frame);
      };
      this.#waits.add(wait);
    });
  }

  /** `'true: reason'` or `'false: reason'`. */
  async publish(event: NostrEvent): Promise<string> {
    const answer = this.next(frame => frame[0] === 'OK' && frame[1] === event.id);
    this.send(['EVENT', event]);
    const [, , accepted, reason] = await answer;
    return `${accepted}: ${reason}`;
  }

  /** Stored events of one REQ, closed again after EOSE unless it is to stay open. */
  async ask(filters: Filter | Filter[], { id = '', stay = false } = {}): Promise<Answer> {
    this.#asked += 1;
    const name = id === '' ? `ask-${this.#asked}` : id;
    const start = this.frames.length;
    const end = this.next(frame => (frame[0] === 'EOSE' || frame[0] === 'CLOSED') && frame[1] === name);
    this.send(['REQ', name, ...[filters].flat()]);
    const last = await end;
    const events = this.frames
      .slice(start)
      .filter(frame => frame[0] === 'EVENT' && frame[1] === name)
      .map(frame => frame[2] as NostrEvent);
    if (last[0] === 'EOSE' && !stay) this.send(['CLOSE', name]);
    return { events, closed: last[0] === 'CLOSED' ? String(last[2]) : null, hints: last[2] };
  }

  async count(filter: Filter | Filter[]): Promise<number | string> {
    this.#asked += 1;
    const name = `count-${this.#asked}`;
    const end = this.next(frame => (frame[0] === 'COUNT' || frame[0] === 'CLOSED') && frame[1] === name);
    this.send(['COUNT', name, ...[filter].flat()]);
    const [verb, , value] = await end;
    return verb === 'COUNT' ? (value as { count: number }).count : String(value);
  }

  /** Waits until everything sent so far has been handled: an answer to a query that finds nothing. */
  async settled(): Promise<void> {
    await this.ask({ ids: ['0'.repeat(64)] });
  }

  /** Events that came for that subscription, live ones included. */
  received(subscription: string): NostrEvent[] {
    return this.frames
      .filter(frame => frame[0] === 'EVENT' && frame[1] === subscription)
      .map(frame => frame[2] as NostrEvent);
  }

  /** The code the connection was closed with. */
  async closed(): Promise<number> {
    if (this.ws.readyState === WebSocket.CLOSED) throw new Error('closed before anybody looked');
    const [code] = await once(this.ws, 'close');
    return code;
  }

  close(): void {
    this.ws.terminate();
  }

  #take(frame: Frame): void {
    this.frames.push(frame);
    for (const wait of [...this.#waits]) wait(frame);
  }
}

export function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
