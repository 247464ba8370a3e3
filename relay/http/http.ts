// The HTTP surface in the order of spec/http-surface.md section 1: door, health, streams, management, bridges,
// information. createHttp answers every request of the relay's one http.Server except upgrades.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { RelayContext } from '../context.ts';
import { llmsText } from '../mcp/llms-text.ts';
import { json, plain } from './answers.ts';
import { answerBridge, type Bridge } from './bridges.ts';
import { addCors, doorRefusal, type Openness, originRefusal, preflight } from './door.ts';
import { informationDocument } from './information.ts';
import { McpEndpoint } from './mcp.ts';
import { Proofs } from './proofs.ts';
import { answerRpc, isRpc } from './rpc.ts';
import { answerStream } from './stream.ts';

type Env = { Bindings: HttpBindings };
export type RequestHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** A handler for `http.Server`'s `request`. Failures of ours are logged and answered with 500. */
export function createHttp(context: RelayContext): RequestHandler {
  const app = routes(context);
  const listener = getRequestListener((request, env) => app.fetch(request, env as HttpBindings), {
    overrideGlobalObjects: false,
    errorHandler: () => plain('Bad request.\n', 400),
  });
  return (incoming, outgoing) => {
    const refusal = doorRefusal(context, incoming);
    if (refusal === null) {
      void listener(incoming, outgoing);
      return;
    }
    outgoing.writeHead(refusal.status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    outgoing.end(refusal.text);
  };
}

function routes(context: RelayContext): Hono<Env> {
  const proofs = new Proofs(context);
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    const { incoming } = c.env;
    if (incoming.method === 'OPTIONS') return preflight(context, incoming);
    const open = opennessOf(incoming);
    const refusal = originRefusal(context, incoming, open);
    if (refusal !== null) return refusal;
    await next();
    addCors(context, incoming, open, c.res.headers);
  });
  app.get('/healthz', () => json({ status: 'alive' }));
  app.get('/readyz', () => {
    const ready = context.store.health().ok;
    return json({ status: ready ? 'ready' : 'unready' }, ready ? 200 : 503);
  });
  const mcp = new McpEndpoint(context, proofs);
  app.all('/rooms/:id/stream', c => answerStream(context, proofs, c.env.incoming, c.req.param('id')));
  app.all('/mcp', c => mcp.answer(c.env.incoming, c.req.raw.signal));
  app.get('/llms.txt', () => plain(llmsText(context)));
  app.post('*', async (c, next) => {
    if (isRpc(c.env.incoming)) return answerRpc(context, proofs, c.env.incoming);
    await next();
  });
  for (const bridge of ['events', 'query', 'count'] as const satisfies readonly Bridge[]) {
    app.post(`/${bridge}`, c => answerBridge(context, proofs, bridge, c.env.incoming));
    app.all(`/${bridge}`, () => plain('Only POST.\n', 405, { allow: 'POST' }));
  }
  app.get('/', c => {
    if (wantsInformation(c.env.incoming)) return information(context);
    const name = context.policy().name || 'A Nostr relay';
    return plain(`${name}\n\nConnect with ${context.urls.ws}\n`, 200, { vary: 'Accept' });
  });
  app.notFound(() => plain('Not found.\n', 404));
  app.onError(error => {
    context.log.error({ error: { name: error.name, message: error.message } }, 'HTTP request failed');
    return json({ error: 'error: the relay could not answer' }, 500);
  });
  return app;
}

function information(context: RelayContext): Response {
  return new Response(JSON.stringify(informationDocument(context)), {
    headers: { 'content-type': 'application/nostr+json; charset=utf-8', vary: 'Accept' },
  });
}

function wantsInformation(incoming: IncomingMessage): boolean {
  return (incoming.headers.accept ?? '').toLowerCase().includes('application/nostr+json');
}

/** What every page may read: health, and the information document. Nothing that is written to. */
function opennessOf(incoming: IncomingMessage): Openness {
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return 'ours';
  const path = (incoming.url ?? '').split('?')[0];
  if (path === '/healthz' || path === '/readyz' || path === '/llms.txt') return 'public';
  return path === '/' && wantsInformation(incoming) ? 'public' : 'ours';
}
