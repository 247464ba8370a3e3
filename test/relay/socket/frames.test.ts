// Frames nobody should send: the connection ends with the right code or says what was wrong, and the others go on.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { deflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../relay/limits.ts';
import { Edge } from '../http/edge.ts';
import { seconds, WireClient } from './wire-client.ts';

let edge: Edge;
let other: WireClient;
let client: WireClient;

beforeAll(async () => {
  edge = await Edge.start({ reads: 'open', writes: 'open' });
  other = await WireClient.open(edge.relay.url);
});
afterAll(async () => {
  other.close();
  await edge.close();
});
beforeEach(async () => {
  client = await WireClient.open(edge.relay.url);
});
afterEach(async () => {
  client.close();
  // Whatever this one did, another client is served.
  await other.settled();
});

describe('F-11 malformed JSON', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  test.each([
    ['not JSON', '{'],
    ['not a list', '{}'],
    ['an empty list', '[]'],
    ['a number', '12'],
    ['an unknown verb', '["TEST",1]'],
    ['a verb that is no text', '[{"toString":1}]'],
    ['a name every object has', '["constructor"]'],
    ['nested 100,000 deep', deep],
    ['an event nested 100,000 deep', `["EVENT",${deep}]`],
    ['a number of 400 KB', `["EVENT",${'9'.repeat(400_000)}]`],
    ['an event without an id', '["EVENT",{}]'],
    ['a REQ without an id', '["REQ"]'],
    ['a REQ with a number for an id', '["REQ",1,{}]'],
    ['a CLOSE without an id', '["CLOSE",null]'],
  ])('%s is answered with a NOTICE', async (_, text) => {
    const notice = client.next(frame => frame[0] === 'NOTICE');
    client.ws.send(text);
    expect(String((await notice)[1])).toMatch(/^(error|invalid): /);
  });

  test.each([
    ['deep tags', `"tags":[${'['.repeat(50_000)}${']'.repeat(50_000)}]`, /^invalid: bad tag/],
    ['a lone surrogate', '"content":"\\ud800"', /^invalid: bad content/],
    ['a fraction', '"created_at":1.5', /^invalid: bad created_at/],
    ['an exponent too far', '"kind":1e99', /^invalid: kind out of range/],
  ])('%s get an OK false with the id', async (_, field, reason) => {
    const base = {
      id: 'a'.repeat(64),
      pubkey: 'b'.repeat(64),
      created_at: 1,
      kind: 1,
      tags: [],
      content: '',
      sig: 'c'.repeat(128),
    };
    const answer = client.next(frame => frame[0] === 'OK');
    client.ws.send(`["EVENT",${JSON.stringify(base).slice(0, -1)},${field}}]`);
    expect(await answer).toEqual(['OK', base.id, false, expect.stringMatching(reason)]);
  });

  test('a key called __proto__ changes nothing', async () => {
    const event = edge.sign(edge.owner, { kind: 1 });
    const answer = client.next(frame => frame[0] === 'OK');
    client.ws.send(`["EVENT",${JSON.stringify(event).slice(0, -1)},"__proto__":{"kind":9}}]`);
    expect((await answer)[2]).toBe(true);
    expect(({} as { kind?: number }).kind).toBeUndefined();
    expect((await client.ask({ ids: [event.id] })).events).toEqual([event]);
  });

  test('of two keys of one name the last counts, as everywhere', async () => {
    const event = edge.sign(edge.owner, { kind: 1 });
    const answer = client.next(frame => frame[0] === 'OK');
    client.ws.send(`["EVENT",{"kind":7,${JSON.stringify(event).slice(1)}]`);
    expect((await answer)[2]).toBe(true);
  });
});

describe('F-12 oversized', () => {
  test('the limits in force are those of the information document', async () => {
    const headers = { host: new URL(edge.relay.http).host, accept: 'application/nostr+json' };
    const { limitation } = (await edge.raw({ headers })).json as { limitation: Record<string, number> };
    expect(limitation).toMatchObject({
      max_message_length: LIMITS.messageBytes,
      max_subscriptions: LIMITS.subscriptions,
      max_limit: LIMITS.filterLimit,
      max_subid_length: LIMITS.subscriptionId,
      max_event_tags: LIMITS.tags,
      max_content_length: LIMITS.contentCharacters,
    });
  });

  test('a frame over the limit closes with 1009, one at the limit does not', async () => {
    const notice = client.next(frame => frame[0] === 'NOTICE');
    client.ws.send(`"${'x'.repeat(LIMITS.messageBytes - 2)}"`);
    await notice;
    const code = client.closed();
    client.ws.send('x'.repeat(LIMITS.messageBytes + 1));
    expect(await code).toBe(1009);
  });

  test('many tags, a long value, many ids, many filters, a long subscription id', async () => {
    const tags = Array.from({ length: LIMITS.tags + 1 }, () => ['t']);
    expect(await client.publish(edge.sign(edge.owner, { kind: 1, tags }))).toMatch(
      /^false: invalid: more than/,
    );
    const long = edge.sign(edge.owner, { kind: 1, tags: [['t', 'v'.repeat(200_000)]] });
    expect(await client.publish(long)).toBe('true: ');
    const ids = Array.from({ length: 5000 }, (_, index) => index.toString(16).padStart(64, '0'));
    expect((await client.ask({ ids })).closed).toMatch(/^invalid: bad filter: ids has more than/);
    const filters = Array.from({ length: 1000 }, () => ({ kinds: [1] }));
    expect((await client.ask(filters)).closed).toMatch(/^invalid: bad filter: more than/);
    expect((await client.ask({}, { id: 'x'.repeat(65) })).closed).toMatch(/^invalid: subscription id/);
  });

  test('content is measured in characters', async () => {
    const content = '🙂'.repeat(100_000);
    expect(await client.publish(edge.sign(edge.owner, { kind: 1, content }))).toBe('true: ');
    const more = 'x'.repeat(LIMITS.contentCharacters + 1);
    expect(await client.publish(edge.sign(edge.owner, { kind: 1, content: more }))).toMatch(
      /content is longer/,
    );
  });

  test('subscriptions of one connection have an end', async () => {
    for (let index = 0; index < LIMITS.subscriptions; index += 1)
      client.send(['REQ', `s${index}`, { limit: 0 }]);
    expect((await client.ask({ limit: 0 }, { id: 'one more' })).closed).toMatch(/^rate-limited: more than/);
    client.send(['CLOSE', 's0']);
    expect((await client.ask({ limit: 0 }, { id: 'one more' })).closed).toBeNull();
  });
});

