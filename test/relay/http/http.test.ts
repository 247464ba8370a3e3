import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nip98Header } from '../../../relay/client/http-proof.ts';
import type { Signer } from '../../../relay/client/signer.ts';
import { LIMITS } from '../../../relay/limits.ts';
import { Edge, person } from './edge.ts';

let edge: Edge;
let member: Signer;
beforeAll(async () => {
  edge = await Edge.start();
  member = await edge.member();
  await edge.room('general');
});
afterAll(() => edge.close());

const RPC = { 'content-type': 'application/nostr+json+rpc' };
const note = (signer: Signer, content = 'hello') =>
  edge.sign(signer, { kind: 9, content, tags: [['h', 'general']] });

describe('health and information', () => {
  test('healthz and readyz answer anyone', async () => {
    expect(await edge.raw({ path: '/healthz' })).toMatchObject({ status: 200, json: { status: 'alive' } });
    expect(await edge.raw({ path: '/readyz' })).toMatchObject({ status: 200, json: { status: 'ready' } });
  });

  test('the information document tells the limits that are enforced', async () => {
    const answer = await edge.raw({ headers: { accept: 'application/nostr+json' } });
    expect(answer.headers['content-type']).toMatch(/^application\/nostr\+json/);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers.vary).toContain('Accept');
    expect(answer.json).toMatchObject({
      name: 'edge',
      pubkey: edge.owner.pubkey,
      self: edge.relay.self,
      self_url: edge.relay.url,
      limitation: {
        max_message_length: LIMITS.messageBytes,
        max_subid_length: LIMITS.subscriptionId,
        max_subscriptions: LIMITS.subscriptions,
        max_limit: LIMITS.filterLimit,
        max_event_tags: LIMITS.tags,
        max_content_length: LIMITS.contentCharacters,
        created_at_upper_limit: 900,
        auth_required: true,
        payment_required: false,
        restricted_writes: true,
      },
    });
    const { supported_nips } = answer.json as { supported_nips: number[] };
    expect(supported_nips).toEqual([...supported_nips].sort((a, b) => a - b));
    expect(supported_nips).toEqual(expect.arrayContaining([1, 9, 11, 42, 98]));
  });

  test('agents are told of only while one is active, and nothing about them', async () => {
    const agents = async () => {
      const answer = await edge.raw({ headers: { accept: 'application/nostr+json' } });
      return (answer.json as { agents?: unknown }).agents;
    };
    expect(await agents()).toBeUndefined();
    const agent = await edge.agent([['k', '9']]);
    expect(await agents()).toEqual({ id: 'agents', status: 'enabled' });
    await edge.call(edge.owner, 'pauseagent', agent.pubkey);
    expect(await agents()).toBeUndefined();
    await edge.call(edge.owner, 'resumeagent', agent.pubkey);
    expect(await agents()).toBeDefined();
    await edge.call(edge.owner, 'revokeagent', agent.pubkey);
    expect(await agents()).toBeUndefined();
  });

  test('the root without that Accept is a page for people, and other paths are 404', async () => {
    expect((await edge.raw({})).text).toContain(edge.relay.url);
    expect((await edge.raw({ path: '/nothing' })).status).toBe(404);
    expect((await edge.raw({ path: '/nothing', headers: { accept: 'application/nostr+json' } })).status).toBe(
      404,
    );
  });
});

