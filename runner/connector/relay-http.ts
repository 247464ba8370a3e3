// HTTP between the connector and a relay: every call carries a fresh NIP-98 proof, answers are bounded, and a
// redirect to another place is never followed (spec/tinyagent-connector.md A2).

import { nip98Header } from '../../relay/client/http-proof.ts';
import { httpBase } from '../../relay/client/rpc.ts';
import type { Signer } from '../../relay/client/signer.ts';

export const MAX_BODY = 32 * 1024 * 1024;
const MAX_REDIRECTS = 3;

export type HttpAnswer = { status: number; type: string; body: Buffer };

export type HttpRequest = {
  path: string;
  method?: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Bytes of the answer that are read at most. */
  limit?: number;
  signed?: boolean;
};

/** No answer came: a network failure, a redirect elsewhere, an answer too large. */
export class NoAnswer extends Error {}

/** An answer that is not 2xx. The message is `relay HTTP <status>: <body>`. */
export class BadStatus extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    super(`relay HTTP ${status}: ${body}`);
    this.status = status;
  }
}

/** Reads `--relay`: http, https, ws or wss, without user or fragment; null when it is something else. */
export function relayBase(text: string): { http: string; ws: string } | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^(?:https?|wss?):$/.test(url.protocol)) return null;
  if (url.username !== '' || url.password !== '' || url.hash !== '' || url.search !== '') return null;
  const http = httpBase(url.href);
  return { http, ws: `${http.replace(/^http/, 'ws')}/` };
}

export class RelayHttp {
  readonly #base: string;
  readonly #signer: Signer;

  constructor(base: string, signer: Signer) {
    this.#base = base;
    this.#signer = signer;
  }

  /** Any answer whatever its status. Throws NoAnswer. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    let url = `${this.#base}${request.path}`;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const response = await this.#fetch(url, request);
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) {
        return readAnswer(response, request.limit ?? MAX_BODY);
      }
      const next = new URL(location, url);
      await response.body?.cancel();
      if (next.origin !== new URL(this.#base).origin) {
        throw new NoAnswer(`the relay redirects to ${next.origin}, which is another place`);
      }
      url = next.href;
    }
    throw new NoAnswer(`more than ${MAX_REDIRECTS} redirects`);
  }

  /** The answer of a call that succeeded. Throws BadStatus for any other. */
  async expect(request: HttpRequest): Promise<HttpAnswer> {
    const answer = await this.send(request);
    if (answer.status >= 200 && answer.status <= 299) return answer;
    throw new BadStatus(answer.status, answer.body.toString('utf8').trim());
  }

  async #fetch(url: string, request: HttpRequest): Promise<Response> {
    const { method = 'GET', body, headers = {}, signal, signed = true } = request;
    const proof = signed ? { authorization: nip98Header(this.#signer, url, method, body) } : {};
    try {
      return await fetch(url, {
        method,
        headers: { ...headers, ...proof },
        redirect: 'manual',
        ...(body === undefined ? {} : { body: body as string | Uint8Array<ArrayBuffer> }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      throw new NoAnswer(networkReason(error));
    }
  }
}

async function readAnswer(response: Response, limit: number): Promise<HttpAnswer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > limit) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new NoAnswer(networkReason(error));
  }
  if (size > limit) throw new NoAnswer(`the answer has more than ${limit} bytes`);
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    body: Buffer.concat(chunks),
  };
}

/** `fetch failed` says nothing: the reason is in its cause. */
function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer in time';
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ('code' in cause ? String(cause.code) : error.message);
}