describe('F-09 clock', () => {
  test.each([
    ['a day ahead', 86_400, /^false: invalid: creation date too far off/],
    ['16 minutes ahead', 960, /^false: invalid: creation date too far off/],
    ['14 minutes ahead', 840, /^true: /],
    ['a day back', -86_400, /^true: /],
  ])('an event dated %s', async (_, offset, answer) => {
    const event = edge.sign(edge.owner, { kind: 1, created_at: seconds() + offset, content: `${offset}` });
    expect(await client.publish(event)).toMatch(answer);
  });

  test.each([0, 1])('created_at %i is long ago', async created_at => {
    expect(await client.publish(edge.sign(edge.owner, { kind: 1, created_at }))).toBe('true: ');
  });

  test.each([2 ** 31, 2 ** 32, 1e10])('created_at %i is too far off', async created_at => {
    expect(await client.publish(edge.sign(edge.owner, { kind: 1, created_at }))).toMatch(/too far off/);
  });
});

describe('F-10 malformed frames', () => {
  const mask = Buffer.from([1, 2, 3, 4]);
  /** A client frame with the given first byte; masked as clients must. */
  function frame(first: number, payload: Buffer, masked = true): Buffer {
    const body = masked ? Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))) : payload;
    const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255];
    length[0] = (length[0] ?? 0) | (masked ? 0x80 : 0);
    return Buffer.concat([Buffer.from([first, ...length]), masked ? mask : Buffer.alloc(0), body]);
  }

  async function raw(): Promise<Socket> {
    const { hostname, port, host } = new URL(edge.relay.http);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `GET / HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n` +
        'Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n',
    );
    await once(socket, 'data');
    return socket;
  }

  /** The code of the close frame the relay answers with. */
  async function closeCode(socket: Socket, ...frames: Buffer[]): Promise<number> {
    const received: Buffer[] = [];
    socket.on('data', data => received.push(Buffer.from(data)));
    for (const one of frames) socket.write(one);
    await once(socket, 'close');
    const bytes = Buffer.concat(received);
    const at = bytes.indexOf(0x88);
    return at < 0 ? 0 : bytes.readUInt16BE(at + 2);
  }

  const text = Buffer.from('["REQ","x",{"limit":0}]');
  test.each([
    ['bad UTF-8', [frame(0x81, Buffer.from([0xff, 0xfe]))], 1007],
    ['an unmasked frame', [frame(0x81, text, false)], 1002],
    ['reserved bits', [frame(0xb1, text)], 1002],
    ['an unknown opcode', [frame(0x83, text)], 1002],
    ['a control frame over 125 bytes', [frame(0x89, Buffer.alloc(200))], 1002],
    ['a fragmented control frame', [frame(0x09, Buffer.from('x'))], 1002],
    ['a continuation without a start', [frame(0x80, text)], 1002],
    ['a compressed frame nobody agreed on', [frame(0xc1, deflateRawSync(Buffer.alloc(60_000)))], 1002],
  ])('%s closes the connection', async (_, frames, code) => {
    expect(await closeCode(await raw(), ...frames)).toBe(code);
  });

  test('a message in fragments of one byte is one message', async () => {
    const socket = await raw();
    const received: Buffer[] = [];
    const answered = new Promise<void>(resolve => {
      socket.on('data', data => {
        received.push(Buffer.from(data));
        if (Buffer.concat(received).includes('["EOSE","x"')) resolve();
      });
    });
    for (const [index, byte] of text.entries()) {
      const first = (index === 0 ? 0x01 : 0x00) | (index === text.length - 1 ? 0x80 : 0);
      socket.write(frame(first, Buffer.from([byte])));
    }
    await answered;
    socket.destroy();
  });

  test('a binary message is answered with a NOTICE', async () => {
    const notice = client.next(one => one[0] === 'NOTICE');
    client.ws.send(Buffer.from('["REQ","x",{}]'), { binary: true });
    expect(await notice).toEqual(['NOTICE', 'error: frames must be text']);
  });
});

test('F-13 no compression is agreed on, so nothing small can become large', async () => {
  const offering = await WireClient.open(edge.relay.url, [], { perMessageDeflate: true });
  expect(offering.ws.extensions).toBe('');
  const before = process.memoryUsage().rss;
  const code = offering.closed();
  offering.ws.send(Buffer.alloc(64 * 1024 * 1024).toString('latin1'));
  expect([1009, 1006]).toContain(await code);
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
});
