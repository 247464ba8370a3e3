// The bridge of one runner: its agent program gets an MCP server that can act on the relay, and never the key. The
// runner holds the key, signs within the boundary and forwards to /mcp (spec/mcp-acp.md C2, cases D2 F6 F7).

import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { McpServerStdio } from '@agentclientprotocol/sdk';
import type { Signer } from '../../relay/client/signer.ts';
import { Facade } from '../connector/mcp-facade.ts';
import { serveMcp } from '../connector/mcp-stdio.ts';
import { RelayHttp, relayBase } from '../connector/relay-http.ts';
import type { Report } from '../status.ts';
import { Boundary, bridgedTools, type Standing } from './boundary.ts';
import { Door } from './door.ts';

export type BridgeParts = {
  relay: string;
  signer: Signer;
  /** The journal: the door stands beside it. */
  file: string;
  /** A Node that runs the keyless end; this one unless given. */
  node: string;
  standing: Standing;
  report: Report;
};

/** The name under which the program sees the tools. */
const NAME = 'tiny';

export class Bridge {
  readonly #parts: BridgeParts;
  readonly #boundary: Boundary;
  #door: Door | null = null;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    this.#boundary = new Boundary(parts.standing);
  }

  /** Opens the door; without one the program does without the tools, which is said. */
  async open(): Promise<void> {
    try {
      this.#door = await Door.beside(this.#parts.file, line => void this.#serve(line));
    } catch (error) {
      this.#say('warn', `the program gets no tools of the relay: ${(error as Error).message}`);
    }
  }

  /** What the program is told to start: no key, only where the runner is. */
  servers(): McpServerStdio[] {
    if (this.#door === null) return [];
    return [{ name: NAME, command: this.#parts.node, args: [entryFile(), this.#door.path], env: [] }];
  }

  async close(): Promise<void> {
    const door = this.#door;
    this.#door = null;
    await door?.close();
  }

  async #serve(line: Socket): Promise<void> {
    const { relay, signer } = this.#parts;
    const base = relayBase(relay);
    if (base === null) throw new TypeError(`not a relay's address: ${relay}`);
    const facade = new Facade({
      relay: base.http,
      signer,
      http: new RelayHttp(base.http, signer),
      offered: bridgedTools(),
      refuse: (tool, event) => this.#boundary.refuse(tool, event),
      warn: text => this.#say('warn', text),
    });
    try {
      await serveMcp(facade, line, line);
      line.end();
    } catch (error) {
      // The program went away in the middle of something.
      this.#say('debug', `the line of tools closed: ${(error as Error).message}`);
      line.destroy();
    }
  }

  #say(level: 'debug' | 'warn', text: string): void {
    this.#parts.report({ type: 'log', level, source: 'runner', text });
  }
}

/** Plain Node reads no archive: in a package the same file lies beside it (main/program-files.ts). */
function entryFile(): string {
  const file = fileURLToPath(new URL('./entry.ts', import.meta.url));
  return file.replace(/([/\\])[^/\\]+\.asar([/\\])/, '$1program$2');
}
