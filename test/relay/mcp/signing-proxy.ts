// An HTTP proxy in front of a relay that adds a NIP-98 proof of one key to each request: for programs that speak MCP
// and know nothing of Nostr, such as the conformance suite. A foreign Host or Origin goes through as it came.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nip98Header } from '../../../relay/client/http-proof.ts';
import type { Signer } from '../../../relay/client/signer.ts';

export type SigningProxy = { url: string; close(): Promise<void> };

export async function startSigningProxy(relay: string, signer: Signer): Promise<SigningProxy> {
  const target = new URL(relay);
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = 'GET', url: path = '/' } = incoming;
    const own = `127.0.0.1:${port}`;
    const { host = own, origin, connection: _, 'transfer-encoding': _chunked, ...headers } = incoming.headers;
    const isOwn = host === own || host === `localhost:${port}`;
    const sent = request(
      {
        ...{ hostname: target.hostname, port: target.port, method, path, agent: false },
        headers: {
          ...headers,
          host: isOwn ? target.host : host,
          ...(origin === undefined ? {} : { origin }),
          ...(body.length > 0 ? { 'content-length': String(body.length) } : {}),
          authorization: nip98Header(signer, `${target.origin}${path}`, method, body),
        },
      },
      answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    sent.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
