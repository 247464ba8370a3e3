// A key of the tests on the desktop's relay: an agent that runs elsewhere, or another person, publishing what it likes.

import { RelayConnection } from '../../relay/client/connection.ts';
import { type Signer, signerFrom } from '../../relay/client/signer.ts';
import type { EventTemplate, Filter, NostrEvent } from '../../relay/protocol/event.ts';
import type { Desktop } from './harness.ts';

export class Foreign {
  readonly signer: Signer;
  readonly #connection: RelayConnection;

  private constructor(signer: Signer, connection: RelayConnection) {
    this.signer = signer;
    this.#connection = connection;
  }

  /** Connects; resolves once the relay took its key. */
  static async open(desktop: Desktop, secret: Uint8Array): Promise<Foreign> {
    const signer = signerFrom(secret);
    const connection = new RelayConnection({ url: desktop.ready.relay, signer, minBackoff: 50 });
    const online = new Promise<void>(resolve => {
      connection.onState(({ state }) => state === 'online' && resolve());
    });
    connection.connect();
    await online;
    return new Foreign(signer, connection);
  }

  sign(template: Partial<EventTemplate> & { kind: number }): NostrEvent {
    const base = { created_at: Math.floor(Date.now() / 1000), tags: [], content: '' };
    return this.signer.sign({ ...base, ...template });
  }

  /** Rejects with the relay's reason when it refused. */
  async send(event: NostrEvent): Promise<NostrEvent> {
    const { ok, reason } = await this.#connection.publish(event);
    if (!ok) throw new Error(`refused: ${reason}`);
    return event;
  }

  publish(template: Partial<EventTemplate> & { kind: number }): Promise<NostrEvent> {
    return this.send(this.sign(template));
  }

  /** Key of whoever signed its grant: the desktop's owner. */
  async owner(): Promise<string> {
    const [grant] = await this.query({ kinds: [30392], '#d': [this.signer.pubkey] });
    if (grant === undefined) throw new Error('it has no grant');
    return grant.pubkey;
  }

  query(...filters: Filter[]): Promise<NostrEvent[]> {
    return this.#connection.query(filters);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
