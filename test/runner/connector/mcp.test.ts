// `tinyagent mcp` against a real relay with the SDK's client and a host of the handshake era, and against one that
// answers as a test says for the boundary of signing, the errors and the limits.

import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeEach, describe, expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { cleanup, grant, makeWorld, type World } from '../world.ts';
import { type Asked, fakeRelay, RawHost, type Reply, text } from './mcp-host.ts';
import { run } from './started.ts';

const entry = resolve(import.meta.dirname, 'connector-entry.ts');
const secret = generateSecret();
const signer = signerFrom(secret);
const env = { TINY_PRIVATE_KEY: Buffer.from(secret).toString('hex') };
const INITIALIZE = { capabilities: {}, clientInfo: { name: 'host', version: '1' } };
const ENVELOPE = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

async function granted(): Promise<World> {
  const world = await makeWorld();
  await grant(world, signer.pubkey);
  return world;
}

async function sdkClient(relay: string, mode: 'auto' | 'legacy', flags: string[] = []): Promise<Client> {
  const client = new Client({ name: 'sdk', version: '1' }, { versionNegotiation: { mode } });
  const args = [entry, 'mcp', '--relay', relay, ...flags];
  const childEnv = { PATH: process.env.PATH ?? '', ...env };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: childEnv }));
  cleanup(() => client.close());
  return client;
}

const host = (relay: string, ...flags: string[]) => new RawHost(['--relay', relay, ...flags], env);

describe('with the SDK client', () => {
  test.each(['auto', 'legacy'] as const)(
    '%s: lists, reads, posts with a signature, and asks for more access',
    async mode => {
      const world = await granted();
      const client = await sdkClient(world.relay.url, mode, ['--allow-writes']);
      expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining([
          'tiny_diagnose',
          'list_rooms',
          'read_room',
          'post_message',
          'request_grant',
          'accept_job',
        ]),
      );
      for (const hidden of ['publish_event', 'list_approvals', 'list_callbacks', 'react', 'create_room']) {
        expect(names).not.toContain(hidden);
      }
      const posted = await client.callTool({
        name: 'post_message',
        arguments: { room: 'general', content: 'from a host' },
      });
      expect(posted.structuredContent).toMatchObject({ accepted: true });
      const message = await world.owner.reply(signer.pubkey);
      expect(message).toMatchObject({ kind: 9, content: 'from a host' });
      const asked = await client.callTool({
        name: 'request_grant',
        arguments: { reason: 'to react', changes: { kinds: [7] } },
      });
      expect(asked.structuredContent).toMatchObject({ accepted: true });
      const room = await client.callTool({ name: 'read_room', arguments: { room: 'general' } });
      expect(room.structuredContent).toMatchObject({ messages: [{ content: 'from a host' }] });
    },
  );

  test('a whole job: taken, worked on and given', async () => {
    const world = await granted();
    const client = await sdkClient(world.relay.url, 'auto', ['--allow-writes']);
    const request = await world.owner.request(signer.pubkey, 'do it');
    const call = (name: string, args: object = {}) =>
      client.callTool({ name, arguments: { request: request.id, ...args } });
    await call('accept_job');
    await call('job_progress', { content: 'half' });
    await call('job_result', { content: 'done' });
    const read = await client.callTool({ name: 'read_job', arguments: { id: request.id } });
    expect(read.structuredContent).toMatchObject({ item: { state: 'done', result: { content: 'done' } } });
  });
});

