// Who may knock: the Host a request names and the page it comes from, checked on every route before any work
// (spec/decisions.md 18, cases F-30 and F-31), and the CORS headers that follow.

import type { IncomingMessage } from 'node:http';
import type { RelayContext } from '../context.ts';
import { plain } from './answers.ts';

const ALLOW_HEADERS = [
  'Authorization',
  'Content-Type',
  'Accept',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'X-SHA-256',
  'X-Content-Length',
  'X-Content-Type',
  'Upload-Type',
  'Upload-Length',
  'Upload-Offset',
].join(', ');
const ALLOW_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Routes any page may read: they say what the relay tells everyone. */
export type Openness = 'public' | 'ours';

/** Why a request is not looked at: its Host is not ours, or its target is no path. Null when it may go on. */
export function doorRefusal(
  context: RelayContext,
  incoming: IncomingMessage,
): { status: number; text: string } | null {
  if (!context.urls.isOurHost(incoming.headers.host)) {
    // MCP asks for 403 (spec/mcp-tools.md section 1).
    const isMcp = incoming.url?.split('?')[0] === '/mcp';
    return { status: isMcp ? 403 : 421, text: 'This address is not served here.\n' };
  }
  // `GET http://elsewhere/` is how a proxy is spoken to.
  if (!(incoming.url ?? '').startsWith('/')) return { status: 400, text: 'Bad request target.\n' };
  return null;
}

/** A refusal of a page that is not ours; a request without Origin is no page. */
export function originRefusal(
  context: RelayContext,
  incoming: IncomingMessage,
  open: Openness,
): Response | null {
  const { origin } = incoming.headers;
  if (origin === undefined || context.urls.allowsOrigin(origin)) return null;
  if (open === 'public' && (incoming.method === 'GET' || incoming.method === 'HEAD')) return null;
  return plain('Pages of this origin may not speak to this relay.\n', 403);
}

/** The answer to a preflight: yes to pages of ours, to others only for reading what is public. */
export function preflight(context: RelayContext, incoming: IncomingMessage): Response {
  const { origin } = incoming.headers;
  const wanted = incoming.headers['access-control-request-method'] ?? 'GET';
  const ours = context.urls.allowsOrigin(origin);
  if (!ours && wanted !== 'GET' && wanted !== 'HEAD') {
    return plain('Pages of this origin may not speak to this relay.\n', 403);
  }
  const headers = {
    'access-control-allow-methods': ours ? ALLOW_METHODS : 'GET, HEAD',
    'access-control-allow-headers': ours ? ALLOW_HEADERS : 'Accept',
    'access-control-max-age': '600',
  };
  const response = new Response(null, { status: 204, headers });
  addCors(context, incoming, ours ? 'ours' : 'public', response.headers);
  return response;
}

/** Adds what every answer carries: nosniff, and the CORS headers its openness allows. */
export function addCors(
  context: RelayContext,
  incoming: IncomingMessage,
  open: Openness,
  headers: Headers,
): void {
  const { origin } = incoming.headers;
  headers.set('x-content-type-options', 'nosniff');
  if (open === 'public') {
    headers.set('access-control-allow-origin', '*');
    headers.set('access-control-allow-headers', headers.get('access-control-allow-headers') ?? 'Accept');
    headers.set('access-control-allow-methods', headers.get('access-control-allow-methods') ?? 'GET, HEAD');
    return;
  }
  headers.append('vary', 'Origin');
  if (origin === undefined || !context.urls.allowsOrigin(origin)) return;
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', 'Allow, X-Reason, WWW-Authenticate');
}
