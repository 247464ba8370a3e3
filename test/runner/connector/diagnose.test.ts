// Every row of the verdict table, against a server that answers as the row says; and the command around it.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { diagnose, EXIT } from '../../../runner/connector/diagnose.ts';
import { RelayHttp } from '../../../runner/connector/relay-http.ts';
import { cleanup, grant, makeWorld } from '../world.ts';
import { run } from './started.ts';

type Answer = { status: number; body?: unknown; location?: string };
type Script = { readyz?: Answer; info?: Answer; rpc?: Answer };

const signer = signerFrom(generateSecret());

async function serve(script: Script) {
  const asked: { url: string; body: string; authorization: string | undefined }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({ url: request.url ?? '', body, authorization: request.headers.authorization });
    const { readyz = { status: 200 }, info = { status: 200 }, rpc = { status: 404 } } = script;
    const answer = request.url === '/readyz' ? readyz : request.url === '/manage/rpc' ? rpc : info;
    const headers = answer.location === undefined ? {} : { location: answer.location };
    response.writeHead(answer.status, headers);
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup(() => new Promise(done => server.close(done)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function verdict(script: Script, needs = { rooms: [] as string[], kinds: [] as number[] }) {
  const { url } = await serve(script);
  return diagnose(new RelayHttp(url, signer), url, signer.pubkey, needs);
}

const granted = (more: object = {}) => ({
  status: 200,
  body: {
    result: { member: true, role: 'agent', grant: { name: 'x' }, state: 'active', enforced: true, ...more },
  },
});
const said = (status: number, error: string) => ({ status, body: { error } });

test.each<[string, Script, string, string | undefined, number]>([
  ['401', { rpc: said(401, 'auth-required: no') }, 'unauthorized', 'authorization', 2],
  ['403', { rpc: said(403, 'restricted: banned') }, 'unauthorized', 'authorization', 2],
  [
    '403 members-only',
    { rpc: said(403, 'restricted: this relay is members-only') },
    'not-a-member',
    'authorization',
    2,
  ],
  ['429', { rpc: { status: 429 } }, 'unreachable', 'rate-limited', 3],
  ['500', { rpc: { status: 500 } }, 'unreachable', 'transport', 3],
  ['200 without a result', { rpc: { status: 200, body: {} } }, 'unreachable', 'transport', 3],
  ['200 that is no JSON', { rpc: { status: 200 } }, 'unreachable', 'transport', 3],
  ['400 unsupported', { rpc: said(400, 'unsupported: browsegrant') }, 'ok', undefined, 0],
  ['400 otherwise', { rpc: said(400, 'invalid: bad') }, 'error', 'protocol', 3],
  ['404', { rpc: { status: 404 } }, 'error', 'protocol', 3],
  ['not a member', { rpc: granted({ member: false, role: '' }) }, 'not-a-member', undefined, 2],
  ['a human role', { rpc: granted({ enforced: false, role: 'owner', state: 'none' }) }, 'ok', undefined, 0],
  ['paused', { rpc: granted({ state: 'paused' }) }, 'needs-grant', undefined, 2],
  ['revoked', { rpc: granted({ state: 'revoked' }) }, 'needs-grant', undefined, 2],
  ['expired', { rpc: granted({ state: 'expired' }) }, 'needs-grant', undefined, 2],
  ['none', { rpc: granted({ state: 'none', grant: null }) }, 'needs-grant', undefined, 2],
  ['active', { rpc: granted() }, 'ok', undefined, 0],
])('%s', async (_, script, expected, kind, exit) => {
  const report = await verdict(script);
  expect(report.verdict).toBe(expected);
  expect(report.authentication.class).toBe(kind);
  expect(EXIT[report.verdict]).toBe(exit);
  expect(report.advice).not.toBe('');
  expect(report.needs).toBeUndefined();
  expect(report.missing).toBeUndefined();
});

test('what is missing is listed, with the call that asks for it', async () => {
  const rpc = granted({ missing: { rooms: ['a', 'b'], kinds: [9, 12] } });
  const report = await verdict({ rpc }, { rooms: ['a', 'b'], kinds: [9, 12] });
  expect(report.verdict).toBe('needs-grant');
  expect(report.advice).toBe('call request_grant with rooms a, b and kinds 9, 12');
  expect(report.needs).toEqual({ rooms: ['a', 'b'], kinds: [9, 12] });
  const covered = await verdict({ rpc: granted() }, { rooms: [], kinds: [9] });
  expect(covered).toMatchObject({ verdict: 'ok', needs: { kinds: [9] }, missing: { rooms: [], kinds: [] } });
});

test('a relay without /readyz is reached through its information document; nothing there is unreachable', async () => {
  const old = await verdict({ readyz: { status: 404 }, info: { status: 200 }, rpc: granted() });
  expect(old.transport).toEqual({ ok: true, check: 'nip11', status: 200 });
  const down = await verdict({ readyz: { status: 503 }, info: { status: 503 } });
  expect(down).toMatchObject({
    verdict: 'unreachable',
    transport: { ok: false, class: 'transport', status: 503 },
  });
  const nobody = await diagnose(new RelayHttp('http://127.0.0.1:1', signer), 'x', signer.pubkey, {
    rooms: [],
    kinds: [],
  });
  expect(nobody).toMatchObject({
    verdict: 'unreachable',
    grant: null,
    state: 'none',
    transport: { status: 0 },
  });
});

test('a redirect to another place is not followed with the proof', async () => {
  const elsewhere = await serve({});
  const moved = { status: 307, location: `${elsewhere.url}/manage/rpc` };
  const report = await verdict({ rpc: moved });
  expect(report.verdict).toBe('unreachable');
  expect(report.advice).toContain('another place');
  expect(elsewhere.asked).toEqual([]);
});

test('the command prints the report, says the advice on stderr and exits by verdict', async () => {
  const world = await makeWorld();
  const secret = generateSecret();
  const env = { TINY_PRIVATE_KEY: Buffer.from(secret).toString('hex') };
  const relay = ['--relay', world.relay.url];
  const stranger = await run(['diagnose', ...relay], env);
  expect(stranger.code).toBe(2);
  expect(JSON.parse(stranger.stdout).verdict).toBe('not-a-member');
  expect(stranger.stderr).toMatch(/^not-a-member: /);
  await grant(world, signerFrom(secret).pubkey);
  const good = await run(['diagnose', ...relay, '--rooms', 'general', '--kinds', '9,43004'], env);
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(good.stdout).toContain('\n  "verdict": "ok"');
  const short = await run(['diagnose', ...relay, '--rooms', 'general,secret', '--kinds', '9,1111'], env);
  expect(short.code).toBe(2);
  expect(short.stderr).toBe('needs-grant: call request_grant with rooms secret and kinds 1111\n');
  const bad = await run(['diagnose', ...relay, '--kinds', 'nine'], env);
  expect(bad).toMatchObject({ code: 1, stdout: '' });
  expect(bad.stderr).toContain('"nine"');
});