describe('F-30 a Host that is not ours is refused on every route', () => {
  const port = () => new URL(edge.relay.http).port;
  const hosts = () => [
    'evil.test',
    `evil.test:${port()}`,
    `localhost.evil.test:${port()}`,
    `127.0.0.1.evil.test:${port()}`,
    `127.0.0.1:1`,
    '[::ffff:127.0.0.1]',
  ];
  const routes = [
    ['GET', '/', { accept: 'application/nostr+json' }],
    ['GET', '/', {}],
    ['GET', '/healthz', {}],
    ['GET', '/readyz', {}],
    ['GET', '/rooms/general/stream', {}],
    ['POST', '/manage/rpc', RPC],
    ['POST', '/events', {}],
    ['POST', '/query', {}],
    ['POST', '/count', {}],
    ['OPTIONS', '/', {}],
    ['GET', '/nothing', {}],
  ] as [string, string, Record<string, string>][];
  test.each(routes)('%s %s', async (method, path, headers) => {
    for (const host of hosts()) {
      const answer = await edge.raw({ method, path, headers: { ...headers, host } });
      expect(answer.status, host).toBe(421);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('a request without a Host, or for another site through us, is refused', async () => {
    const speak = async (lines: string[]) => {
      const socket = connect(Number(port()), '127.0.0.1');
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      let text = '';
      socket.on('data', chunk => {
        text += chunk;
      });
      await once(socket, 'close');
      return text.split('\r\n')[0];
    };
    expect(await speak(['GET /healthz HTTP/1.0'])).toMatch(/ 421 /);
    expect(await speak(['GET /healthz HTTP/1.1', 'Connection: close'])).toMatch(/ 400 /);
    const target = `http://127.0.0.1:${port()}/healthz`;
    const host = `Host: 127.0.0.1:${port()}`;
    expect(await speak([`GET ${target} HTTP/1.1`, host, 'Connection: close'])).toMatch(/ 400 /);
  });
});

describe('F-31 pages of other origins', () => {
  const origin = 'https://evil.test';
  test.each([
    ['POST', '/manage/rpc', RPC],
    ['POST', '/manage/rpc', { 'content-type': 'text/plain' }],
    ['POST', '/events', { 'content-type': 'text/plain' }],
    ['POST', '/events', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['POST', '/query', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['POST', '/', RPC],
    ['GET', '/rooms/general/stream', {}],
    ['GET', '/rooms/general/stream', { accept: 'application/nostr+json' }],
    ['GET', '/', {}],
  ] as [string, string, Record<string, string>][])(
    '%s %s with %j is refused',
    async (method, path, headers) => {
      for (const from of [origin, 'null', 'http://localhost.evil.test']) {
        const body = method === 'POST' ? { body: '{}' } : {};
        const answer = await edge.raw({ method, path, headers: { ...headers, origin: from }, ...body });
        expect(answer.status, from).toBe(403);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    },
  );

  test('even a proof does not let a foreign page in', async () => {
    const answer = await edge.post(member, '/events', note(member), { origin });
    expect(answer.status).toBe(403);
  });

  test('a preflight of a foreign page is refused for anything but reading what is public', async () => {
    const ask = (wanted: string) =>
      edge.raw({
        method: 'OPTIONS',
        path: '/',
        headers: { origin, 'access-control-request-method': wanted },
      });
    expect((await ask('POST')).status).toBe(403);
    expect((await ask('DELETE')).status).toBe(403);
    const read = await ask('GET');
    expect(read.status).toBe(204);
    expect(read.headers['access-control-allow-methods']).toBe('GET, HEAD');
  });

  test('the information document may be read by any page, nothing else carries a wildcard', async () => {
    const document = await edge.raw({ headers: { origin, accept: 'application/nostr+json' } });
    expect(document).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' } });
    const page = await edge.raw({});
    expect(page.headers['access-control-allow-origin']).toBeUndefined();
    expect(page.headers['x-content-type-options']).toBe('nosniff');
    const call = await edge.post(edge.owner, '/manage/rpc', { method: 'getpolicy', params: [] }, RPC);
    expect(call.status).toBe(200);
    expect(call.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('a form or text post without an Origin is refused as well', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      expect((await edge.post(member, '/events', note(member), { 'content-type': type })).status).toBe(415);
    }
  });

  test('GET changes nothing: the bridges answer 405', async () => {
    for (const path of ['/events', '/query', '/count']) {
      expect(await edge.raw({ path })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
  });
});

describe('POST /events', () => {
  test('stores an event and says so; again it is a duplicate', async () => {
    const event = note(member);
    const first = await edge.post(member, '/events', event);
    expect(first).toMatchObject({ status: 200, json: { event_id: event.id, accepted: true, message: '' } });
    const again = await edge.post(member, '/events', event);
    expect(again.json).toMatchObject({ accepted: true, message: expect.stringMatching(/^duplicate:/) });
  });
  test('answers 400 with the reason when it is refused', async () => {
    const stranger = person();
    const event = note(stranger);
    const answer = await edge.post(stranger, '/events', event);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      event_id: event.id,
      accepted: false,
      message: expect.stringMatching(/^restricted:/),
    });
  });
  test('what is no event is an error', async () => {
    for (const body of ['', '{', '[]', 'null', '{"id":"x"}']) {
      const answer = await edge.post(member, '/events', body);
      expect(answer.status, body).toBe(400);
      expect(answer.json).toHaveProperty('error');
    }
  });
  test('a forged event is refused', async () => {
    const event = { ...note(member), content: 'changed' };
    expect((await edge.post(member, '/events', event)).json).toMatchObject({ accepted: false });
  });
});

describe('POST /query and /count', () => {
  const filters = [{ kinds: [9], '#h': ['general'], limit: 2 }];
  test('answer what the key may see', async () => {
    await edge.publish(member, { kind: 9, content: 'one', tags: [['h', 'general']] });
    const answer = await edge.post(member, '/query', filters);
    expect(answer.status).toBe(200);
    expect((answer.json as unknown[]).length).toBeGreaterThan(0);
    expect((await edge.post(member, '/count', filters)).json).toMatchObject({ count: expect.any(Number) });
  });
  test('unsigned is 401, a signed non-member 403 members-only', async () => {
    const unsigned = await edge.raw({ method: 'POST', path: '/query', body: JSON.stringify(filters) });
    expect(unsigned).toMatchObject({
      status: 401,
      json: { error: expect.stringMatching(/^auth-required:/) },
    });
    const stranger = await edge.post(person(), '/query', filters);
    expect(stranger).toMatchObject({
      status: 403,
      json: { error: expect.stringMatching(/^restricted:.*members-only/) },
    });
  });
  test('bad filters are invalid', async () => {
    for (const body of ['{}', '[]', '[{"ids":["x"]}]', '[{"unknown":1}]', '[{"kinds":[]}]', 'x']) {
      const answer = await edge.post(member, '/query', body);
      expect(answer, body).toMatchObject({
        status: 400,
        json: { error: expect.stringMatching(/^invalid:/) },
      });
    }
  });
  test('F-21 a members-only room is neither told nor counted', async () => {
    await edge.room('secret', 'members');
    await edge.publish(edge.owner, { kind: 9, content: 'hidden', tags: [['h', 'secret']] });
    const secret = [{ kinds: [9], '#h': ['secret'] }];
    expect((await edge.post(member, '/query', secret)).json).toEqual([]);
    expect((await edge.post(member, '/count', secret)).json).toEqual({ count: 0 });
    expect((await edge.post(edge.owner, '/count', secret)).json).toEqual({ count: 1 });
  });
});

describe('F-12 and F-13 bodies', () => {
  test('a body over the limit is refused with 400, announced or not', async () => {
    const body = `"${'x'.repeat(LIMITS.messageBytes)}"`;
    expect((await edge.post(member, '/events', body)).status).toBe(400);
    const chunked = await edge.post(member, '/events', body, { 'transfer-encoding': 'chunked' });
    expect(chunked).toMatchObject({ status: 400, json: { error: expect.stringMatching(/larger than/) } });
    expect((await edge.raw({ path: '/healthz' })).status).toBe(200);
  });
  test('a compressed body is refused before it is inflated', async () => {
    const answer = await edge.post(member, '/events', note(member), { 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({ status: 400, json: { error: expect.stringMatching(/compressed/) } });
  });
});

describe('proofs', () => {
  const path = '/manage/rpc';
  const body = JSON.stringify({ method: 'getpolicy', params: [] });
  const send = (authorization: string | undefined, sent = body, at = path) =>
    edge.raw({
      method: 'POST',
      path: at,
      headers: { ...RPC, ...(authorization === undefined ? {} : { authorization }) },
      body: sent,
    });
  const proof = (tags: string[][], at = 0) => {
    const event = edge.owner.sign({ kind: 27235, created_at: edge.now + at, tags, content: '' });
    return `Nostr ${Buffer.from(JSON.stringify(event)).toString('base64')}`;
  };

  test('F-40 a proof is good once', async () => {
    const header = nip98Header(edge.owner, `${edge.relay.http}${path}`, 'POST', body);
    expect((await send(header)).status).toBe(200);
    expect(await send(header)).toMatchObject({
      status: 401,
      json: { error: expect.stringMatching(/replay/) },
    });
  });
  test('F-40 for another method, URL, query or body it is not good', async () => {
    const url = `${edge.relay.http}${path}`;
    const wrong = [
      nip98Header(edge.owner, url, 'GET', body),
      nip98Header(edge.owner, `${url}?x=1`, 'POST', body),
      nip98Header(edge.owner, url.replace('127.0.0.1', 'evil.test'), 'POST', body),
      nip98Header(edge.owner, url, 'POST', '{}'),
      nip98Header(edge.owner, url, 'POST'),
    ];
    for (const header of wrong) expect((await send(header)).status).toBe(401);
    const ordered = nip98Header(edge.owner, `${url}?a=1&b=2`, 'POST', body);
    expect((await send(ordered, body, `${path}?b=2&a=1`)).status).toBe(401);
    expect((await send(ordered, body, `${path}?a=1&b=2`)).status).toBe(200);
  });
  test('F-40 outside the minute, forged or missing it is not good', async () => {
    const url = `${edge.relay.http}${path}`;
    const good = nip98Header(edge.owner, url, 'POST', body);
    const event = JSON.parse(Buffer.from(good.slice(6), 'base64').toString()) as {
      tags: string[][];
      pubkey: string;
    };
    expect((await send(proof(event.tags, -70))).status).toBe(401);
    expect((await send(proof(event.tags, 70))).status).toBe(401);
    const forged = JSON.stringify({ ...event, pubkey: member.pubkey });
    expect((await send(`Nostr ${Buffer.from(forged).toString('base64')}`)).status).toBe(401);
    expect((await send(undefined)).json).toEqual({
      error: 'auth-required: missing Nostr Authorization header',
    });
  });
  test('F-41 B-29 two equal requests in one second are both good with a nonce each', async () => {
    const url = `${edge.relay.http}${path}`;
    const headers = [1, 2].map(() => nip98Header(edge.owner, url, 'POST', body));
    const answers = await Promise.all(headers.map(header => send(header)));
    expect(answers.map(answer => answer.status)).toEqual([200, 200]);
  });
  test('F-41 B-29 without a nonce the second names the cause', async () => {
    const { tags } = JSON.parse(
      Buffer.from(
        nip98Header(edge.owner, `${edge.relay.http}${path}`, 'POST', body).slice(6),
        'base64',
      ).toString(),
    ) as { tags: string[][] };
    const bare = tags.filter(tag => tag[0] !== 'nonce');
    const event = edge.owner.sign({ kind: 27235, created_at: edge.now, tags: bare, content: '' });
    const same = `Nostr ${Buffer.from(JSON.stringify(event)).toString('base64')}`;
    expect((await send(same)).status).toBe(200);
    expect(await send(same)).toMatchObject({ status: 401, json: { error: expect.stringMatching(/nonce/) } });
  });
  test('F-20 what authenticates a socket is no proof over HTTP, and a proof is never stored', async () => {
    const tags = [
      ['u', `${edge.relay.http}${path}`],
      ['method', 'POST'],
      ['payload', hash('sha256', body, 'hex')],
      ['relay', edge.relay.url],
      ['challenge', 'x'],
    ];
    const auth = edge.owner.sign({ kind: 22242, created_at: edge.now, tags, content: '' });
    const header = `Nostr ${Buffer.from(JSON.stringify(auth)).toString('base64')}`;
    expect(await send(header)).toMatchObject({
      status: 401,
      json: { error: expect.stringMatching(/27235/) },
    });
    for (const kind of [22242, 24242, 27235]) {
      const event = edge.owner.sign({ kind, created_at: edge.now, tags, content: '' });
      expect((await edge.offer(event)).accepted, String(kind)).toBe(false);
    }
  });
  test('URL base64 without padding is read', async () => {
    const header = nip98Header(edge.owner, `${edge.relay.http}${path}`, 'POST', body);
    const token = Buffer.from(header.slice(6), 'base64').toString('base64url');
    expect((await send(`Nostr ${token}`)).status).toBe(200);
  });
});

describe('the management endpoint', () => {
  test('answers at any path by content type, and only there', async () => {
    const call = { method: 'getpolicy', params: [] };
    for (const path of ['/manage/rpc', '/', '/any/other']) {
      expect((await edge.post(edge.owner, path, call, RPC)).status).toBe(200);
    }
    expect((await edge.post(edge.owner, '/manage/rpc', call)).status).toBe(404);
  });
  test('supportedmethods needs no proof, and lists what there is once each', async () => {
    const body = JSON.stringify({ method: 'supportedmethods', params: [] });
    const answer = await edge.raw({ method: 'POST', path: '/manage/rpc', headers: RPC, body });
    const { result } = answer.json as { result: string[] };
    expect(new Set(result).size).toBe(result.length);
    expect(result).toEqual(
      expect.arrayContaining(['supportedmethods', 'listagents', 'browsegrant', 'setpolicy']),
    );
  });
  test('an unknown method is 400 unsupported', async () => {
    for (const name of ['nothing', 'constructor', '__proto__', 'toString']) {
      expect(await edge.refusal(edge.owner, name)).toMatch(/^400 unsupported:/);
    }
  });
  test('what is no call is 400 malformed, after the proof', async () => {
    for (const body of ['', '[]', '{}', '{"method":5}', '{"method":"x","params":{}}', 'null']) {
      const answer = await edge.post(edge.owner, '/manage/rpc', body, RPC);
      expect(answer, body).toMatchObject({
        status: 400,
        json: { error: expect.stringMatching(/malformed/) },
      });
      const unsigned = await edge.raw({ method: 'POST', path: '/manage/rpc', headers: RPC, body });
      expect(unsigned.status, body).toBe(401);
    }
  });
});
