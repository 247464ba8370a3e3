import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type DeliverOptions, deliver, type Post } from '../../../relay/callbacks/deliver.ts';
import { CERTIFICATE } from './certificate.ts';
import { answers, startReceiver } from './receiver.ts';

const SECRET = 'a secret of sixteen'.replaceAll(' ', '-');
const BODY = JSON.stringify({ content: 'été & <b> \u2028' });
const OPTIONS: DeliverOptions = { rule: 'loopback', ca: CERTIFICATE };

function post(url: string): Post {
  return {
    url,
    callback: 'c1',
    secret: SECRET,
    relay: 'wss://relay.example/',
    eventId: 'e1',
    body: BODY,
    attempt: 2,
  };
}

test('a POST carries the event and headers that prove where it is from', async () => {
  const receiver = await startReceiver();
  receiver.answering = answers(204);
  expect(await deliver(post(receiver.url('/a?b=1')), OPTIONS)).toMatchObject({
    ok: true,
    status: 204,
    reason: '',
  });
  const { body, headers, path } = receiver.received[0]!;
  expect(body).toBe(BODY);
  expect(path).toBe('/a?b=1');
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-tiny-callback': 'c1',
    'x-tiny-signature': `sha256=${createHmac('sha256', SECRET).update(Buffer.from(BODY)).digest('hex')}`,
    'x-tiny-relay': 'wss://relay.example/',
    'x-tiny-event': 'e1',
    'x-tiny-attempt': '2',
  });
});

test('plain http works on this machine under the loopback rule', async () => {
  const receiver = await startReceiver(false);
  const url = `http://127.0.0.1:${receiver.port}/`;
  expect(await deliver(post(url), { rule: 'loopback' })).toMatchObject({ ok: true });
  expect(await deliver(post(url), { rule: 'public' })).toMatchObject({ ok: false });
});

test.each([199 + 1, 299])('F-46 status %i is a success', async status => {
  const receiver = await startReceiver();
  receiver.answering = answers(status);
  expect(await deliver(post(receiver.url()), OPTIONS)).toMatchObject({ ok: true, status });
});

test.each([400, 404, 410, 500, 503])('F-46 status %i is a failure', async status => {
  const receiver = await startReceiver();
  receiver.answering = answers(status);
  expect(await deliver(post(receiver.url()), OPTIONS)).toMatchObject({
    ok: false,
    status,
    reason: `HTTP ${status}`,
  });
});

test('F-46 an endless body is hung up on and the status counts', async () => {
  const receiver = await startReceiver();
  let written = 0;
  receiver.answering = response => {
    response.writeHead(200);
    const more = (error?: Error | null) => {
      if (error || response.closed || response.destroyed) return;
      written += 1024;
      response.write('x'.repeat(1024), failure => setImmediate(more, failure));
    };
    more();
  };
  expect(await deliver(post(receiver.url()), OPTIONS)).toMatchObject({ ok: true, status: 200 });
  expect(written).toBeLessThan(16 * 1024 * 1024);
});

test('F-46 a body that never ends does not turn a success into a failure', async () => {
  const receiver = await startReceiver();
  receiver.answering = response => {
    response.writeHead(200);
    response.write('a little');
  };
  const delivery = await deliver(post(receiver.url()), { ...OPTIONS, timeoutMs: 300 });
  expect(delivery).toMatchObject({ ok: true, status: 200 });
});

test('F-46 no answer in time is a failure', async () => {
  const receiver = await startReceiver();
  receiver.answering = () => {};
  const delivery = await deliver(post(receiver.url()), { ...OPTIONS, timeoutMs: 300 });
  expect(delivery).toMatchObject({ ok: false, status: 0, reason: 'no answer in time' });
});

test('F-46 a name that takes too long to resolve is a failure', async () => {
  const delivery = await deliver(post('https://slow.example/'), {
    ...OPTIONS,
    resolve: () => new Promise(() => {}),
    timeoutMs: 100,
  });
  expect(delivery).toMatchObject({ ok: false, reason: 'no answer in time' });
});

test('F-46 a refused and a reset connection are failures', async () => {
  const server = createServer(socket => socket.resetAndDestroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const reset = await deliver(post(`http://127.0.0.1:${port}/`), OPTIONS);
  expect(reset).toMatchObject({ ok: false, status: 0, reason: 'connection lost' });
  server.close();
  await once(server, 'close');
  const none = await deliver(post(`http://127.0.0.1:${port}/`), OPTIONS);
  expect(none).toMatchObject({ ok: false, status: 0, reason: 'connection refused' });
});

test('F-46 a certificate nobody vouches for, and one for another name, are failures', async () => {
  const receiver = await startReceiver();
  const unknown = await deliver(post(receiver.url()), { rule: 'loopback' });
  expect(unknown).toMatchObject({ ok: false, status: 0, reason: expect.stringMatching(/^TLS: /) });
  const elsewhere = await deliver(post(receiver.url('/', 'other.example')), {
    ...OPTIONS,
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });
  expect(elsewhere).toMatchObject({ ok: false, status: 0, reason: expect.stringMatching(/^TLS: /) });
  expect(receiver.received).toEqual([]);
});

test('the end of the relay breaks a POST off', async () => {
  const receiver = await startReceiver();
  const stop = new AbortController();
  receiver.answering = () => stop.abort();
  const delivery = await deliver(post(receiver.url()), { ...OPTIONS, signal: stop.signal });
  expect(delivery).toMatchObject({ ok: false, reason: 'stopped' });
});
