// One client (NIP-01, 42, 45, 67, 77): its frames in order, its keys, its subscriptions.

import { randomBytes } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { Admission } from '../admission/admission.ts';
import type { Logger, Reader, Urls } from '../context.ts';
import { LIMITS } from '../limits.ts';
import type { Policy } from '../policy.ts';
import type { Filter } from '../protocol/event.ts';
import { matches } from '../protocol/filter.ts';
import { KIND } from '../protocol/kinds.ts';
import type { SqliteEvents } from '../store/events.ts';
import type { SignaturePool } from '../verify/signature-pool.ts';
import { type VerifiedEvent, verified } from '../verify/verified-event.ts';
import type { Visibility } from '../visibility/visibility.ts';
import { parseAuth } from './auth.ts';
import { type Delivery, eventFrame } from './delivery.ts';
import { filingSize, type LiveIndex } from './live-index.ts';
import { type BadMessage, type ClientMessage, readMessage } from './messages.ts';
import { NegentropySessions } from './negentropy-sessions.ts';
import type { RecordBudget } from './negentropy-snapshot.ts';
import { ConnectionRates } from './rates.ts';
import { count, replay } from './replay.ts';
import { type Outlet, Subscription } from './subscription.ts';
import type { Wire } from './wire.ts';

export type ConnectionParts = {
  admission: Admission;
  events: SqliteEvents;
  visibility: Visibility;
  pool: SignaturePool;
  live: LiveIndex;
  budget: RecordBudget;
  urls: Urls;
  policy: () => Policy;
  now: () => number;
  log: Logger;
  /** The relay's answer to a REQ for kind 28935 (NIP-43) by one of the keys, or null. */
  inviteFor: (keys: readonly string[]) => VerifiedEvent | null;
};

type Answer = readonly unknown[] | null;

const MOST_KEYS = 20;
const BAD_SIGNATURE = 'invalid: the signature is not that of the author';

export class Connection implements Outlet {
  readonly #parts: ConnectionParts;
  readonly #ws: WebSocket;
  readonly #wire: Wire;
  readonly #ip: string;
  readonly #challenge = randomBytes(16).toString('hex');
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #negentropy: NegentropySessions;
  /** Replaced, never changed, when a key is added: readers hold on to it. */
  #reader: Reader;
  readonly #rates = new ConnectionRates();
  #places = 0;
  #inFlight = 0;
  /** Frames that came while an AUTH was being checked; null when none is. */
  #held: RawData[] | null = null;
  #isAlive = true;

