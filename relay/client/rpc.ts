// Calls to the management endpoint and the browse queries (spec/management.md section 1) over NIP-98.

import { nip98Header } from './http-proof.ts';
import type { Signer } from './signer.ts';

const MAX_ANSWER = 32 * 1024 * 1024;
const RPC_TYPE = 'application/nostr+json+rpc';

/** A call the relay refused, or that never reached it: then `status` is 0. `error` is `prefix: text`. */
export class RpcFailure extends Error {
  readonly status: number;
  readonly error: string;

  constructor(status: number, error: string, cause?: unknown) {
    super(error, cause === undefined ? undefined : { cause });
    this.name = 'RpcFailure';
    this.status = status;
    this.error = error;
  }
}

export type RpcOptions = { url: string; signer: Signer | null; fetch?: typeof fetch };

/** The HTTP address of a relay given as ws, wss, http or https; a path prefix stays, no slash at the end. */
export function httpBase(url: string): string {
  return url.replace(/^ws/i, 'http').replace(/\/+$/, '');
}

export class RelayRpc {
  readonly #endpoint: string;
  readonly #signer: Signer | null;
  readonly #fetch: typeof fetch;

  constructor(options: RpcOptions) {
    this.#endpoint = `${httpBase(options.url)}/manage/rpc`;
    this.#signer = options.signer;
    this.#fetch = options.fetch ?? fetch;
  }

  /** The method's `result`. Throws RpcFailure for a refusal, a broken answer, a timeout or no network. */
  async call<T>(method: string, params: unknown[] = [], options: { timeoutMs?: number } = {}): Promise<T> {
    const body = JSON.stringify({ method, params });
    const headers: Record<string, string> = { 'content-type': RPC_TYPE };
    if (this.#signer !== null) {
      headers.authorization = nip98Header(this.#signer, this.#endpoint, 'POST', body);
    }
    const signal = AbortSignal.timeout(options.timeoutMs ?? 30_000);
    let status = 0;
    let text: string;
    try {
      // A redirect would carry the proof to somewhere else: it is an error.
      const request = { method: 'POST', headers, body, signal, redirect: 'error' as const };
      const response = await this.#fetch(this.#endpoint, request);
      status = response.status;
      text = await readLimited(response);
    } catch (cause) {
      throw new RpcFailure(0, `error: ${signal.aborted ? 'timed out' : networkReason(cause)}`, cause);
    }
    return readAnswer<T>(status, text);
  }
}

function readAnswer<T>(status: number, text: string): T {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new RpcFailure(status, `error: HTTP ${status} without a JSON answer`, cause);
  }
  const { result, error } = (typeof answer === 'object' && answer !== null ? answer : {}) as {
    result?: unknown;
    error?: unknown;
  };
  if (typeof error === 'string' && error !== '') throw new RpcFailure(status, error);
  if (status < 200 || status > 299) throw new RpcFailure(status, `error: HTTP ${status}`);
  if (result === undefined) throw new RpcFailure(status, 'error: answer without a result');
  return result as T;
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw new Error(`answer over ${MAX_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `fetch failed` says nothing: the reason is in the cause. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
