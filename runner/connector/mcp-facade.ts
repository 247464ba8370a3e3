// The tools a host sees, and a call to one: handed to the relay, signed within the boundary, cut to size
// (spec/mcp-tools.md section 4). Who speaks to the host is in mcp-stdio.ts.

import type { Signer } from '../../relay/client/signer.ts';
import type { EventTemplate } from '../../relay/protocol/event.ts';
import { diagnose } from './diagnose.ts';
import { isRecord, McpFailure, RelayMcp, type RelayTool, type ToolResult, UnknownTool } from './mcp-relay.ts';
import { cutResult } from './mcp-result.ts';
import { DIAGNOSE, isWrite, maySign } from './mcp-tools.ts';
import type { RelayHttp } from './relay-http.ts';

export type FacadeOptions = {
  /** The relay's address, for the report of tiny_diagnose. */
  relay: string;
  signer: Signer;
  http: RelayHttp;
  offered: ReadonlySet<string>;
  /** Why the event may not be signed although its tool and kind may; null to sign it. */
  refuse?: (tool: string, event: EventTemplate) => string | null;
  /** Where to say that the table of tools could not be fetched. */
  warn: (text: string) => void;
};

const CALL_MS = 120_000;
const NEW_TABLE = Number.NEGATIVE_INFINITY;

/** A call to a tool nobody offers. */
export class NoSuchTool extends Error {}

export class Facade {
  readonly #options: FacadeOptions;
  readonly #relay: RelayMcp;
  #table: RelayTool[] = [];
  /** Until when the table is good, in milliseconds of the steady clock. */
  #goodUntil = NEW_TABLE;
  #fetched: Promise<void> | null = null;
  /** Calls to the relay, one at a time. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: FacadeOptions) {
    this.#options = options;
    this.#relay = new RelayMcp(options.http);
  }

  /** The tools to show: those offered that the relay has for this key, and tiny_diagnose. */
  async tools(): Promise<RelayTool[]> {
    await this.#fresh();
    return [DIAGNOSE_TOOL, ...this.#table];
  }

  /** Calls a tool. Everything that goes wrong is a result, except NoSuchTool. */
  async call(name: string, args: Record<string, unknown>, cancelled: AbortSignal): Promise<ToolResult> {
    if (name === DIAGNOSE) return this.#diagnose(args);
    if (!this.#options.offered.has(name)) throw new NoSuchTool(name);
    await this.#fresh();
    if (this.#goodUntil !== NEW_TABLE && !this.#table.some(tool => tool.name === name)) {
      throw new NoSuchTool(name);
    }
    return this.#inTurn(async () => {
      cancelled.throwIfAborted();
      const signal = AbortSignal.any([cancelled, AbortSignal.timeout(CALL_MS)]);
      return cutResult(await this.#perform(name, args, signal));
    });
  }

  async #perform(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult> {
    try {
      const first = await this.#relay.call(name, args, signal);
      const { structuredContent: answer } = first;
      if (first.isError === true || !isRecord(answer) || answer.unsigned === undefined) return classed(first);
      const template = templateOf(answer.unsigned);
      const refusal = this.#refusal(name, template);
      if (template === null || refusal !== null) return unsignedResult(name, answer.unsigned, refusal, first);
      const event = this.#options.signer.sign(template);
      return classed(await this.#relay.call(name, { ...args, event }, signal));
    } catch (error) {
      if (error instanceof McpFailure) return failed(error.message);
      if (!(error instanceof UnknownTool)) throw error;
      this.#goodUntil = NEW_TABLE;
      throw new NoSuchTool(name);
    }
  }

  #refusal(name: string, template: EventTemplate | null): string | null {
    if (template === null) return 'it is no event template';
    if (!maySign(name, template.kind)) return 'this tool may not have that kind signed';
    return this.#options.refuse?.(name, template) ?? null;
  }

  async #diagnose(args: Record<string, unknown>): Promise<ToolResult> {
    const { http, relay, signer } = this.#options;
    const needs = needsOf(args);
    if (typeof needs === 'string') return failed(`invalid: ${needs}`);
    const report = await diagnose(http, relay, signer.pubkey, needs);
    return { content: [{ type: 'text', text: JSON.stringify(report) }], structuredContent: report };
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(run, run);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Fetches the table when there is none that is still good; without one only tiny_diagnose is there. */
  async #fresh(): Promise<void> {
    if (performance.now() < this.#goodUntil) return;
    this.#fetched ??= this.#inTurn(() => this.#fetch()).finally(() => {
      this.#fetched = null;
    });
    await this.#fetched;
  }

  async #fetch(): Promise<void> {
    try {
      const { tools, ttlMs } = await this.#relay.list(AbortSignal.timeout(CALL_MS));
      this.#table = tools.filter(({ name }) => this.#options.offered.has(name)).map(described);
      this.#goodUntil = performance.now() + (ttlMs > 0 ? ttlMs : Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!(error instanceof McpFailure || error instanceof UnknownTool)) throw error;
      this.#table = [];
      this.#goodUntil = NEW_TABLE;
      this.#options.warn(`the relay's tools could not be listed: ${error.message}`);
    }
  }
}

const DIAGNOSE_TOOL: RelayTool = {
  name: DIAGNOSE,
  title: 'Check access to the relay',
  description:
    'Checks whether the relay answers, accepts your key, and what your grant covers. Name rooms and kinds you need to see what is missing.',
  inputSchema: {
    type: 'object',
    properties: {
      rooms: { type: 'array', items: { type: 'string' } },
      kinds: { type: 'array', items: { type: 'integer' } },
    },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};

/** The host is told that signing is done for it. */
function described(tool: RelayTool): RelayTool {
  if (!isWrite(tool.name) || typeof tool.description !== 'string') return tool;
  return { ...tool, description: `${tool.description} Here the event is signed and published for you.` };
}

function templateOf(value: unknown): EventTemplate | null {
  if (!isRecord(value)) return null;
  const { kind, tags, content, created_at = Math.floor(Date.now() / 1000) } = value;
  const usable =
    Number.isInteger(kind) &&
    Number.isInteger(created_at) &&
    typeof content === 'string' &&
    Array.isArray(tags) &&
    tags.every(tag => Array.isArray(tag) && tag.every(part => typeof part === 'string'));
  return usable ? ({ kind, created_at, tags, content } as EventTemplate) : null;
}

function unsignedResult(
  name: string,
  unsigned: unknown,
  refusal: string | null,
  { content, structuredContent }: ToolResult,
): ToolResult {
  const kind = isRecord(unsigned) ? JSON.stringify(unsigned.kind) : 'none';
  const text = `the event of kind ${kind} from ${name} was not signed: ${refusal ?? 'no reason'}`;
  return { content: [{ type: 'text', text }, ...content], structuredContent, isError: true };
}

/** A refusal of the relay that is about rights says so in front. */
function classed(result: ToolResult): ToolResult {
  const [first, ...rest] = result.content;
  if (result.isError !== true || first === undefined || typeof first.text !== 'string') return result;
  if (!/^(restricted|auth-required):/.test(first.text)) return result;
  return { ...result, content: [{ ...first, text: `permission: ${first.text}` }, ...rest] };
}

function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function needsOf({ rooms = [], kinds = [] }: Record<string, unknown>) {
  const isText = (value: unknown): value is string => typeof value === 'string';
  const isKind = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535;
  if (!Array.isArray(rooms) || !rooms.every(isText)) return 'rooms must be a list of room ids';
  if (!Array.isArray(kinds) || !kinds.every(isKind)) return 'kinds must be a list of numbers from 0 to 65535';
  return { rooms, kinds };
}
