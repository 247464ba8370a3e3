// The MCP SDK's client over a fetch that signs each request, as a host with a key would use it.

import {
  type CallToolResult,
  Client,
  type FetchLike,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { nip98Header } from '../../../relay/client/http-proof.ts';
import type { Signer } from '../../../relay/client/signer.ts';
import type { EventTemplate } from '../../../relay/protocol/event.ts';

export type Era = 'modern' | 'legacy';

export function signingFetch(signer: Signer): FetchLike {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    const method = init?.method ?? 'GET';
    const body = typeof init?.body === 'string' ? init.body : undefined;
    headers.set('authorization', nip98Header(signer, String(url), method, body));
    return fetch(url, { ...init, headers } as RequestInit);
  };
}

export class McpCaller {
  readonly client: Client;
  readonly signer: Signer;

  private constructor(client: Client, signer: Signer) {
    this.client = client;
    this.signer = signer;
  }

  static async connect(http: string, signer: Signer, era: Era = 'modern'): Promise<McpCaller> {
    const mode = era === 'modern' ? ({ pin: '2026-07-28' } as const) : 'legacy';
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const fetch = signingFetch(signer);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${http}/mcp`), { fetch }));
    return new McpCaller(client, signer);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Names of the tools it is shown, asked anew. */
  async tools(): Promise<string[]> {
    const { tools } = await this.client.listTools(undefined, { cacheMode: 'refresh' });
    return tools.map(({ name }) => name);
  }

  call(name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
    return this.client.callTool({ name, arguments: args });
  }

  /** The structured content of a call that must succeed. */
  async done<T = Record<string, unknown>>(name: string, args: Record<string, unknown> = {}): Promise<T> {
    const result = await this.call(name, args);
    if (result.isError === true) throw new Error(`${name}: ${textOf(result)}`);
    return result.structuredContent as T;
  }

  /** The reason of a call that must be refused. */
  async refusal(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const result = await this.call(name, args);
    if (result.isError !== true) throw new Error(`${name} was not refused`);
    return textOf(result);
  }

  /** Both steps of a write tool: template, signature, submission. Answers the event's id. */
  async write(name: string, args: Record<string, unknown>): Promise<string> {
    const { unsigned } = await this.done<{ unsigned: EventTemplate }>(name, args);
    const event = this.signer.sign(unsigned);
    const receipt = await this.done<{ accepted: boolean; event_id: string }>(name, { ...args, event });
    if (!receipt.accepted || receipt.event_id !== event.id)
      throw new Error(`${name}: ${JSON.stringify(receipt)}`);
    return event.id;
  }
}

export function textOf(result: CallToolResult): string {
  const block = result.content[0];
  return block?.type === 'text' ? block.text : '';
}