describe('with a host of the handshake era', () => {
  test('it answers in the version asked for when it knows it, else in 2025-06-18', async () => {
    const raw = host('http://127.0.0.1:1');
    const known = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
    for (const asked of [...known, '1999-01-01', '2026-07-28', 5]) {
      const reply = await raw.request('initialize', { ...INITIALIZE, protocolVersion: asked });
      const protocolVersion = known.includes(String(asked)) ? asked : '2025-06-18';
      const serverInfo = { name: 'tinyagent' };
      expect(reply).toMatchObject({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    }
    expect(await raw.end()).toBe(0);
  });

  test('both eras, batches, bad lines and unknown methods on one line', async () => {
    const relay = await fakeRelay(['list_rooms'], () => text('rooms'));
    const raw = host(relay.url);
    expect(await raw.request('server/discover', ENVELOPE)).toMatchObject({
      result: { supportedVersions: ['2026-07-28'], resultType: 'complete', cacheScope: 'private' },
    });
    expect(await raw.request('server/discover')).toMatchObject({ error: { code: -32_602 } });
    const future = { _meta: { ...ENVELOPE._meta, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } };
    expect(await raw.request('tools/list', future)).toMatchObject({
      error: { code: -32_022, data: { supported: ['2026-07-28'], requested: '2030-01-01' } },
    });
    const modern = await raw.request('tools/list', ENVELOPE);
    expect(modern).toMatchObject({
      result: { resultType: 'complete', cacheScope: 'private', ttlMs: expect.any(Number) },
    });
    await raw.request('initialize', { ...INITIALIZE, protocolVersion: '2025-03-26' });
    raw.notify('notifications/initialized');
    const legacy = (await raw.request('tools/list')) as { result: Record<string, unknown> };
    expect(Object.keys(legacy.result)).toEqual(['tools']);
    expect(await raw.request('resources/list')).toMatchObject({ error: { code: -32_601 } });
    raw.write('{"half');
    expect(await raw.heard.until(one => !Array.isArray(one) && one.id === null)).toMatchObject({
      error: { code: -32_700 },
    });
    raw.write(
      '[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]',
    );
    expect(await raw.heard.until(Array.isArray)).toEqual([{ jsonrpc: '2.0', id: 'a', result: {} }]);
  });

  test('ping is answered while a call runs, calls go one at a time, and a cancelled call is never answered', async () => {
    const relay = await fakeRelay(['list_rooms', 'read_room'], ({ params }) =>
      params.name === 'list_rooms' ? { hang: true } : text('room'),
    );
    const raw = host(relay.url);
    await raw.request('tools/list');
    const slow = raw.send('tools/call', { name: 'list_rooms', arguments: {} });
    const next = raw.send('tools/call', { name: 'read_room', arguments: {} });
    expect(await raw.request('ping')).toMatchObject({ result: {} });
    expect(relay.calls().map(({ params }) => params.name)).not.toContain('read_room');
    raw.notify('notifications/cancelled', { requestId: slow });
    expect(await raw.answer(next)).toMatchObject({ result: { content: [{ text: 'room' }] } });
    expect(raw.heard.all.some(one => !Array.isArray(one) && one.id === slow)).toBe(false);
  });

  test('what was asked before the input ends is still answered', async () => {
    const relay = await fakeRelay(['list_rooms'], () => text('rooms'));
    const call = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_rooms' },
    });
    const { code, stdout } = await run(['mcp', '--relay', relay.url], env, call);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { content: [{ text: 'rooms' }] } });
  });
});

