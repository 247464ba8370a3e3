// One WebSocket to a relay that keeps itself open: NIP-42 before anything else, backoff with jitter between attempts,
// a heartbeat that notices a dead peer (after sleep, a lost network), and every REQ asked again afterwards.

import { WebSocket } from 'ws';
import type { Filter, NostrEvent } from '../protocol/event.ts';
import { KIND } from '../protocol/kinds.ts';
import { type Negotiation, Negotiations } from './negotiations.ts';
import { type Publication, Publications } from './publications.ts';
import { Requests, type SubscriptionHandlers } from './requests.ts';
import type { Signer } from './signer.ts';

export type { Publication } from './publications.ts';
export type { SubscriptionHandlers } from './requests.ts';

/** `reason` says why it is offline, `retryAt` (ms since 1970) when it tries again. */
export type ConnectionState = {
  state: 'connecting' | 'online' | 'offline';
  reason?: string;
  retryAt?: number;
};
export type Subscription = { close(): void };
export type ConnectionOptions = {
  url: string;
  signer: Signer | null;
  /** Pauses between attempts in ms: 1000 doubling to 30000. */
  minBackoff?: number;
  maxBackoff?: number;
};

/** A query the relay would not answer; `reason` is `prefix: text`. */
export class RelayRefusal extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'RelayRefusal';
    this.reason = reason;
  }
}

const MAX_FRAME = 4 * 1024 * 1024;
const HEARTBEAT = 30_000;
/** How long a relay may take to send its challenge before we take it for one that asks for none. */
const CHALLENGE_GRACE = 1_000;

export class RelayConnection {
  readonly #url: string;
  readonly #signer: Signer | null;
  readonly #min: number;
  readonly #max: number;
  readonly #publications: Publications;
  readonly #requests: Requests;
  readonly #negotiations: Negotiations;
  readonly #listeners = new Set<(state: ConnectionState) => void>();
  #state: ConnectionState = { state: 'offline' };
  #socket: WebSocket | null = null;
  #wanted = false;
  #attempts = 0;
  #onlineSince = 0;
  #retry: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #alive = true;
  #challenge: string | null = null;
  #authId: string | null = null;
  #queries = 0;
  /** Why this socket will have failed, when we know before it closes. */
  #failure = '';

