// The management endpoint (NIP-86, spec/management.md section 1): any path, told by its content type.

import type { IncomingMessage } from 'node:http';
import type { RelayContext } from '../context.ts';
import { callMethod, isUnsigned } from '../management/methods.ts';
import { json, refused } from './answers.ts';
import { bodyJson, readBody } from './body.ts';
import type { Proofs } from './proofs.ts';

const RPC_TYPE = 'application/nostr+json+rpc';

export function isRpc(incoming: IncomingMessage): boolean {
  const type = incoming.headers['content-type'] ?? '';
  return incoming.method === 'POST' && type.toLowerCase().includes(RPC_TYPE);
}

/** One call: `{"result"}` or `{"error"}` with its status. */
export async function answerRpc(
  context: RelayContext,
  proofs: Proofs,
  incoming: IncomingMessage,
): Promise<Response> {
  const read = await readBody(incoming, context.limits.messageBytes);
  if ('refusal' in read) return refused(read.refusal);
  const call = parseCall(bodyJson(read.body));
  // The proof comes before anything is said about the call, except that it may be one anybody may make.
  const needsProof = call === null || !isUnsigned(call.method);
  let key = '';
  if (needsProof || incoming.headers.authorization !== undefined) {
    const proof = proofs.keyOf(incoming, read.body);
    if ('refusal' in proof) return refused(proof.refusal);
    key = proof.key;
  }
  if (call === null) return refused('invalid: malformed management request');
  const ip = incoming.socket.remoteAddress;
  const caller = { pubkey: key, role: key === '' ? ('' as const) : context.roles.roleOf(key) };
  const answer = await callMethod(context, { ...caller, ...(ip === undefined ? {} : { ip }) }, call);
  return 'refusal' in answer ? refused(answer.refusal) : json({ result: answer.result });
}

function parseCall(value: unknown): { method: string; params: unknown[] } | null {
  if (typeof value !== 'object' || value === null) return null;
  const { method, params = [] } = value as { method?: unknown; params?: unknown };
  return typeof method === 'string' && Array.isArray(params) ? { method, params } : null;
}
