// The methods of the connector (spec/tinyagent-connector.md A2). Parameters come from another process: each method
// reads its own before it does anything.

import { z } from 'zod';
import { receivedEvent } from '../../relay/client/received-event.ts';
import type { Signer } from '../../relay/client/signer.ts';
import type { Filter, NostrEvent } from '../../relay/protocol/event.ts';
import { matches } from '../../relay/protocol/filter.ts';
import { isRoomId } from '../../relay/protocol/tags.ts';
import { diagnose } from './diagnose.ts';
import { MAX_BODY, type RelayHttp } from './relay-http.ts';

export type ConnectorContext = { relay: string; signer: Signer; http: RelayHttp };

export type Method = (context: ConnectorContext, params: unknown, signal: AbortSignal) => Promise<unknown>;

const MAX_QUERY = 10_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const RPC_TYPE = { 'content-type': 'application/nostr+json+rpc' };

const template = z.object({
  kind: z.number().int().min(0).max(65_535),
  tags: z.array(z.array(z.string())).default([]),
  content: z.string().default(''),
  created_at: z.number().int().nonnegative().default(0),
});

/** A filter or a list of them; the relay checks what is inside. */
export const filterParam = z
  .union([z.looseObject({}), z.array(z.looseObject({})).min(1)])
  .transform(value => (Array.isArray(value) ? value : [value]) as Filter[]);

const relayPath = z
  .string()
  .refine(path => /^\/(?!\/)/.test(path) && !path.split(/[/?#\\]/).includes('..') && !path.includes('#'), {
    error: 'path must start with one / and hold no ..',
  });

export const METHODS: Record<string, Method> = {
  async identity({ signer }) {
    return { pubkey: signer.pubkey };
  },

  async publish({ signer, http }, params, signal) {
    const { event } = read(z.object({ event: template }), params);
    const created_at = event.created_at === 0 ? Math.floor(Date.now() / 1000) : event.created_at;
    const signed = signer.sign({ ...event, created_at });
    const body = JSON.stringify(signed);
    const answer = await http.expect({ path: '/events', method: 'POST', headers: JSON_TYPE, body, signal });
    const receipt = JSON.parse(answer.body.toString('utf8')) as { accepted?: boolean; message?: string };
    if (receipt.accepted === false) throw new Error(receipt.message ?? 'not accepted');
    return signed;
  },

  async query({ http }, params, signal) {
    const { filter } = read(z.object({ filter: filterParam }), params);
    const body = JSON.stringify(filter);
    const answer = await http.expect({ path: '/query', method: 'POST', headers: JSON_TYPE, body, signal });
    const found: unknown = JSON.parse(answer.body.toString('utf8'));
    if (!Array.isArray(found))
      throw new Error('the relay answered with something else than a list of events');
    if (found.length > MAX_QUERY) throw new Error(`more than ${MAX_QUERY} events: narrow the filter`);
    return found
      .map(receivedEvent)
      .filter((event): event is NostrEvent => event !== null && filter.some(one => matches(one, event)));
  },

  async request({ http }, params, signal) {
    const shape = z.object({
      path: relayPath,
      method: z
        .string()
        .regex(/^[A-Za-z]{1,16}$/)
        .default('GET'),
      body: z.unknown(),
    });
    const { path, method, body } = read(shape, params);
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const headers = method.toUpperCase() === 'POST' && path === '/manage/rpc' ? RPC_TYPE : JSON_TYPE;
    const answer = await http.expect({
      path,
      method: method.toUpperCase(),
      signal,
      ...(text === undefined ? {} : { body: text, headers }),
    });
    const reply = answer.body.toString('utf8');
    return reply === '' ? null : JSON.parse(reply);
  },

  async upload({ http }, params, signal) {
    const shape = z.object({
      room: z.string().refine(isRoomId, { error: 'room must be a room id' }),
      filename: z.string().optional(),
      type: z.string().optional(),
      data: z.base64(),
    });
    const { room, filename, type, data } = read(shape, params);
    const body = Buffer.from(data, 'base64');
    if (body.length === 0) throw new Error('data is empty');
    if (body.length > MAX_BODY) throw new Error(`data has ${body.length} bytes, at most ${MAX_BODY}`);
    const name = filename === undefined ? '' : `?filename=${encodeURIComponent(filename)}`;
    const path = `/rooms/${room}/attachments${name}`;
    const headers = type === undefined ? {} : { 'content-type': type };
    const answer = await http.expect({ path, method: 'PUT', headers, body, signal });
    return JSON.parse(answer.body.toString('utf8'));
  },

  async download({ http }, params, signal) {
    const { path } = read(z.object({ path: relayPath }), params);
    const { body, type } = await http.expect({ path, signal });
    return { data: body.toString('base64'), type };
  },

  async diagnose({ http, relay, signer }, params) {
    const shape = z.object({
      rooms: z.array(z.string()).default([]),
      kinds: z.array(z.number().int().min(0).max(65_535)).default([]),
    });
    return diagnose(http, relay, signer.pubkey, read(shape, params ?? {}));
  },
};

/** Parameters as the shape wants them. Throws one sentence that names the field. */
export function read<T>(shape: z.ZodType<T>, params: unknown): T {
  const parsed = shape.safeParse(params ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Error(`${issue?.path.join('.') || 'params'}: ${issue?.message ?? 'not understood'}`);
}