describe('which tools are offered', () => {
  const everything = [
    ...[
      'list_rooms',
      'read_job',
      'read_management',
      'list_agents',
      'list_approvals',
      'set_policy',
      'post_message',
      'publish_event',
    ],
  ];
  const offered = async (...flags: string[]) => {
    const relay = await fakeRelay(everything, () => text(''));
    const { result } = (await host(relay.url, ...flags).request('tools/list')) as {
      result: { tools: { name: string }[] };
    };
    return result.tools.map(({ name }) => name);
  };

  test('reads by default, writes with leave, others by name', async () => {
    expect(await offered()).toEqual(['tiny_diagnose', 'list_rooms', 'read_job']);
    expect(await offered('--allow-writes')).toEqual([
      'tiny_diagnose',
      'list_rooms',
      'read_job',
      'post_message',
    ]);
    expect(await offered('--tools', 'list_agents,list_approvals')).toEqual([
      'tiny_diagnose',
      'list_agents',
      'list_approvals',
    ]);
    expect(await offered('--tools', 'post_message', '--allow-writes')).toEqual([
      'tiny_diagnose',
      'post_message',
    ]);
  });

  test.each([
    [['--tools', 'list_rooms,no_such'], /no_such/],
    [['--tools', 'set_policy'], /set_policy/],
    [['--tools', 'post_message'], /post_message.*--allow-writes/],
    [['--tools', 'publish_event', '--allow-writes'], /publish_event/],
  ])('%j ends with 1 and names the tool', async (flags, words) => {
    const { code, stdout, stderr } = await run(['mcp', '--relay', 'http://127.0.0.1:1', ...flags], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(words);
  });

  test('an unknown tool is refused without asking the relay', async () => {
    const relay = await fakeRelay(everything, () => text(''));
    const raw = host(relay.url);
    for (const name of ['no_such', 'post_message', 'set_policy', 'publish_event']) {
      expect(await raw.request('tools/call', { name, arguments: {} })).toMatchObject({
        error: { code: -32_602 },
      });
    }
    expect(relay.asked).toEqual([]);
  });

  test('the table is fetched once, and again after the relay has lost a tool', async () => {
    let known = true;
    const unknown = { error: { code: -32_602, message: 'Unknown tool: list_rooms' } };
    const relay = await fakeRelay(['list_rooms'], () => (known ? text('rooms') : unknown));
    const raw = host(relay.url);
    const lists = () => relay.asked.filter(({ method }) => method === 'tools/list').length;
    await raw.request('tools/list');
    await raw.call('list_rooms');
    await raw.request('tools/list');
    expect(lists()).toBe(1);
    known = false;
    expect(await raw.request('tools/call', { name: 'list_rooms' })).toMatchObject({
      error: { code: -32_602 },
    });
    await raw.request('tools/list');
    expect(lists()).toBe(2);
  });

  test('without a table there is tiny_diagnose alone, and the reason on stderr', async () => {
    let down = true;
    const relay = await fakeRelay(
      ['list_rooms'],
      () => text(''),
      () => (down ? { status: 503, raw: 'closed' } : null),
    );
    const raw = host(relay.url);
    const names = async () => {
      const { result } = (await raw.request('tools/list')) as { result: { tools: { name: string }[] } };
      return result.tools.map(({ name }) => name);
    };
    expect(await names()).toEqual(['tiny_diagnose']);
    expect(raw.stderr).toMatch(/tools could not be listed: transport: HTTP 503: closed/);
    down = false;
    expect(await names()).toEqual(['tiny_diagnose', 'list_rooms']);
  });

  test('tiny_diagnose is answered here', async () => {
    const world = await granted();
    const raw = host(world.relay.url);
    const report = await raw.call('tiny_diagnose', { rooms: ['general'], kinds: [9, 7] });
    expect(report.structuredContent).toMatchObject({
      verdict: 'needs-grant',
      pubkey: signer.pubkey,
      missing: { rooms: [], kinds: [7] },
    });
    expect((await raw.call('tiny_diagnose', { kinds: ['x'] })).text).toMatch(/^invalid:/);
  });
});

describe('what is signed', () => {
  const unsigned = (kind: unknown, more: object = {}) => ({
    kind,
    created_at: 1_700_000_000,
    tags: [['h', 'x']],
    content: 'c',
    ...more,
  });
  let relay: Awaited<ReturnType<typeof fakeRelay>>;
  let raw: RawHost;
  /** A tool whose relay answers that template. */
  const posting = async (template: object, tool = 'post_message') => {
    const before = relay.calls().length;
    const result = await raw.call(tool, { template });
    return { result, calls: relay.calls().slice(before) };
  };
  const eventOf = (asked: Asked | undefined) =>
    (asked?.params.arguments as { event?: NostrEvent } | undefined)?.event ?? null;
  const connect = async () => {
    const tools = ['post_message', 'request_grant', 'job_result', 'react', 'upload_attachment', 'list_rooms'];
    relay = await fakeRelay(tools, ({ params }) => {
      const { event, template } = params.arguments as { event?: NostrEvent; template: object };
      return event === undefined
        ? text('template', { structuredContent: { unsigned: template } })
        : text('taken', { structuredContent: { accepted: true, event_id: event.id } });
    });
    raw = host(relay.url, '--allow-writes');
  };
  beforeEach(connect);

  test('the template exactly as it came, and the same call again with it', async () => {
    const { result, calls } = await posting(unsigned(9));
    expect(result.structuredContent).toMatchObject({ accepted: true });
    const [, second] = calls;
    const event = eventOf(second);
    expect(second?.params.arguments).toEqual({ template: unsigned(9), event });
    expect(event).toMatchObject({ ...unsigned(9), pubkey: signer.pubkey });
    expect(calls.every(({ authorization }) => authorization.startsWith('Nostr '))).toBe(true);
  });

  test('a missing time is filled in', async () => {
    const { calls } = await posting(unsigned(9, { created_at: undefined }));
    expect(eventOf(calls[1])?.created_at).toBeGreaterThan(1_700_000_000);
  });

  test('a template of another kind is never signed', async () => {
    const cases = [
      ...[1, 5, 30_392, 22_242, 24_242, 27_235, '9'].map(kind => ['post_message', kind] as const),
      ...([
        ['request_grant', 9],
        ['job_result', 43_003],
        ['react', 9],
        ['upload_attachment', 9],
      ] as const),
    ];
    for (const [tool, kind] of cases) {
      const { result, calls } = await posting(unsigned(kind), tool);
      expect(calls, `${tool} ${kind}`).toHaveLength(1);
      expect(result.isError).toBe(true);
      const words = `the event of kind ${JSON.stringify(kind)} from ${tool} was not signed`;
      expect(result.text).toContain(words);
      // The relay's own result comes along.
      expect(result.text).toContain('template');
      expect(result.structuredContent).toMatchObject({ unsigned: { kind } });
      expect(JSON.stringify(result)).not.toMatch(/"sig"/);
    }
  });

  test('a template that is malformed, or comes from a read tool, is not signed', async () => {
    expect((await posting(unsigned(9, { tags: [[1]] }))).result.isError).toBe(true);
    expect((await posting(unsigned(9, { content: 5 }))).result.isError).toBe(true);
    const { result, calls } = await posting(unsigned(9), 'list_rooms');
    expect(calls).toHaveLength(1);
    expect(result.text).toContain('from list_rooms was not signed');
  });
});

describe('what goes wrong is told by class', () => {
  test('permission, transport, relay, and what the tool itself refuses', async () => {
    const rows: Record<string, [Reply, RegExp]> = {
      list_rooms: [
        { status: 401, raw: '{"error":"auth-required: token expired"}' },
        /^permission: auth-required: token expired/,
      ],
      read_room: [{ status: 403, raw: '{"error":"blocked: no"}' }, /^permission: blocked: no/],
      read_thread: [{ status: 500, raw: 'oops' }, /^transport: HTTP 500: oops/],
      list_jobs: [{ raw: 'hello' }, /^transport: /],
      read_job: [{ error: { code: -32_603, message: 'broken' } }, /^relay: broken/],
      list_wiki: [text('restricted: no room', { isError: true }), /^permission: restricted: no room/],
      read_file: [text('invalid: room is required', { isError: true }), /^invalid: room is required/],
      list_files: [{ status: 404, raw: 'Not found.' }, /^relay: HTTP 404: Not found\./],
    };
    const names = Object.keys(rows);
    const relay = await fakeRelay(names, ({ params }) => rows[String(params.name)]?.[0] ?? { status: 500 });
    const raw = host(relay.url);
    for (const [name, [, words]] of Object.entries(rows)) {
      const result = await raw.call(name);
      expect(result.isError, name).toBe(true);
      expect(result.text).toMatch(words);
    }
  });

  test('a relay that is not there', async () => {
    const raw = host('http://127.0.0.1:1');
    const result = await raw.call('list_rooms');
    expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/^transport: /) });
  });

  test('an answer that comes as a stream is read', async () => {
    const relay = await fakeRelay(['list_rooms'], () => {
      const note = { jsonrpc: '2.0', method: 'notifications/progress', params: {} };
      const reply = { jsonrpc: '2.0', id: 2, ...text('streamed') };
      const raw = `: hi\n\nevent: message\ndata: ${JSON.stringify(note)}\n\ndata: ${JSON.stringify(reply)}\n\n`;
      return { type: 'text/event-stream', raw };
    });
    expect((await host(relay.url).call('list_rooms')).text).toBe('streamed');
  });
});

