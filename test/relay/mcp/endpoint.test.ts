import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nip98Header } from '../../../relay/client/http-proof.ts';
import type { Signer } from '../../../relay/client/signer.ts';
import { LIMITS } from '../../../relay/limits.ts';
import { Edge, person } from '../http/edge.ts';
import { McpCaller } from './mcp-client.ts';

let edge: Edge;
let member: Signer;
beforeAll(async () => {
  edge = await Edge.start();
  member = await edge.member();
  await edge.room('general');
});
afterAll(() => edge.close());

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const ACCEPT = { accept: 'application/json, text/event-stream' };
const modern = (method: string, params: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const modernHeaders = (method: string, name?: string) => ({
  ...ACCEPT,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});

describe('the door', () => {
  test('a request without a good proof is 401 with the challenge, whatever it asks', async () => {
    const body = JSON.stringify(LIST);
    const url = `${edge.relay.http}/mcp`;
    const proofs: Record<string, string | undefined> = {
      none: undefined,
      bearer: 'Bearer abc',
      'without a payload': nip98Header(member, url, 'POST'),
      'of another body': nip98Header(member, url, 'POST', '{}'),
      'for another path': nip98Header(member, `${edge.relay.http}/query`, 'POST', body),
      'for another method': nip98Header(member, url, 'PUT', body),
    };
    for (const [what, authorization] of Object.entries(proofs)) {
      const headers = {
        'content-type': 'application/json',
        ...ACCEPT,
        ...(authorization ? { authorization } : {}),
      };
      const answer = await edge.raw({ method: 'POST', path: '/mcp', headers, body });
      expect(answer.status, what).toBe(401);
      expect(answer.headers['www-authenticate'], what).toBe('Nostr realm="tiny"');
      expect(answer.json, what).toEqual({ error: expect.stringMatching(/^auth-required: /) });
    }
  });

  test('a proof is used up by one request', async () => {
    const body = JSON.stringify(LIST);
    const authorization = nip98Header(member, `${edge.relay.http}/mcp`, 'POST', body);
    const headers = { 'content-type': 'application/json', ...ACCEPT, authorization };
    const send = () => edge.raw({ method: 'POST', path: '/mcp', headers, body });
    expect((await send()).status).toBe(200);
    const again = await send();
    expect(again.status).toBe(401);
    expect(again.text).toContain('replay');
  });

  test.each(['GET', 'DELETE', 'PUT', 'HEAD'])('%s is 405 with Allow: POST', async method => {
    const answer = await edge.raw({ method, path: '/mcp' });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST');
  });

  test('F-30 F-31 a Host that is not ours and a page of another origin are 403', async () => {
    const headers = { 'content-type': 'application/json', ...ACCEPT };
    const body = JSON.stringify(LIST);
    const elsewhere = { ...headers, host: 'evil.test' };
    expect((await edge.raw({ method: 'POST', path: '/mcp', headers: elsewhere, body })).status).toBe(403);
    const page = await edge.post(member, '/mcp', LIST, { ...ACCEPT, origin: 'https://evil.test' });
    expect(page.status).toBe(403);
    expect(page.headers['access-control-allow-origin']).toBeUndefined();
    const ours = { origin: 'http://localhost:3000' };
    expect(await edge.post(member, '/mcp', LIST, { ...ACCEPT, ...ours })).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': ours.origin },
    });
    const preflight = await edge.raw({
      method: 'OPTIONS',
      path: '/mcp',
      headers: { ...ours, 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toMatch(/Authorization.*Mcp-Method/);
  });

  test('bodies that are too large, compressed, no JSON or of another type are refused in the words of HTTP', async () => {
    const large = JSON.stringify({ ...LIST, params: { filler: 'x'.repeat(LIMITS.messageBytes + 100_000) } });
    expect((await edge.post(member, '/mcp', large, ACCEPT)).status).toBe(413);
    expect((await edge.post(member, '/mcp', LIST, { ...ACCEPT, 'content-encoding': 'gzip' })).status).toBe(
      413,
    );
    expect((await edge.post(member, '/mcp', 'not json', ACCEPT)).status).toBe(400);
    expect((await edge.post(member, '/mcp', LIST, { ...ACCEPT, 'content-type': 'text/plain' })).status).toBe(
      415,
    );
  });
});

describe('both eras', () => {
  test('2026-07-28 is answered without a handshake, with private hints', async () => {
    const discovered = await edge.post(
      member,
      '/mcp',
      modern('server/discover'),
      modernHeaders('server/discover'),
    );
    expect(discovered.json).toMatchObject({
      result: {
        supportedVersions: ['2026-07-28'],
        resultType: 'complete',
        cacheScope: 'private',
        capabilities: { tools: {} },
      },
    });
    const listed = await edge.post(member, '/mcp', modern('tools/list'), modernHeaders('tools/list'));
    expect(listed.json).toMatchObject({ result: { ttlMs: 60_000, cacheScope: 'private' } });
    expect(listed.headers['cache-control']).toBe('private, no-store');
  });

  test('a missing or differing header, an unknown version and an unknown method have their codes', async () => {
    const list = modern('tools/list');
    const call = modern('tools/call', { name: 'list_rooms', arguments: {} });
    const unknown = modern('tools/list');
    unknown.params._meta['io.modelcontextprotocol/protocolVersion'] = '2030-01-01';
    const cases = [
      [list, { ...ACCEPT, 'mcp-protocol-version': '2026-07-28' }, 400, -32_020],
      [call, modernHeaders('tools/call', 'read_room'), 400, -32_020],
      [unknown, { ...modernHeaders('tools/list'), 'mcp-protocol-version': '2030-01-01' }, 400, -32_022],
      [modern('no/such'), modernHeaders('no/such'), 404, -32_601],
    ] as const;
    for (const [message, headers, status, code] of cases) {
      const answer = await edge.post(member, '/mcp', message, headers);
      expect(answer, JSON.stringify(headers)).toMatchObject({ status, json: { error: { code } } });
    }
  });

  test.each(['modern', 'legacy'] as const)('the SDK client of the %s era lists and calls', async era => {
    const caller = await McpCaller.connect(edge.relay.http, member, era);
    expect(caller.client.getProtocolEra()).toBe(era);
    expect(await caller.tools()).toContain('list_rooms');
    const { items } = await caller.done<{ items: { id: string }[] }>('list_rooms');
    expect(items.map(({ id }) => id)).toContain('general');
    await expect(caller.call('no_such_tool')).rejects.toMatchObject({ code: -32_602 });
    await caller.close();
  });

  test('an older host without a handshake and one of 2024 are served too', async () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const params = {
        protocolVersion: version,
        capabilities: {},
        clientInfo: { name: 'old', version: '1' },
      };
      const answer = await edge.post(member, '/mcp', { ...LIST, method: 'initialize', params }, ACCEPT);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(`"protocolVersion":"${version}"`);
    }
  });
});