  constructor(options: ConnectionOptions) {
    this.#url = options.url;
    this.#signer = options.signer;
    this.#min = options.minBackoff ?? 1_000;
    this.#max = options.maxBackoff ?? 30_000;
    const wire = {
      send: (message: unknown[]) => this.#send(message),
      authenticate: () => this.#authenticate(),
    };
    this.#publications = new Publications(wire);
    this.#requests = new Requests(wire, { min: this.#min, max: this.#max });
    this.#negotiations = new Negotiations(wire);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Calls the listener on every change from now on; returns what stops it. */
  onState(listener: (state: ConnectionState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Opens the connection and keeps it open until close(). While it waits to retry, tries at once. */
  connect(): void {
    this.#wanted = true;
    if (this.#socket === null) this.#open();
  }

  /**
   * Publishes and waits for the relay's OK. While the connection is being made it waits for that; without one the
   * answer is `error: not connected`. Refusals are values; it never rejects.
   */
  async publish(event: NostrEvent, options: { timeoutMs?: number } = {}): Promise<Publication> {
    const timeoutMs = options.timeoutMs ?? 15_000;
    const started = performance.now();
    if (!(await this.#untilOnline(timeoutMs))) return { ok: false, reason: 'error: not connected' };
    return this.#publications.add(event, Math.max(1, timeoutMs - (performance.now() - started)));
  }

  /** A standing REQ: `filters` is called anew each time it is sent. An empty list asks for nothing. */
  subscribe(id: string, filters: () => Filter[], handlers: SubscriptionHandlers): Subscription {
    return this.#requests.open(id, filters, handlers);
  }

  /** Stored events of one REQ, newest first, each once. Rejects with RelayRefusal when refused, late or offline. */
  async query(filters: Filter[], options: { timeoutMs?: number } = {}): Promise<NostrEvent[]> {
    const timeoutMs = options.timeoutMs ?? 15_000;
    if (!(await this.#untilOnline(timeoutMs))) throw new RelayRefusal('error: not connected');
    this.#queries += 1;
    const id = `query-${this.#queries}`;
    const { promise, resolve, reject } = Promise.withResolvers<NostrEvent[]>();
    const found = new Map<string, NostrEvent>();
    const handlers: SubscriptionHandlers = {
      event: event => void found.set(event.id, event),
      eose: () => resolve([...found.values()].sort(newestFirst)),
      closed: reason => reject(new RelayRefusal(reason)),
    };
    const lost = () => reject(new RelayRefusal('error: connection lost'));
    const request = this.#requests.open(id, () => filters, handlers, lost);
    const timer = setTimeout(() => reject(new RelayRefusal('error: no answer in time')), timeoutMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      request.close();
    }
  }

  /** One negentropy session to its end. Rejects with RelayRefusal when refused, late (per answer) or offline. */
  async negotiate(
    filter: Filter,
    negotiation: Negotiation,
    options: { timeoutMs?: number } = {},
  ): Promise<void> {
    const timeoutMs = options.timeoutMs ?? 30_000;
    if (!(await this.#untilOnline(timeoutMs))) throw new RelayRefusal('error: not connected');
    const refusal = await this.#negotiations.run(filter, negotiation, timeoutMs);
    if (refusal !== null) throw new RelayRefusal(refusal);
  }

  /** Ends the connection for good: open publications and queries are answered, the socket is gone when it resolves. */
  async close(): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#retry);
    const socket = this.#socket;
    if (socket === null) {
      this.#change({ state: 'offline', reason: 'closed' });
      return;
    }
    const gone = new Promise<void>(resolve => socket.once('close', () => resolve()));
    const force = setTimeout(() => socket.terminate(), 1_000);
    socket.close(1000);
    await gone;
    clearTimeout(force);
  }

  #open(): void {
    clearTimeout(this.#retry);
    this.#change({ state: 'connecting' });
    const socket = new WebSocket(this.#url, {
      handshakeTimeout: 10_000,
      maxPayload: MAX_FRAME,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    this.#alive = true;
    this.#failure = '';
    socket.on('open', () => this.#opened());
    socket.on('message', (data, binary) => {
      this.#alive = true;
      if (!binary) this.#received(data.toString());
    });
    for (const sign of ['ping', 'pong'] as const) {
      socket.on(sign, () => {
        this.#alive = true;
      });
    }
    socket.on('error', error => {
      this.#failure ||= error.message || ('code' in error ? String(error.code) : 'connection failed');
    });
    socket.on('close', (code, reason) => {
      this.#dropped(this.#failure || reason.toString() || `connection closed (${code})`);
    });
  }

  #opened(): void {
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT);
    if (this.#signer === null) this.#online();
    else if (this.#challenge === null) this.#grace = setTimeout(() => this.#online(), CHALLENGE_GRACE);
  }

  #beat(): void {
    if (!this.#alive) {
      this.#socket?.terminate();
      return;
    }
    this.#alive = false;
    this.#socket?.ping();
  }

  #online(): void {
    clearTimeout(this.#grace);
    if (this.#state.state === 'online') return;
    this.#onlineSince = performance.now();
    this.#change({ state: 'online' });
    this.#requests.connected();
  }

  #dropped(reason: string): void {
    clearTimeout(this.#grace);
    clearInterval(this.#heartbeat);
    this.#socket = null;
    this.#challenge = null;
    this.#authId = null;
    // Good means it held for a while: a relay that drops everyone at once must not be asked every second.
    const held = this.#state.state === 'online' && performance.now() - this.#onlineSince > 5 * this.#min;
    if (held) this.#attempts = 0;
    this.#requests.disconnected();
    this.#negotiations.disconnected();
    this.#publications.disconnected();
    if (!this.#wanted) {
      this.#change({ state: 'offline', reason: 'closed' });
      return;
    }
    const base = Math.min(this.#max, this.#min * 2 ** Math.min(this.#attempts, 20));
    const pause = Math.min(this.#max, base * (0.75 + Math.random() / 2));
    this.#attempts += 1;
    this.#retry = setTimeout(() => this.#open(), pause);
    this.#change({ state: 'offline', reason, retryAt: Date.now() + Math.round(pause) });
  }

  #received(text: string): void {
    const message = parseMessage(text);
    if (message === null) return;
    const [verb, first, second, third] = message;
    if (verb === 'AUTH' && typeof first === 'string') {
      this.#challenge = first;
      this.#authenticate();
      return;
    }
    if (typeof first !== 'string') return;
    if (verb === 'EVENT') this.#requests.received(first, second);
    else if (verb === 'EOSE') this.#requests.exhausted(first);
    else if (verb === 'CLOSED') this.#requests.refused(first, reasonOf(second));
    else if (verb === 'NEG-MSG') this.#negotiations.answered(first, second);
    else if (verb === 'NEG-ERR') this.#negotiations.refused(first, reasonOf(second));
    else if (verb === 'OK') this.#answered(first, second === true, typeof third === 'string' ? third : '');
  }

  #answered(id: string, ok: boolean, reason: string): void {
    if (id !== this.#authId) {
      this.#publications.answered(id, ok, reason);
      return;
    }
    this.#authId = null;
    if (!ok) {
      this.#failure = `authentication refused: ${reason}`;
      this.#socket?.terminate();
      return;
    }
    this.#online();
    this.#requests.authenticated();
    this.#publications.authenticated();
  }

  /** Answers the challenge in hand; true when an answer is under way. */
  #authenticate(): boolean {
    if (this.#signer === null || this.#challenge === null) return false;
    if (this.#authId !== null) return true;
    clearTimeout(this.#grace);
    const event = this.#signer.sign({
      kind: KIND.auth,
      created_at: Math.floor(Date.now() / 1000),
      tags: [
        ['relay', this.#url],
        ['challenge', this.#challenge],
      ],
      content: '',
    });
    if (!this.#send(['AUTH', event])) return false;
    this.#authId = event.id;
    return true;
  }

  #send(message: unknown[]): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** True once online; false when the attempt under way fails, the time is over, or there is no attempt. */
  #untilOnline(timeoutMs: number): Promise<boolean> {
    if (this.#state.state !== 'connecting') return Promise.resolve(this.#state.state === 'online');
    return new Promise(resolve => {
      const settle = (online: boolean) => {
        clearTimeout(timer);
        stop();
        resolve(online);
      };
      const timer = setTimeout(() => settle(false), timeoutMs);
      const stop = this.onState(({ state }) => {
        if (state !== 'connecting') settle(state === 'online');
      });
    });
  }

  #change(state: ConnectionState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state);
  }
}

/** A reason as the relay gave it. */
function reasonOf(reason: unknown): string {
  return typeof reason === 'string' ? reason : 'error:';
}

function parseMessage(text: string): unknown[] | null {
  try {
    const message: unknown = JSON.parse(text);
    return Array.isArray(message) ? message : null;
  } catch {
    // A relay that sends something else than JSON has nothing to say to us.
    return null;
  }
}

function newestFirst(a: NostrEvent, b: NostrEvent): number {
  return b.created_at - a.created_at || (a.id < b.id ? -1 : 1);
}