describe('limits', () => {
  test('long text is cut between characters, large structured content is left out', async () => {
    const long = 'ä'.repeat(40_000);
    const large = { list: 'x'.repeat(300 * 1024) };
    const relay = await fakeRelay(['list_rooms'], () => text(`x${long}`, { structuredContent: large }));
    const { text: shown, structuredContent } = await host(relay.url).call('list_rooms');
    expect(shown).not.toContain('\uFFFD');
    expect(shown).toMatch(/ä\n\[truncated: 65535 of 80001 bytes\]$/);
    expect(structuredContent).toEqual({ truncated: true, bytes: JSON.stringify(large).length });
  });

  test('a line over 48 MiB is refused and the next one is read', async () => {
    const raw = host('http://127.0.0.1:1');
    raw.child.stdin.write('x'.repeat(49 * 1024 * 1024));
    raw.write('');
    expect(await raw.heard.until(() => true)).toMatchObject({ error: { code: -32_700 } });
    expect(await raw.request('ping')).toMatchObject({ result: {} });
  });

  test('the key is in no argument and in nothing it says', async () => {
    const world = await granted();
    const raw = host(world.relay.url, '--allow-writes');
    await raw.request('tools/list');
    await raw.call('post_message', { room: 'general', content: 'x' });
    const all = `${raw.child.spawnargs.join(' ')}${raw.stderr}${JSON.stringify(raw.heard.all)}`;
    expect(all).not.toContain(env.TINY_PRIVATE_KEY);
  });
});
