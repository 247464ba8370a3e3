// A real relay on a free port for tests of its edge, with people who have roles and short words for what they do.

import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nip98Header } from '../../../relay/client/http-proof.ts';
import { RelayRpc, RpcFailure } from '../../../relay/client/rpc.ts';
import { generateSecret, type Signer, signerFrom } from '../../../relay/client/signer.ts';
import type { Outcome, Relay, RelayOptions } from '../../../relay/context.ts';
import type { EventTemplate, NostrEvent } from '../../../relay/protocol/event.ts';
import { startRelay } from '../../../relay/relay.ts';

export type Draft = Partial<EventTemplate> & { kind: number };

export type Raw = { method?: string; path?: string; headers?: Record<string, string>; body?: string };
export type RawAnswer = { status: number; headers: IncomingHttpHeaders; text: string; json: unknown };

export function person(): Signer {
  return signerFrom(generateSecret());
}

export class Edge {
  readonly relay: Relay;
  readonly owner: Signer;
  readonly #folder: string;

  private constructor(relay: Relay, owner: Signer, folder: string) {
    this.relay = relay;
    this.owner = owner;
    this.#folder = folder;
  }

  static async start(options: Partial<RelayOptions> = {}): Promise<Edge> {
    const folder = await mkdtemp(join(tmpdir(), 'tiny-edge-'));
    const owner = person();
    const relay = await startRelay({ data: folder, port: 0, owner: owner.pubkey, name: 'edge', ...options });
    return new Edge(relay, owner, folder);
  }

  async close(): Promise<void> {
    await this.relay.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get now(): number {
    return this.relay.context.now();
  }

  /** A key with the role `member`. */
  async member(role: 'member' | 'moderator' = 'member'): Promise<Signer> {
    const signer = person();
    await this.call(this.owner, 'setmember', signer.pubkey, { role });
    return signer;
  }

  /** A key under a grant of the owner with those tags, valid for an hour. */
  async agent(tags: string[][], name = 'agent'): Promise<Signer> {
    const signer = person();
    await this.grant(signer.pubkey, tags, { name });
    return signer;
  }

  async grant(
    agent: string,
    tags: string[][],
    { name = 'agent', expires = this.now + 3600, by = this.owner, at = this.now } = {},
  ): Promise<NostrEvent> {
    const required = [
      ['d', agent],
      ['p', agent],
      ['name', name],
      ['expiration', String(expires)],
    ];
    return this.publish(by, { kind: 30392, created_at: at, tags: [...required, ...tags] });
  }

  async room(id: string, access: 'open' | 'members' = 'open', by: Signer = this.owner): Promise<void> {
    await this.publish(by, {
      kind: 9007,
      tags: [
        ['h', id],
        ['name', `Room ${id}`],
        ['access', access],
      ],
    });
  }

  sign(signer: Signer, draft: Draft): NostrEvent {
    return signer.sign({ created_at: this.now, tags: [], content: '', ...draft });
  }

  /** Publishes and expects it to be taken. */
  async publish(signer: Signer, draft: Draft): Promise<NostrEvent> {
    const event = this.sign(signer, draft);
    const outcome = await this.offer(event);
    if (!outcome.accepted) throw new Error(`refused: ${outcome.message}`);
    return event;
  }

  offer(event: NostrEvent): Promise<Outcome> {
    return this.relay.context.admission.publish(event, { via: 'http', keys: [event.pubkey] });
  }

  call<T = unknown>(signer: Signer | null, method: string, ...params: unknown[]): Promise<T> {
    return new RelayRpc({ url: this.relay.url, signer }).call<T>(method, params);
  }

  /** The status and text of a call that is refused. */
  async refusal(signer: Signer | null, method: string, ...params: unknown[]): Promise<string> {
    const failure = await this.call(signer, method, ...params).catch((error: unknown) => error);
    if (failure instanceof RpcFailure) return `${failure.status} ${failure.error}`;
    throw new Error(`expected a refusal of ${method}, got ${JSON.stringify(failure)}`);
  }

  /** One request as written: any Host, any header. */
  raw({ method = 'GET', path = '/', headers = {}, body }: Raw): Promise<RawAnswer> {
    const { hostname, port } = new URL(this.relay.http);
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method, path, headers, agent: false }, response => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', chunk => {
          text += chunk;
        });
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, text, json: jsonOf(text) });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** A POST with a proof of that key. */
  async post(
    signer: Signer,
    path: string,
    value: unknown,
    headers: Record<string, string> = {},
  ): Promise<RawAnswer> {
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    const authorization = nip98Header(signer, `${this.relay.http}${path}`, 'POST', body);
    const sent = { 'content-type': 'application/json', authorization, ...headers };
    return this.raw({ method: 'POST', path, headers: sent, body });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Many answers are plain text.
    return undefined;
  }
}
