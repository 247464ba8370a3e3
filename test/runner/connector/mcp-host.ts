// What the tests of `tinyagent mcp` share: a raw host that speaks lines of JSON, and a relay of our own making that
// answers /mcp as a test says.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { cleanup, Heard } from '../world.ts';
import { start } from './started.ts';

type Message = Record<string, unknown>;

/** A host without an SDK. */
export class RawHost {
  readonly child: ChildProcessWithoutNullStreams;
  readonly heard = new Heard<Message | Message[]>();
  stderr = '';
  readonly exit: Promise<number | null>;
  #id = 0;

  constructor(args: string[], env: NodeJS.ProcessEnv) {
    this.child = start(['mcp', ...args], env);
    this.exit = new Promise(done => this.child.once('close', code => done(code)));
    // A line that is no JSON fails the test by failing here.
    createInterface({ input: this.child.stdout }).on('line', line => this.heard.add(JSON.parse(line)));
    this.child.stderr.on('data', chunk => {
      this.stderr += chunk;
    });
    cleanup(async () => {
      this.child.kill('SIGKILL');
      await this.exit;
    });
  }

  write(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  /** Sends a request and answers its id. */
  send(method: string, params: object = {}): number {
    this.#id += 1;
    this.write(JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params }));
    return this.#id;
  }

  notify(method: string, params: object = {}): void {
    this.write(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  answer(id: number): Promise<Message> {
    return this.heard.until(message => !Array.isArray(message) && message.id === id) as Promise<Message>;
  }

  request(method: string, params: object = {}): Promise<Message> {
    return this.answer(this.send(method, params));
  }

  /** The result of a tool call, errors included. */
  async call(
    name: string,
    args: object = {},
  ): Promise<{ isError?: boolean; text: string; structuredContent?: unknown }> {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    if (error !== undefined) throw new Error(JSON.stringify(error));
    const { content, ...rest } = result as { content: { text: string }[] };
    return { text: content.map(block => block.text).join('\n'), ...rest };
  }

  async end(): Promise<number | null> {
    this.child.stdin.end();
    return this.exit;
  }
}

export type Asked = { method: string; params: Record<string, unknown>; authorization: string };
export type Reply = {
  status?: number;
  result?: unknown;
  error?: unknown;
  raw?: string;
  type?: string;
  hang?: true;
};

/** A relay that answers `tools/list` with these names and every call by the function. */
export async function fakeRelay(
  names: string[],
  onCall: (asked: Asked) => Reply,
  onList: () => Reply | null = () => null,
) {
  const asked: Asked[] = [];
  const held: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body) as {
      id: number;
      method: string;
      params: Record<string, unknown>;
    };
    const one = { method, params, authorization: request.headers.authorization ?? '' };
    asked.push(one);
    const tools = names.map(name => ({ name, description: name, inputSchema: { type: 'object' } }));
    const listed: Reply = { result: { tools, ttlMs: 60_000, cacheScope: 'private' } };
    const reply: Reply = method === 'tools/list' ? (onList() ?? listed) : onCall(one);
    if (reply.hang === true) {
      held.push(response);
      return;
    }
    const { status = 200, type = 'application/json', raw, result, error } = reply;
    response.writeHead(status, { 'content-type': type });
    response.end(
      raw ?? JSON.stringify({ jsonrpc: '2.0', id, ...(error === undefined ? { result } : { error }) }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, held, calls: () => asked.filter(({ method }) => method === 'tools/call') };
}

export const text = (said: string, more: object = {}) => ({
  result: { content: [{ type: 'text', text: said }], ...more },
});
