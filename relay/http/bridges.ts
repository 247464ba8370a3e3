// Publishing and reading over plain HTTP: POST /events, /query, /count (spec/http-surface.md section 3). They enter at
// the same admission and the same visibility as the socket.

import type { IncomingMessage } from 'node:http';
import type { Reader, RelayContext } from '../context.ts';
import type { Filter } from '../protocol/event.ts';
import { parseFilters } from '../protocol/filter.ts';
import { isHex64 } from '../protocol/tags.ts';
import { json, refused } from './answers.ts';
import { bodyJson, readBody } from './body.ts';
import type { Proofs } from './proofs.ts';

export type Bridge = 'events' | 'query' | 'count';

/** Types a page of any origin can send without asking first. */
const FORM_TYPES = /^(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/** Answers one POST to a bridge: proof first, then the work. */
export async function answerBridge(
  context: RelayContext,
  proofs: Proofs,
  bridge: Bridge,
  incoming: IncomingMessage,
): Promise<Response> {
  if (FORM_TYPES.test(incoming.headers['content-type'] ?? '')) {
    return json({ error: 'invalid: the content type must be application/json' }, 415);
  }
  const read = await readBody(incoming, context.limits.messageBytes);
  if ('refusal' in read) return refused(read.refusal);
  const proof = proofs.keyOf(incoming, read.body);
  if ('refusal' in proof) return refused(proof.refusal);
  const ip = incoming.socket.remoteAddress;
  if (context.store.ips.isBlocked(ip ?? '')) return refused('blocked: this address is blocked');
  const reader: Reader = { keys: [proof.key], ...(ip === undefined ? {} : { ip }) };
  const value = bodyJson(read.body);
  return bridge === 'events' ? publish(context, reader, value) : query(context, reader, bridge, value);
}

async function publish(context: RelayContext, reader: Reader, value: unknown): Promise<Response> {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  if (!isHex64(id)) return refused('invalid: the body must be one signed event');
  const outcome = await context.admission.publish(value, { via: 'http', ...reader });
  const receipt = { event_id: id, accepted: outcome.accepted, message: outcome.message };
  return json(receipt, outcome.accepted ? 200 : 400);
}

async function query(
  context: RelayContext,
  reader: Reader,
  bridge: 'query' | 'count',
  value: unknown,
): Promise<Response> {
  if (!Array.isArray(value)) return refused('invalid: the body must be a list of filters');
  const filters = parseFilters(value, context.limits);
  if (!filters.ok) return refused(filters.refusal);
  const refusal = context.visibility.mayQuery(reader, filters.value);
  if (refusal !== null) return refused(refusal);
  if (bridge === 'count') return count(context, reader, filters.value);
  const found = await context.read(reader, filters.value);
  return 'refusal' in found ? refused(found.refusal) : json(found.events);
}

async function count(context: RelayContext, reader: Reader, filters: readonly Filter[]): Promise<Response> {
  if (!context.policy().features.count) return refused('unsupported: counting is switched off');
  return json({ count: await context.count(reader, filters) });
}
