// The server behind the browser shell, on 127.0.0.1 alone: the dashboard's files, calls by POST, pushes as a stream.
// Every request passes Host first, then the cookie, and all but plain GETs the Origin (cases F-30 F-31 F-33).

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bridge } from '../bridge.ts';
import type { Logger } from '../logs.ts';
import { type Access, createAccess, type Refusal } from './access.ts';
import { dashboardFile, readDashboardFile, securityHeaders } from './dashboard-files.ts';
import type { PageStreams } from './page-streams.ts';

export type BrowserServer = { readonly port: number; readonly access: Access; close(): Promise<void> };

export type ServerParts = { bridge: Bridge; streams: PageStreams; log: Logger; folder: string; port: number };

/** Largest body of a call: a message of 64,000 characters with room to spare. */
const longestBody = 1024 * 1024;

/** Listens and answers once it does. Rejects when the port is taken. */
export async function startBrowserServer(parts: ServerParts): Promise<BrowserServer> {
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 5000 });
  const port = await listen(server, parts.port);
  const access = createAccess(port);
  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    serve(request, response, { ...parts, access }).catch(error => {
      parts.log.error({ err: error }, `${request.method} ${pathOf(request)} failed`);
      if (response.headersSent) response.destroy();
      else say(response, 500, 'Something went wrong in the program. The log says more.');
    });
  });
  // Nothing here speaks WebSocket, or anything else one could upgrade to.
  server.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 421 Misdirected Request\r\nconnection: close\r\n\r\n'),
  );
  return {
    port,
    access,
    close: () =>
      new Promise(done => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', error => fail(new Error(`the dashboard cannot use port ${port}: ${error.message}`)));
    server.listen(port, '127.0.0.1', () => done((server.address() as AddressInfo).port));
  });
}

type Serving = ServerParts & { access: Access };

async function serve(request: IncomingMessage, response: ServerResponse, parts: Serving): Promise<void> {
  const { access } = parts;
  const path = pathOf(request);
  const misdirected = access.host(request);
  if (misdirected) return refuse(response, misdirected);
  if (request.method === 'POST') return call(request, response, parts);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuse(
      response,
      access.origin(request) ?? { status: 403, words: 'The dashboard has no use for this.' },
    );
  }
  const token = path === '/' ? queryOf(request).get('token') : null;
  if (token !== null && access.isToken(token)) {
    // Without a fragment of its own, so that the browser keeps the one it was opened with.
    response.writeHead(303, { location: '/', 'set-cookie': access.cookie, 'cache-control': 'no-store' });
    response.end();
    return;
  }
  const stranger = access.session(request);
  if (stranger) return path === '/' ? strangersPage(response) : refuse(response, stranger);
  if (path === '/bridge/pushes') return pushes(request, response, parts);
  return sendFile(request, response, parts);
}

function pushes(request: IncomingMessage, response: ServerResponse, { streams, access }: Serving): void {
  // A page of another origin may start this GET but never read it; it is refused all the same.
  const { origin } = request.headers;
  const foreign = origin === undefined ? null : access.origin(request);
  if (foreign) refuse(response, foreign);
  else if (request.method === 'HEAD') say(response, 200, '');
  else streams.attach(response, pageOf(queryOf(request).get('page') ?? undefined));
}

async function call(request: IncomingMessage, response: ServerResponse, parts: Serving): Promise<void> {
  const { access, bridge } = parts;
  const refusal = access.session(request) ?? access.origin(request);
  if (refusal) return refuse(response, refusal);
  const name = /^\/bridge\/([a-z]{1,40}\.[a-zA-Z]{1,40})$/.exec(pathOf(request))?.[1];
  if (name === undefined) return say(response, 404, 'There is nothing here.');
  // A form or a plain-text post is what another origin can send without asking first.
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    return say(response, 415, 'A call is JSON.');
  }
  const args = await readJson(request);
  if (args === tooLong) return say(response, 413, 'That is too long.');
  if (args === notJson) return say(response, 400, 'A call is JSON.');
  const page = request.headers['x-tiny-page'];
  const reply = await bridge.call(name, args, { page: pageOf(typeof page === 'string' ? page : undefined) });
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(reply));
}

function sendFile(request: IncomingMessage, response: ServerResponse, { folder }: Serving): void {
  const file = dashboardFile(folder, pathOf(request));
  if (!file) {
    say(response, 404, 'There is nothing here.');
    return;
  }
  response.writeHead(200, { ...file.headers, 'content-length': file.size });
  if (request.method === 'HEAD') response.end();
  else
    readDashboardFile(file)
      .on('error', () => response.destroy())
      .pipe(response);
}

const tooLong = Symbol('too long');
const notJson = Symbol('not JSON');

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestBody) return tooLong;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
  } catch {
    // Said to the caller as a status.
    return notJson;
  }
}

function refuse(response: ServerResponse, { status, words }: Refusal): void {
  say(response, status, words);
}

function say(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(words && `${words}\n`);
}

function strangersPage(response: ServerResponse): void {
  response.writeHead(401, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Tiny Desktop</title>' +
      '<h1>Open the dashboard from the program</h1><p>This page needs the address the program gives when it starts. ' +
      'Run <code>tiny desktop</code> (or <code>npm start</code>) again: it opens the running dashboard.</p></html>\n',
  );
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

function queryOf(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams((request.url ?? '').split('?').slice(1).join('?'));
}

/** A page's name for itself, or `page` for one that gives none. */
function pageOf(given: string | undefined): string {
  return given !== undefined && /^[\w-]{1,64}$/.test(given) ? given : 'page';
}
