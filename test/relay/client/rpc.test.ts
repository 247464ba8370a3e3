import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { RelayRpc, RpcFailure } from '../../../relay/client/rpc.ts';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';

let server: Server | undefined;
afterEach(async () => {
  if (server === undefined) return;
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  server = undefined;
});

async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/relay/`;
}

const signer = signerFrom(generateSecret());

async function failureOf(call: Promise<unknown>): Promise<RpcFailure> {
  const failure = await call.catch((error: unknown) => error);
  if (!(failure instanceof RpcFailure)) throw new Error('expected a failure');
  return failure;
}

test('posts a signed call and answers its result', async () => {
  let request: IncomingMessage | undefined;
  let body = '';
  const url = await serve(async (incoming, response) => {
    request = incoming;
    for await (const chunk of incoming) body += chunk;
    response.end('{"result":{"changed":2}}');
  });
  const rpc = new RelayRpc({ url, signer });
  expect(await rpc.call('pauseallagents', ['x'])).toEqual({ changed: 2 });
  expect(JSON.parse(body)).toEqual({ method: 'pauseallagents', params: ['x'] });
  expect(request?.url).toBe('/relay/manage/rpc');
  expect(request?.headers['content-type']).toBe('application/nostr+json+rpc');
  const token = request?.headers.authorization?.slice('Nostr '.length) ?? '';
  const proof = JSON.parse(Buffer.from(token, 'base64').toString()) as NostrEvent;
  expect(proof.tags).toContainEqual(['u', `${url.replace('ws', 'http')}manage/rpc`]);
});

test('a refusal carries its status and its error', async () => {
  const url = await serve((_, response) => {
    response.writeHead(403).end('{"error":"restricted: member may not listagents"}');
  });
  const failure = await failureOf(new RelayRpc({ url, signer }).call('listagents'));
  expect(failure).toMatchObject({ status: 403, error: 'restricted: member may not listagents' });
});

test.each([
  ['no JSON', '<html>', 'error: HTTP 200 without a JSON answer'],
  ['no result', '{}', 'error: answer without a result'],
])('an answer that is %s is a failure', async (_, text, error) => {
  const url = await serve((_request, response) => void response.end(text));
  expect(await failureOf(new RelayRpc({ url, signer }).call('x'))).toMatchObject({ status: 200, error });
});

test('no network has status 0 and says why', async () => {
  const url = await serve(() => {});
  const { port } = new URL(url.replace('ws', 'http'));
  server?.close();
  await once(server as Server, 'close');
  server = undefined;
  const failure = await failureOf(new RelayRpc({ url: `ws://127.0.0.1:${port}/`, signer }).call('x'));
  expect(failure.status).toBe(0);
  expect(failure.error).toContain('ECONNREFUSED');
});

test('a silent relay ends in a timeout with status 0', async () => {
  const url = await serve(() => {});
  const failure = await failureOf(new RelayRpc({ url, signer }).call('x', [], { timeoutMs: 30 }));
  expect(failure).toMatchObject({ status: 0, error: 'error: timed out' });
});

test('a redirect is not followed: the proof stays with the relay', async () => {
  const url = await serve(
    (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  );
  expect((await failureOf(new RelayRpc({ url, signer }).call('x'))).status).toBe(0);
});
