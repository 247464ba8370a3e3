// Calls to a relay's /mcp: one signed POST each, in the stateless revision 2026-07-28 (spec/mcp-tools.md section 4,
// spec/mcp-acp.md A2). What goes wrong is told by class, so that a model knows whom to ask.

import packageJson from '../../package.json' with { type: 'json' };
import { NoAnswer, type RelayHttp } from './relay-http.ts';

export const MODERN = '2026-07-28';
const INVALID_PARAMS = -32_602;
const MAX_PAGES = 50;

/** A tool as the relay lists it. */
export type RelayTool = { name: string } & Record<string, unknown>;

/** What a tool answered, as the relay sent it. */
export type ToolResult = {
  content: Record<string, unknown>[];
  structuredContent?: unknown;
  isError?: boolean;
};

/** `permission` (the relay refuses this key), `transport` (no usable answer) or `relay` (it refuses the call). */
export class McpFailure extends Error {
  readonly kind: 'permission' | 'transport' | 'relay';

  constructor(kind: McpFailure['kind'], text: string) {
    super(`${kind}: ${text}`);
    this.kind = kind;
  }
}

/** The relay has no tool of that name (any more). */
export class UnknownTool extends Error {}

export class RelayMcp {
  readonly #http: RelayHttp;
  #id = 0;

  constructor(http: RelayHttp) {
    this.#http = http;
  }

  /** Every tool the relay lists for this key, and for how many milliseconds the list is good. */
  async list(signal: AbortSignal): Promise<{ tools: RelayTool[]; ttlMs: number }> {
    const tools: RelayTool[] = [];
    let ttlMs = 0;
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const result = await this.#request('tools/list', cursor === undefined ? {} : { cursor }, signal);
      if (!Array.isArray(result.tools)) throw new McpFailure('transport', 'the relay listed no tools');
      tools.push(...result.tools.filter(isTool));
      if (typeof result.ttlMs === 'number') ttlMs = result.ttlMs;
      cursor = result.nextCursor;
      if (typeof cursor !== 'string' || cursor === '') break;
    }
    return { tools, ttlMs };
  }

  /** One call. Throws McpFailure, or UnknownTool. */
  async call(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult> {
    const result = await this.#request('tools/call', { name, arguments: args }, signal);
    const content = Array.isArray(result.content) ? result.content.filter(isRecord) : [];
    return {
      content,
      ...(result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent }),
      ...(result.isError === true ? { isError: true } : {}),
    };
  }

  async #request(
    method: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    this.#id += 1;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'tinyagent', version: packageJson.version },
    };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(method === 'tools/call' ? { 'mcp-name': headerValue(String(params.name)) } : {}),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params: { ...params, _meta } });
    const answer = await this.#send({ path: '/mcp', method: 'POST', headers, body, signal });
    return read(answer.status, answer.type, answer.body.toString('utf8'), this.#id);
  }

  async #send(request: Parameters<RelayHttp['send']>[0]) {
    try {
      return await this.#http.send(request);
    } catch (error) {
      if (error instanceof NoAnswer) throw new McpFailure('transport', error.message);
      throw error;
    }
  }
}

function read(status: number, type: string, text: string, id: number): Record<string, unknown> {
  if (status === 401 || status === 403)
    throw new McpFailure('permission', reasonOf(text) ?? `HTTP ${status}`);
  if (status === 429 || status >= 500) {
    throw new McpFailure('transport', `HTTP ${status}${suffix(reasonOf(text))}`);
  }
  const message = type.startsWith('text/event-stream') ? fromStream(text, id) : jsonOf(text);
  const { result, error } = isRecord(message) ? message : {};
  if (isRecord(error)) {
    const said = typeof error.message === 'string' ? error.message : 'no reason';
    if (error.code === INVALID_PARAMS && /unknown tool|tool .*not found/i.test(said))
      throw new UnknownTool(said);
    throw new McpFailure('relay', said);
  }
  if (isRecord(result)) return result;
  if (status >= 200 && status <= 299) throw new McpFailure('transport', 'the relay gave no result');
  throw new McpFailure('relay', `HTTP ${status}${suffix(reasonOf(text))}`);
}

/** The answer in a stream of events: the message with our id; notifications before it are passed over. */
function fromStream(text: string, id: number): unknown {
  for (const block of text.split(/\r?\n\r?\n/)) {
    const lines = block.split(/\r?\n/).filter(line => line.startsWith('data:'));
    const message = jsonOf(lines.map(line => line.slice(5).trimStart()).join('\n'));
    if (isRecord(message) && message.id === id) return message;
  }
  return undefined;
}

function reasonOf(text: string): string | undefined {
  const value = jsonOf(text);
  const { error } = isRecord(value) ? value : {};
  if (typeof error === 'string') return error;
  if (isRecord(error) && typeof error.message === 'string') return error.message;
  const plain = text.trim().slice(0, 200);
  return plain === '' ? undefined : plain;
}

function suffix(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}

/** A header takes visible ASCII; anything else goes in as base64 (spec/mcp-acp.md A2). */
function headerValue(text: string): string {
  const plain = /^[!-~]([ -~]*[!-~])?$/.test(text) && !text.startsWith('=?base64?');
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Judged by the caller: no JSON is no answer.
    return undefined;
  }
}

function isTool(value: unknown): value is RelayTool {
  return isRecord(value) && typeof value.name === 'string';
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
