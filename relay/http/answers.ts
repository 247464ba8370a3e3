// Answers of the HTTP surface: JSON, and refusals with the status their prefix stands for (spec/management.md section 1).

import type { Refusal } from '../context.ts';
import { reasonPrefix } from '../protocol/reasons.ts';

export type HttpStatus = 400 | 401 | 403 | 429;

const STATUS: Partial<Record<string, HttpStatus>> = {
  'auth-required': 401,
  restricted: 403,
  blocked: 403,
  'rate-limited': 429,
};

/** The status for a refusal: 401, 403 or 429 by its prefix, else 400. */
export function statusOf(refusal: Refusal): HttpStatus {
  return STATUS[reasonPrefix(refusal) ?? ''] ?? 400;
}

export function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** `{"error": refusal}` with its status. */
export function refused(refusal: Refusal): Response {
  return json({ error: refusal }, statusOf(refusal));
}

export function plain(text: string, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } });
}