describe('what it says', () => {
  test('a fault of ours is told as one, without its text', async () => {
    const { store } = edge.relay.context;
    const list = store.rooms.list;
    store.rooms.list = () => {
      throw new Error('secret at /home/somebody/file.ts:1');
    };
    try {
      const caller = await McpCaller.connect(edge.relay.http, member);
      const refusal = await caller.refusal('list_rooms');
      expect(refusal).toBe('error: the relay could not answer');
      await caller.close();
    } finally {
      store.rooms.list = list;
    }
  });

  test('text and structured content say the same', async () => {
    const caller = await McpCaller.connect(edge.relay.http, member);
    const result = await caller.call('read_room', { room: 'general' });
    const [block] = result.content;
    expect(block?.type === 'text' && JSON.parse(block.text)).toEqual(result.structuredContent);
    await caller.close();
  });

  test('llms.txt names the tools and the ways in, to anyone', async () => {
    const answer = await edge.raw({ path: '/llms.txt' });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.text).toContain(
      'request_job, accept_job, job_progress, job_result, job_error and cancel_job',
    );
    expect(answer.text).toContain('list_jobs and read_job');
    for (const part of [
      `${edge.relay.http}/mcp`,
      'NIP-98',
      '/events',
      '/query',
      '/count',
      '/manage/rpc',
      'request_grant',
    ]) {
      expect(answer.text).toContain(part);
    }
    expect(answer.text).not.toContain('NIP-90');
    expect(answer.text).not.toContain(member.pubkey);
  });

  test('what is switched off is neither in llms.txt nor among the tools', async () => {
    const caller = await McpCaller.connect(edge.relay.http, member);
    await edge.call(edge.owner, 'setpolicy', { features: { jobs: false }, rooms: 0 });
    try {
      expect(await caller.tools()).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/job|create_room/)]),
      );
      expect((await edge.raw({ path: '/llms.txt' })).text).not.toMatch(/job/);
      expect(await caller.refusal('list_jobs')).toMatch(/^restricted: .*switched off/);
    } finally {
      await edge.call(edge.owner, 'setpolicy', { features: { jobs: true }, rooms: 64 });
    }
    expect(await caller.tools()).toEqual(expect.arrayContaining(['list_jobs', 'request_job', 'create_room']));
    await caller.close();
  });
});