  constructor(ws: WebSocket, wire: Wire, ip: string, parts: ConnectionParts) {
    this.#parts = parts;
    this.#ws = ws;
    this.#wire = wire;
    this.#ip = ip;
    this.#reader = { keys: [], ip };
    this.#negentropy = new NegentropySessions(parts, {
      reader: () => this.#reader,
      get isOpen() {
        return wire.isOpen;
      },
      send: message => wire.send(message),
      failed: error => parts.log.error({ error: String(error) }, 'Stored events could not be read'),
    });
    ws.on('message', (data, isBinary) => this.#guard(() => this.#receive(data, isBinary)));
    ws.on('pong', () => {
      this.#isAlive = true;
    });
    // The library closes with the right code after a protocol error; there is nothing to add.
    ws.on('error', () => {});
    ws.on('close', () => this.#forgetAll());
    wire.send(['AUTH', this.#challenge]);
  }

  get ip(): string {
    return this.#ip;
  }

  get keys(): readonly string[] {
    return this.#reader.keys;
  }

  deliver(subscription: Subscription, delivery: Delivery): void {
    if (!subscription.isOpen || !this.#parts.visibility.canRead(this.#reader, delivery.event)) return;
    this.#wire.write(delivery.frame(subscription.id));
  }

  /** Ends every subscription and negentropy session with a reason: the client may ask again. */
  closeSubscriptions(reason: string): void {
    for (const id of [...this.#subscriptions.keys()]) this.endSubscription(id, reason);
    this.#negentropy.closeAll(reason);
  }

  endSubscription(id: string, reason: string): void {
    if (this.#forget(id)) this.#wire.send(['CLOSED', id, reason]);
  }

  /** Asks for a sign of life, or ends the connection when the last one was not answered. */
  checkAlive(): void {
    if (this.#isAlive) this.#ws.ping();
    else this.#ws.terminate();
    this.#isAlive = false;
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }

  terminate(): void {
    this.#ws.terminate();
  }

  /** A fault of ours costs this client its connection, and nobody else anything. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.log.error({ error: String(error) }, 'A message could not be handled');
      this.#ws.close(1011, 'the relay could not handle a message');
    }
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#held !== null && !isBinary) {
      this.#held.push(data);
      return;
    }
    const message = readMessage(isBinary ? undefined : data.toString());
    const answer = message.verb === 'bad' ? this.#reject(message) : this.#handle(message);
    if (answer !== null) this.#wire.send(answer);
    if (message.verb === 'bad' && !this.#rates.toleratesFault())
      this.close(1008, 'too many unreadable messages');
  }

  #reject({ answer, ends, endsNegentropy }: BadMessage): Answer {
    if (ends !== undefined) this.#forget(ends);
    if (endsNegentropy !== undefined) this.#negentropy.close(endsNegentropy);
    return answer;
  }

  /** The answer when there is one at once. */
  #handle(message: ClientMessage): Answer {
    const limited = this.#rates.refusal(message);
    if (limited !== null) {
      // What is refused ends what it would have replaced.
      if (message.verb === 'REQ') this.#forget(message.id);
      return limited;
    }
    switch (message.verb) {
      case 'EVENT':
        this.#publish(message.id, message.event);
        return null;
      case 'REQ':
        return this.#subscribe(message.id, message.filters);
      case 'COUNT':
        return this.#count(message.id, message.filters);
      case 'CLOSE':
        this.#forget(message.id);
        return null;
      case 'NEG-OPEN':
        this.#negentropy.open(message.id, message.filter, message.message);
        return null;
      case 'NEG-MSG':
        this.#negentropy.message(message.id, message.message);
        return null;
      case 'NEG-CLOSE':
        this.#negentropy.close(message.id);
        return null;
      case 'AUTH':
        return this.#authenticate(message.id, message.event);
    }
  }

  #publish(id: string, event: unknown): void {
    this.#inFlight += 1;
    if (this.#inFlight === LIMITS.inFlight) this.#ws.pause();
    const origin = { via: 'socket', keys: this.#reader.keys, ip: this.#ip } as const;
    this.#parts.admission.submit(event, origin, ({ accepted, message }) => {
      this.#inFlight -= 1;
      if (this.#inFlight === LIMITS.inFlight / 2 && this.#held === null) this.#ws.resume();
      this.#wire.send(['OK', id, accepted, message]);
    });
  }

  #subscribe(id: string, filters: readonly Filter[]): Answer {
    this.#forget(id);
    const { visibility, live, events } = this.#parts;
    const places = filters.reduce((sum, filter) => sum + filingSize(filter), 0);
    const refusal = this.#subscribeRefusal(filters, places);
    if (refusal !== null) return ['CLOSED', id, refusal];
    const subscription = new Subscription(id, filters, this);
    this.#subscriptions.set(id, subscription);
    this.#places += places;
    // Before the stored events are read: what arrives meanwhile waits in the subscription.
    live.add(subscription);
    replay({ events, visibility }, filters, {
      ...this.#walk(id, () => subscription.isOpen),
      send: ({ json }) => this.#wire.write(eventFrame(id, json)),
      isBehind: () => this.#wire.isBehind,
      done: end => {
        this.#sendInvite(id, filters);
        const hints = visibility.wouldShowMore(this.#reader, filters) ? [end, 'auth-required'] : [end];
        this.#wire.send(['EOSE', id, hints]);
        subscription.goLive();
      },
    });
    return null;
  }

  /** An invite is made when it is asked for by its kind, and for the one who asks. */
  #sendInvite(id: string, filters: readonly Filter[]): void {
    const asking = filters.filter(
      filter => filter.kinds?.includes(KIND.inviteResponse) && filter.limit !== 0,
    );
    if (asking.length === 0) return;
    const invite = this.#parts.inviteFor(this.keys);
    if (invite !== null && asking.some(filter => matches(filter, invite.event))) {
      this.#wire.write(eventFrame(id, invite.json));
    }
  }

  /** What a walk through stored events needs of this client. */
  #walk(id: string, isWanted: () => boolean) {
    return {
      reader: this.#reader,
      isOpen: () => isWanted() && this.#wire.isOpen,
      whenRead: (tell: () => void) => this.#wire.whenRead(tell),
      failed: (error: unknown) => {
        this.#parts.log.error({ error: String(error) }, 'Stored events could not be read');
        this.#forget(id);
        this.#wire.send(['CLOSED', id, 'error: query failed: stored events could not be read']);
      },
    };
  }

  #subscribeRefusal(filters: readonly Filter[], places: number): string | null {
    if (this.#subscriptions.size >= LIMITS.subscriptions) {
      return `rate-limited: more than ${LIMITS.subscriptions} subscriptions on one connection`;
    }
    if (this.#places + places > LIMITS.connectionValues) {
      return `rate-limited: more than ${LIMITS.connectionValues} filter values on one connection`;
    }
    return this.#parts.visibility.mayQuery(this.#reader, filters);
  }

  #count(id: string, filters: readonly Filter[]): Answer {
    const { visibility, events, policy } = this.#parts;
    const refusal = policy().features.count
      ? visibility.mayQuery(this.#reader, filters)
      : 'unsupported: counting is switched off on this relay';
    if (refusal !== null) return ['CLOSED', id, refusal];
    count({ events, visibility }, filters, {
      ...this.#walk(id, () => true),
      done: total => this.#wire.send(['COUNT', id, { count: total }]),
    });
    return null;
  }

  #authenticate(id: string, input: unknown): Answer {
    const { urls, now, pool } = this.#parts;
    const parsed = parseAuth(input, { challenge: this.#challenge, urls, now: now() });
    if (!parsed.ok) return ['OK', id, false, parsed.refusal];
    const event = parsed.value;
    if (!this.keys.includes(event.pubkey) && this.keys.length >= MOST_KEYS) {
      return ['OK', id, false, `restricted: more than ${MOST_KEYS} keys on one connection`];
    }
    // What follows in the same breath is meant to be asked with the key.
    this.#held = [];
    this.#ws.pause();
    verified(event, pool).then(
      result => this.#finishAuth(id, event.pubkey, result === null ? BAD_SIGNATURE : ''),
      () => this.#finishAuth(id, event.pubkey, 'error: the signature could not be checked'),
    );
    return null;
  }

  #finishAuth(id: string, pubkey: string, refusal: string): void {
    if (refusal === '') this.#reader = { keys: [...new Set([...this.keys, pubkey])], ip: this.#ip };
    this.#wire.send(['OK', id, refusal === '', refusal]);
    const held = this.#held ?? [];
    this.#held = null;
    if (this.#inFlight < LIMITS.inFlight) this.#ws.resume();
    for (const data of held) this.#guard(() => this.#receive(data, false));
  }

  #forget(id: string): boolean {
    const subscription = this.#subscriptions.get(id);
    if (subscription === undefined) return false;
    subscription.isOpen = false;
    this.#subscriptions.delete(id);
    this.#parts.live.remove(subscription);
    this.#places -= subscription.filters.reduce((sum, filter) => sum + filingSize(filter), 0);
    return true;
  }

  #forgetAll(): void {
    for (const id of [...this.#subscriptions.keys()]) this.#forget(id);
    this.#negentropy.closeAll();
  }
}
