// POST /mcp (spec/mcp-tools.md section 1): a NIP-98 proof per request, then the SDK's handler, which serves both eras
// without sessions. Nothing is said about a call before its proof is good.

import type { IncomingMessage } from 'node:http';
import { type AuthInfo, createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { RelayContext } from '../context.ts';
import type { Caller } from '../management/method.ts';
import { mcpServer } from '../mcp/server.ts';
import { json, plain, statusOf } from './answers.ts';
import { readBody } from './body.ts';
import type { Proofs } from './proofs.ts';

/** An event of full size inside the call that carries it. */
const BODY_OVERHEAD = 64 * 1024;
/** Streams of list changes held open at once; no list of ours announces changes. */
const MAX_SUBSCRIPTIONS = 64;
const CHALLENGE = 'Nostr realm="tiny"';

export class McpEndpoint {
  readonly #context: RelayContext;
  readonly #proofs: Proofs;
  readonly #handler: McpHttpHandler;

  constructor(context: RelayContext, proofs: Proofs) {
    this.#context = context;
    this.#proofs = proofs;
    this.#handler = createMcpHandler(({ authInfo }) => mcpServer(context, callerOf(authInfo)), {
      maxRequestBodySize: this.#limit,
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      onerror: error => context.log.debug({ error: error.message }, 'An MCP request was not served'),
    });
  }

  async answer(incoming: IncomingMessage, signal: AbortSignal): Promise<Response> {
    if (incoming.method !== 'POST') return plain('Only POST.\n', 405, { allow: 'POST' });
    const read = await readBody(incoming, this.#limit);
    if ('refusal' in read) return json({ error: read.refusal }, 413);
    const proof = this.#proofs.keyOf(incoming, read.body);
    if ('refusal' in proof) {
      const refused = json({ error: proof.refusal }, statusOf(proof.refusal));
      refused.headers.set('www-authenticate', CHALLENGE);
      return refused;
    }
    const ip = incoming.socket.remoteAddress;
    if (this.#context.store.ips.isBlocked(ip ?? '')) {
      return json({ error: 'blocked: this address is blocked' }, 403);
    }
    const role = this.#context.roles.roleOf(proof.key);
    const caller: Caller = { pubkey: proof.key, role, ...(ip === undefined ? {} : { ip }) };
    const request = new Request(`${this.#context.urls.http}/mcp`, {
      method: 'POST',
      headers: headersOf(incoming),
      body: Uint8Array.from(read.body),
      signal,
    });
    const authInfo = { token: '', clientId: proof.key, scopes: [], extra: { caller } };
    const response = await this.#handler.fetch(request, { authInfo });
    if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'private, no-store');
    return response;
  }

  get #limit(): number {
    return this.#context.limits.messageBytes + BODY_OVERHEAD;
  }
}

/** The caller `answer` handed in; the SDK passes it through untouched. */
function callerOf(authInfo: AuthInfo | undefined): Caller {
  const caller = authInfo?.extra?.caller;
  if (caller === undefined) throw new TypeError('an MCP request without a caller');
  return caller as Caller;
}

/** Only what the protocol looks at: a proof has done its work and is not handed on. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const wanted = name === 'content-type' || name === 'accept' || name.startsWith('mcp-');
    if (wanted && typeof value === 'string') kept[name] = value;
  }
  return kept;
}