describe('a tool is listed only to those it works for', () => {
  const toolsOf = async (signer: Signer) => {
    const caller = await McpCaller.connect(edge.relay.http, signer);
    const names = await caller.tools();
    await caller.close();
    return names;
  };
  const operatorTools = ['list_agents', 'read_management', 'pause_agent', 'revoke_agent', 'pause_all_agents'];

  test('owner, moderator, member', async () => {
    const owner = await toolsOf(edge.owner);
    expect(owner).toEqual(
      expect.arrayContaining([...operatorTools, 'set_policy', 'post_message', 'add_callback']),
    );
    expect(owner).not.toContain('request_grant');
    const moderator = await toolsOf(await edge.member('moderator'));
    expect(moderator).toEqual(expect.arrayContaining(operatorTools));
    expect(moderator).not.toContain('set_policy');
    const plain = await toolsOf(member);
    expect(plain).toEqual(
      expect.arrayContaining(['list_rooms', 'post_message', 'list_approvals', 'add_callback']),
    );
    expect(plain.filter(name => operatorTools.includes(name))).toEqual([]);
  });

  test('an agent sees what its grant lets it do', async () => {
    const agent = await edge.agent([
      ['k', '9'],
      ['room', 'general'],
      ['jobs', 'serve'],
    ]);
    const names = await toolsOf(agent);
    expect(names).toEqual(
      expect.arrayContaining([
        'list_rooms',
        'post_message',
        'accept_job',
        'job_result',
        'request_grant',
        'request_decision',
      ]),
    );
    for (const name of ['react', 'comment', 'request_job', 'create_room', 'list_agents', 'set_policy']) {
      expect(names).not.toContain(name);
    }
    await edge.call(edge.owner, 'pauseagent', agent.pubkey);
    const paused = await toolsOf(agent);
    expect(paused).toContain('list_rooms');
    expect(paused).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/post_message|publish_event|request_grant/)]),
    );
  });

  test('a stranger on a members-only relay is told why, and sees nothing to read', async () => {
    const caller = await McpCaller.connect(edge.relay.http, person());
    expect(await caller.tools()).toEqual(['read_status', 'publish_event']);
    expect(await caller.refusal('list_rooms')).toMatch(/^restricted: .*members-only/);
    expect(await caller.done('read_status')).toMatchObject({ you: { role: '' } });
    await caller.close();
  });
});
