// MCP over lines of JSON for a host: the handshake of the older revisions and the stateless 2026-07-28, answered from one
// facade (spec/mcp-tools.md section 4, spec/mcp-acp.md A5 and A6). `ping` is answered at once, whatever is running.

import type { Readable, Writable } from 'node:stream';
import packageJson from '../../package.json' with { type: 'json' };
import { linesOf, MAX_LINE } from './lines.ts';
import { type Facade, NoSuchTool } from './mcp-facade.ts';
import { isRecord, MODERN } from './mcp-relay.ts';

const HANDSHAKE_VERSIONS: readonly unknown[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const FALLBACK_VERSION = '2025-06-18';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';

const PARSE = -32_700;
const INVALID_REQUEST = -32_600;
const NO_METHOD = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;
const NO_VERSION = -32_022;

const SERVER = { name: 'tinyagent', version: packageJson.version };
const CAPABILITIES = { tools: { listChanged: false } };
const INSTRUCTIONS =
  'Tools of a Tiny relay, used with the key of this agent. What the agent may do is set by its grant; tiny_diagnose shows it.';
const PRIVATE = { ttlMs: 0, cacheScope: 'private' };

type Id = string | number;
type Params = Record<string, unknown>;
type Reply = { result: object } | { error: { code: number; message: string; data?: unknown } };

/** Serves until the input ends and every call is answered. */
export async function serveMcp(facade: Facade, input: Readable, output: Writable): Promise<void> {
  const server = new StdioServer(facade, message => output.write(`${JSON.stringify(message)}\n`));
  for await (const line of linesOf(input)) server.take(line);
  await server.finish();
}

class StdioServer {
  readonly #facade: Facade;
  readonly #send: (message: unknown) => void;
  readonly #running = new Set<Promise<void>>();
  readonly #cancels = new Map<Id, AbortController>();

  constructor(facade: Facade, send: (message: unknown) => void) {
    this.#facade = facade;
    this.#send = send;
  }

  take(line: Buffer | 'too long'): void {
    const message = line === 'too long' ? line : parse(line);
    if (message === null) return;
    const task = this.#answerLine(message).finally(() => this.#running.delete(task));
    this.#running.add(task);
  }

  async finish(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #answerLine(message: unknown): Promise<void> {
    if (message === 'too long') return this.#send(bad(PARSE, `a line is longer than ${MAX_LINE} bytes`));
    if (message === undefined) return this.#send(bad(PARSE, 'the line is not JSON'));
    if (!Array.isArray(message)) {
      const reply = await this.#answer(message);
      return reply === null ? undefined : this.#send(reply);
    }
    // Hosts of 2025-03-26 may send several at once.
    if (message.length === 0) return this.#send(bad(INVALID_REQUEST, 'an empty batch'));
    const replies = await Promise.all(message.map(one => this.#answer(one)));
    const some = replies.filter(reply => reply !== null);
    if (some.length > 0) this.#send(some);
  }

  /** The whole reply; null for what wants none. */
  async #answer(message: unknown): Promise<object | null> {
    if (!isRecord(message) || message.jsonrpc !== '2.0')
      return bad(INVALID_REQUEST, 'not a JSON-RPC 2.0 message');
    const { id, method } = message;
    const params = isRecord(message.params) ? message.params : {};
    if (typeof method !== 'string') return null;
    if (id === undefined) {
      this.#notified(method, params);
      return null;
    }
    if (typeof id !== 'string' && typeof id !== 'number')
      return bad(INVALID_REQUEST, 'an id is a text or a number');
    const cancel = new AbortController();
    this.#cancels.set(id, cancel);
    try {
      const reply = await this.#perform(method, params, cancel.signal);
      return cancel.signal.aborted ? null : { jsonrpc: '2.0', id, ...reply };
    } catch (error) {
      if (cancel.signal.aborted) return null;
      const text = error instanceof Error ? error.message : String(error);
      return { jsonrpc: '2.0', id, error: { code: INTERNAL, message: text } };
    } finally {
      this.#cancels.delete(id);
    }
  }

  #notified(method: string, params: Params): void {
    if (method !== 'notifications/cancelled') return;
    const id = params.requestId as Id;
    this.#cancels.get(id)?.abort(new Error('cancelled by the host'));
  }

  async #perform(method: string, params: Params, signal: AbortSignal): Promise<Reply> {
    if (method === 'ping') return { result: {} };
    if (method === 'initialize') return { result: handshake(params) };
    const era = eraOf(method, params);
    if (typeof era !== 'string') return era;
    const modern = era === 'modern';
    if (method === 'server/discover') return { result: discovered() };
    if (method === 'tools/list') {
      const tools = await this.#facade.tools();
      return { result: { tools, ...(modern ? { ...complete(), ...PRIVATE } : {}) } };
    }
    if (method !== 'tools/call') return failure(NO_METHOD, `Method not found: ${method}`);
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string' || !isRecord(args))
      return failure(INVALID_PARAMS, 'name and arguments are needed');
    try {
      const result = await this.#facade.call(name, args, signal);
      return { result: { ...result, ...(modern ? complete() : {}) } };
    } catch (error) {
      if (error instanceof NoSuchTool) return failure(INVALID_PARAMS, `Unknown tool: ${name}`);
      throw error;
    }
  }
}

/** Null for an empty line, undefined for one that is not JSON. */
function parse(line: Buffer): unknown {
  const text = line.toString('utf8').trim();
  if (text === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return value ?? false;
  } catch {
    // Answered as a parse error.
    return undefined;
  }
}

/** Every request of the stateless revision says which one it is; `server/discover` belongs to it alone. */
function eraOf(method: string, params: Params): 'modern' | 'legacy' | Reply {
  const meta = isRecord(params._meta) ? params._meta : {};
  const version = meta[VERSION_KEY];
  if (version === undefined && method !== 'server/discover') return 'legacy';
  if (typeof version !== 'string') return failure(INVALID_PARAMS, `_meta must hold ${VERSION_KEY}`);
  if (version !== MODERN) {
    const data = { supported: [MODERN], requested: version };
    return failure(NO_VERSION, `Unsupported protocol version: ${version}`, data);
  }
  if (isRecord(meta[CAPABILITIES_KEY])) return 'modern';
  return failure(INVALID_PARAMS, `_meta must hold ${CAPABILITIES_KEY}`);
}

function handshake({ protocolVersion }: Params): object {
  const known = HANDSHAKE_VERSIONS.includes(protocolVersion);
  return {
    protocolVersion: known ? protocolVersion : FALLBACK_VERSION,
    capabilities: CAPABILITIES,
    serverInfo: SERVER,
    instructions: INSTRUCTIONS,
  };
}

function discovered(): object {
  return {
    supportedVersions: [MODERN],
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    ...complete(),
    ...PRIVATE,
  };
}

function complete(): object {
  return { resultType: 'complete', _meta: { [SERVER_KEY]: SERVER } };
}

function failure(code: number, message: string, data?: unknown): Reply {
  return { error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function bad(code: number, message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code, message } };
}
