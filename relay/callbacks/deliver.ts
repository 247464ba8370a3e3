// One POST of one event (spec/callbacks.md section 2). What comes of it is a value: nothing here throws for what the
// receiver or the network does.

import { createHmac } from 'node:crypto';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import {
  allowedAddresses,
  fixedLookup,
  hostnameOf,
  type Resolver,
  systemResolver,
  type TargetRule,
} from './target.ts';

export type Post = {
  url: string;
  callback: string;
  secret: string;
  /** The relay's public URL. */
  relay: string;
  eventId: string;
  /** JSON of the event. */
  body: string;
  /** 1, 2 or 3. */
  attempt: number;
};

/** `status` is 0 without an answer; `reason` is '' after a success. Milliseconds. */
export type Delivery = { ok: boolean; status: number; reason: string; milliseconds: number };

export type DeliverOptions = {
  rule: TargetRule;
  resolve?: Resolver;
  /** PEM of authorities trusted besides the usual ones. */
  ca?: string;
  /** Ends it at once, as when the relay stops. */
  signal?: AbortSignal;
  timeoutMs?: number;
};

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 4096;

/** `sha256=` and the HMAC of the body, as receivers check it. */
export function signatureOf(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Sends the event once. Redirects are not followed; a 2xx status is a success, whatever its body does. */
export async function deliver(post: Post, options: DeliverOptions): Promise<Delivery> {
  const started = performance.now();
  const end = (status: number, reason: string): Delivery => {
    const milliseconds = Math.round(performance.now() - started);
    return { ok: reason === '', status, reason, milliseconds };
  };
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  try {
    const url = new URL(post.url);
    const allowed = await beforeAbort(
      allowedAddresses(url, options.rule, options.resolve ?? systemResolver),
      signal,
    );
    if ('reason' in allowed) return end(0, allowed.reason);
    const answer = await send(url, post, {
      lookup: fixedLookup(allowed.addresses),
      signal,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
    await drain(answer);
    const status = answer.statusCode ?? 0;
    return end(status, reasonOf(status));
  } catch (error) {
    if (timeout.aborted) return end(0, 'no answer in time');
    if (options.signal?.aborted === true) return end(0, 'stopped');
    return end(0, networkReason(error));
  }
}

function send(url: URL, post: Post, more: RequestOptions & { ca?: string }): Promise<IncomingMessage> {
  const body = Buffer.from(post.body);
  const hostname = hostnameOf(url);
  const options = {
    ...more,
    method: 'POST',
    // A connection of its own each time: one kept open would outlive the check of its address.
    agent: false as const,
    autoSelectFamily: true,
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      'User-Agent': 'tiny-relay',
      'X-Tiny-Callback': post.callback,
      'X-Tiny-Signature': signatureOf(post.body, post.secret),
      'X-Tiny-Relay': post.relay,
      'X-Tiny-Event': post.eventId,
      'X-Tiny-Attempt': String(post.attempt),
    },
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
    request.on('response', resolve).on('error', reject);
    request.end(body);
  });
}

/** Reads a little of the answer, so that the receiver can finish, and then hangs up. The status has been settled. */
function drain(answer: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= MAX_ANSWER_BYTES) answer.destroy();
    });
    // Also when it is cut off or takes too long: the answer itself was its first line.
    answer.on('error', () => resolve()).on('close', () => resolve());
  });
}

function reasonOf(status: number): string {
  if (status >= 200 && status < 300) return '';
  return status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed` : `HTTP ${status}`;
}

function networkReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name does not resolve';
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'connection lost';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return `TLS: ${code}`;
  return code === '' ? 'the request failed' : `the request failed: ${code}`;
}

/** A look-up cannot be called off, so it is left behind. */
function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
