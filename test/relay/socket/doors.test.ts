// Who may open a connection: by the name it is asked for, by the page that asks, by the address it is bound to.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Edge } from '../http/edge.ts';
import { WireClient } from './wire-client.ts';

let edge: Edge;

beforeAll(async () => {
  edge = await Edge.start({ reads: 'open', origins: ['https://client.example'] });
});
afterAll(() => edge.close());

/** The status line of an upgrade with those header lines. */
async function upgrade(headers: string[], path = '/', at = edge, port = portOf(at)): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const key = Buffer.alloc(16).toString('base64');
  const fixed = [
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${key}`,
    'Sec-WebSocket-Version: 13',
  ];
  socket.write(`${[`GET ${path} HTTP/1.1`, ...headers, ...fixed].join('\r\n')}\r\n\r\n`);
  const [data] = await once(socket, 'data');
  socket.destroy();
  return String(data).split('\r\n')[0] ?? '';
}

function portOf(at: Edge): number {
  return Number(new URL(at.relay.http).port);
}

function ours(): string {
  return `Host: ${new URL(edge.relay.http).host}`;
}

describe('F-30 the name it is asked for', () => {
  test.each([
    ['evil.test', () => 'Host: evil.test'],
    ['evil.test with our port', () => `Host: evil.test:${new URL(edge.relay.http).port}`],
    ['localhost.evil.test', () => `Host: localhost.evil.test:${new URL(edge.relay.http).port}`],
    ['a trailing dot', () => `Host: localhost.:${new URL(edge.relay.http).port}`],
    ['another port', () => 'Host: 127.0.0.1:1'],
    ['no port', () => 'Host: 127.0.0.1'],
    ['another loopback address', () => `Host: 127.0.0.2:${new URL(edge.relay.http).port}`],
    ['an empty one', () => 'Host:'],
  ])('%s is refused before any work', async (_, header) => {
    expect(await upgrade([header()])).toMatch(/^HTTP\/1\.1 421 /);
  });

  test('none at all is refused', async () => {
    expect(await upgrade([])).toMatch(/^HTTP\/1\.1 4(00|21) /);
  });

  test.each(['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST'])('%s is ours', async name => {
    expect(await upgrade([`Host: ${name}:${new URL(edge.relay.http).port}`])).toMatch(/ 101 /);
  });
});

describe('F-31 the page that asks', () => {
  test.each([
    'https://evil.test',
    'http://evil.test:7447',
    'null',
    'http://localhost.evil.test',
    'file://',
    '',
  ])('a page of %j is refused', async origin =>
    expect(await upgrade([ours(), `Origin: ${origin}`])).toMatch(/^HTTP\/1\.1 403 /),
  );

  test.each(['http://localhost:5173', 'http://127.0.0.1:3000', 'https://client.example'])(
    'a page of %j may',
    async origin => expect(await upgrade([ours(), `Origin: ${origin}`])).toMatch(/ 101 /),
  );
});

test('only the root path is a relay', async () => {
  expect(await upgrade([ours()], '/a')).toMatch(/^HTTP\/1\.1 404 /);
  expect(await upgrade([ours()], '//')).toMatch(/^HTTP\/1\.1 404 /);
  expect(await upgrade([ours()], '/?x=1')).toMatch(/ 101 /);
});

describe('F-32 the address it is bound to', () => {
  test('this machine alone, unless told otherwise', async () => {
    const { port } = new URL(edge.relay.http);
    const outside = Object.values(networkInterfaces())
      .flatMap(list => list ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    if (outside === undefined) return;
    const socket = connect(Number(port), outside.address);
    const [error] = await once(socket, 'error');
    expect(error.code).toBe('ECONNREFUSED');
  });

  test('bound to everything it answers to the addresses of this machine, and still to no foreign name', async () => {
    const open = await Edge.start({ host: '0.0.0.0', reads: 'open' });
    const { port } = new URL(open.relay.http);
    const address = Object.values(networkInterfaces()).flatMap(list => list ?? [])[0]?.address ?? '127.0.0.1';
    const host = address.includes(':') ? `[${address}]` : address;
    expect(await upgrade([`Host: ${host}:${port}`], '/', open)).toMatch(/ 101 /);
    expect(await upgrade([`Host: evil.test:${port}`], '/', open)).toMatch(/ 421 /);
    await open.close();
  });
});

test('behind a proxy it answers to its public name, also in AUTH', async () => {
  const port = await freePort();
  const proxied = await Edge.start({ url: 'wss://relay.example/', port });
  expect(proxied.relay.url).toBe('wss://relay.example/');
  expect(await upgrade(['Host: relay.example'], '/', proxied, port)).toMatch(/ 101 /);
  const client = await WireClient.open(`ws://127.0.0.1:${port}/`);
  const tags = [
    ['relay', 'wss://relay.example'],
    ['challenge', await client.challenge],
  ];
  expect((await client.authenticate(proxied.owner, { tags }))[2]).toBe(true);
  client.close();
  await proxied.close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
