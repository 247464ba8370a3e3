import { mkdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Bridge, createBridge } from '../../../main/bridge.ts';
import type { Banner } from '../../../main/contract/notices.ts';
import { startBrowserShell } from '../../../main/shell/browser.ts';
import type { Shell } from '../../../main/shell/shell.ts';
import { keptLog, temporaryHome } from '../quiet.ts';

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };
type Asked = {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
  setHost?: boolean;
};

let shell: Shell;
let origin: string;
let port: number;
let token: string;
let gone: string[];
let said: string[];
let pressed: unknown[];

beforeEach(async () => {
  const folder = temporaryHome().folder('renderer');
  mkdirSync(`${folder}/assets`);
  writeFileSync(`${folder}/index.html`, '<!doctype html><title>the dashboard</title>');
  writeFileSync(`${folder}/service-worker.js`, '// worker');
  writeFileSync(`${folder}/assets/app-abc.js`, '// app');
  writeFileSync(`${folder}/../secret.txt`, 'outside');
  const kept = keptLog();
  said = kept.said;
  gone = [];
  pressed = [];
  const bridge: Bridge = createBridge({
    log: kept.log,
    absent: () => ({ kind: 'locked', message: 'locked' }),
  });
  bridge.add({
    notices: {
      list: () => [],
      test: () => {
        throw new Error('not in this test');
      },
      looking(args, { page }) {
        pressed.push({ ...args, page });
        return {};
      },
      permission({ state }, { page }) {
        shell.report(page, { permission: state });
        return {};
      },
      shown({ tag, ok, reason }, { page }) {
        shell.report(page, { tag, shown: ok, ...(reason === undefined ? {} : { reason }) });
        return {};
      },
    },
  });
  shell = await startBrowserShell({
    bridge,
    log: kept.log,
    folder,
    port: 0,
    bannerWithin: 300,
    events: {
      onPageGone: page => gone.push(page),
      onDecision() {},
      onQuit() {},
      onPower() {},
      onTrayCommand() {},
    },
  });
  const address = new URL(shell.dashboard ?? '');
  origin = address.origin;
  port = Number(address.port);
  token = address.searchParams.get('token') ?? '';
});
afterEach(() => shell.close());

function ask({ method = 'GET', path = '/', headers = {}, body }: Asked = {}): Promise<Answer> {
  return new Promise((done, fail) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      response => {
        let text = '';
        response.on('data', chunk => {
          text += chunk;
        });
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    request.on('error', fail);
    request.end(body);
  });
}

async function signIn(): Promise<string> {
  const { headers } = await ask({ path: `/?token=${token}` });
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

async function callHeaders(): Promise<Record<string, string>> {
  return { cookie: await signIn(), origin, 'content-type': 'application/json' };
}

const looking = { method: 'POST', path: '/bridge/notices.looking', body: '{"address":"#/","focused":true}' };

describe('F-33 the token of this start', () => {
  test('F-33 is exchanged for a cookie no script can read, and the address loses it', async () => {
    const { status, headers } = await ask({ path: `/?token=${token}` });
    expect(status).toBe(303);
    expect(headers.location).toBe('/');
    const [cookie] = headers['set-cookie'] ?? [];
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).not.toContain(token);
    expect((await ask({ headers: { cookie: cookie?.split(';')[0] ?? '' } })).body).toContain('the dashboard');
  });

  test.each([
    ['nothing', {}],
    ['a guess', { cookie: 'tiny-session=guess' }],
  ])('F-33 with %s there is no data, only a page that says where to start', async (_what, headers) => {
    const { status, body } = await ask({ headers });
    expect(status).toBe(401);
    expect(body).toContain('Open the dashboard from the program');
    expect(body).not.toContain('the dashboard<');
    for (const path of ['/assets/app-abc.js', '/service-worker.js', '/bridge/pushes']) {
      expect((await ask({ path, headers })).status).toBe(401);
    }
    expect(
      (await ask({ ...looking, headers: { origin, 'content-type': 'application/json', ...headers } })).status,
    ).toBe(401);
  });

  test('F-33 a wrong token, or the right one elsewhere than at the door, is no token', async () => {
    expect((await ask({ path: `/?token=${token.slice(0, -1)}` })).status).toBe(401);
    expect((await ask({ path: '/?token=' })).status).toBe(401);
    expect((await ask({ path: `/assets/app-abc.js?token=${token}` })).status).toBe(401);
    expect((await ask({ path: `/bridge/pushes?token=${token}` })).status).toBe(401);
  });

  test('F-33 nothing of it is logged, and no page sends it on', async () => {
    const { headers } = await ask({ headers: { cookie: await signIn() } });
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(said.join('')).not.toContain(token);
  });
});

describe('F-30 only our own Host', () => {
  const hosts = [
    'evil.test',
    'evil.test:PORT',
    'localhost.evil.test:PORT',
    '127.0.0.1.:PORT',
    'localhost.:PORT',
    '[::1]:PORT',
    '127.0.0.1',
    '0.0.0.0:PORT',
  ];
  const routes: Asked[] = [
    { path: '/' },
    { path: '/bridge/pushes' },
    { path: '/assets/app-abc.js' },
    looking,
    { method: 'OPTIONS', path: '/bridge/notices.looking' },
  ];

  test.each(hosts)('F-30 Host "%s" is refused on every route before any work', async pattern => {
    const host = pattern.replace('PORT', String(port));
    const headers = { ...(await callHeaders()), host };
    for (const route of routes) expect((await ask({ ...route, headers })).status).toBe(421);
    expect((await ask({ path: `/?token=${token}`, headers: { host } })).status).toBe(421);
    expect(pressed).toEqual([]);
  });

  test('F-30 a missing Host is refused', async () => {
    const answer = await new Promise<string>((done, fail) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(`GET /?token=${token} HTTP/1.0\r\n\r\n`));
      let text = '';
      socket.on('data', chunk => {
        text += chunk;
      });
      socket.on('end', () => done(text));
      socket.on('error', fail);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 421/);
  });

  test('F-30 an upgrade is refused', async () => {
    const answer = await new Promise<string>((done, fail) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          `GET / HTTP/1.1\r\nhost: evil.test\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
        ),
      );
      let text = '';
      socket.on('data', chunk => {
        text += chunk;
      });
      socket.on('end', () => done(text));
      socket.on('error', fail);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 421/);
  });

  test('localhost by name is ours as well', async () => {
    const host = `localhost:${port}`;
    const headers = { ...(await callHeaders()), host, origin: `http://${host}` };
    expect((await ask({ ...looking, headers })).status).toBe(200);
  });
});

describe('F-31 only our own pages', () => {
  test.each([
    'http://evil.test',
    'null',
    'https://127.0.0.1:PORT',
    'http://127.0.0.1:1',
    'http://localhost:PORT',
  ])('F-31 Origin "%s" may not call', async pattern => {
    const headers = { ...(await callHeaders()), origin: pattern.replace('PORT', String(port)) };
    expect((await ask({ ...looking, headers })).status).toBe(403);
    expect((await ask({ path: '/bridge/pushes', headers })).status).toBe(403);
    expect(pressed).toEqual([]);
  });

  test('F-31 a call without an Origin is refused', async () => {
    const { cookie } = await callHeaders();
    const headers = { cookie: cookie ?? '', 'content-type': 'application/json' };
    expect((await ask({ ...looking, headers })).status).toBe(403);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'F-31 a body of type "%s" is no call',
    async type => {
      const headers = { ...(await callHeaders()), 'content-type': type };
      expect((await ask({ ...looking, headers })).status).toBe(415);
      expect(pressed).toEqual([]);
    },
  );

  test('F-31 no preflight is granted and nothing says that others may read', async () => {
    const headers = { origin: 'http://evil.test', 'access-control-request-method': 'POST' };
    const preflight = await ask({ method: 'OPTIONS', path: '/bridge/notices.looking', headers });
    expect(preflight.status).toBe(403);
    const page = await ask({ headers: { cookie: await signIn() } });
    for (const answer of [preflight, page]) {
      expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('F-31 a GET changes nothing', async () => {
    const headers = await callHeaders();
    expect((await ask({ path: looking.path, headers })).status).toBe(404);
    expect(pressed).toEqual([]);
  });
});

describe('what it serves', () => {
  test('the page under a strict policy, hashed files for good, the worker over the whole address', async () => {
    const headers = { cookie: await signIn() };
    const page = await ask({ headers });
    expect(page.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
    });
    expect(page.headers['content-security-policy']).toMatchInlineSnapshot(
      `"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"`,
    );
    expect((await ask({ path: '/assets/app-abc.js', headers })).headers['cache-control']).toContain(
      'immutable',
    );
    expect((await ask({ path: '/service-worker.js', headers })).headers['service-worker-allowed']).toBe('/');
  });

  test.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/%00.js',
    '/%',
    '/nothing.js',
  ])('%s is not served', async path => {
    const answer = await ask({ path, headers: { cookie: await signIn() } });
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain('outside');
  });

  test('calls answer Replies: done, unknown, invalid, not there now, too long, no JSON', async () => {
    const headers = { ...(await callHeaders()), 'x-tiny-page': 'one' };
    const call = async (name: string, body: string) =>
      ask({ method: 'POST', path: `/bridge/${name}`, headers, body });
    expect(JSON.parse((await call('notices.looking', looking.body)).body)).toEqual({ ok: true, value: {} });
    expect(pressed).toEqual([{ address: '#/', focused: true, page: 'one' }]);
    expect(JSON.parse((await call('notices.nothing', '{}')).body)).toMatchObject({
      failure: { kind: 'not-found' },
    });
    expect(JSON.parse((await call('notices.looking', '{"address":1}')).body)).toMatchObject({
      failure: { kind: 'invalid', fields: { address: expect.any(String), focused: expect.any(String) } },
    });
    expect(JSON.parse((await call('rooms.list', '{}')).body)).toMatchObject({ failure: { kind: 'locked' } });
    expect((await call('notices.looking', `"${'x'.repeat(1024 * 1024)}"`)).status).toBe(413);
    expect((await call('notices.looking', '{')).status).toBe(400);
  });
});

/** Opens the stream of pushes and collects what comes. */
async function listen(page = ''): Promise<{ next(): Promise<string>; close(): void }> {
  const cookie = await signIn();
  const parts: string[] = [];
  let wake: (() => void) | null = null;
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    path: `/bridge/pushes${page && `?page=${page}`}`,
    headers: { cookie },
    agent: false,
  });
  let held = '';
  request.on('response', response => {
    response.on('data', chunk => {
      held += chunk;
      for (let at = held.indexOf('\n\n'); at >= 0; at = held.indexOf('\n\n')) {
        parts.push(held.slice(0, at));
        held = held.slice(at + 2);
      }
      wake?.();
    });
    response.on('error', () => {});
  });
  request.on('error', () => {});
  request.end();
  const next = async (): Promise<string> => {
    while (parts.length === 0) {
      await new Promise<void>(done => {
        wake = done;
      });
    }
    return parts.shift() ?? '';
  };
  return { next, close: () => request.destroy() };
}

describe('pushes and banners', () => {
  const banner: Banner = {
    tag: 'approval-1',
    category: 'approvals',
    title: 'a title',
    body: 'a body',
    address: '#/approvals/1',
    actions: [{ action: 'approve', title: 'Approve' }],
  };
  const report = async (name: string, args: object, page: string) =>
    ask({
      method: 'POST',
      path: `/bridge/${name}`,
      headers: { ...(await callHeaders()), 'x-tiny-page': page },
      body: JSON.stringify(args),
    });

  test('a page is greeted, told to ask again, then gets what is pushed', async () => {
    const page = await listen('one');
    expect(await page.next()).toBe('retry: 1000\nevent: hello\ndata: {"page":"one","late":true}');
    shell.push('rooms.stale', {});
    expect(await page.next()).toBe('data: {"name":"rooms.stale","value":{}}');
    page.close();
    await expect.poll(() => gone).toEqual(['one']);
  });

  test('a banner counts as shown only when a page that may show it says so', async () => {
    expect(await shell.showBanner(banner)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('no page'),
    });
    const page = await listen('one');
    await page.next();
    expect(await shell.showBanner(banner)).toMatchObject({ outcome: 'suppressed' });
    await report('notices.permission', { state: 'denied' }, 'one');
    expect(await shell.showBanner(banner)).toMatchObject({
      reason: expect.stringContaining('does not allow'),
    });
    await report('notices.permission', { state: 'granted' }, 'one');
    expect(await shell.showBanner(banner)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('no page said'),
    });
    expect(JSON.parse((await page.next()).slice(6))).toEqual({ name: 'notices.show', value: banner });
    const shown = shell.showBanner(banner);
    await report('notices.shown', { tag: banner.tag, ok: true }, 'one');
    expect(await shown).toEqual({ outcome: 'shown' });
    const failed = shell.showBanner(banner);
    await report('notices.shown', { tag: banner.tag, ok: false, reason: 'quota' }, 'one');
    expect(await failed).toEqual({ outcome: 'failed', reason: 'quota' });
    page.close();
  });

  test('E7 closing a banner reaches every page', async () => {
    const [one, two] = [await listen('one'), await listen('two')];
    await one.next();
    await two.next();
    shell.closeBanner('approval-1');
    for (const page of [one, two]) {
      expect(JSON.parse((await page.next()).slice(6))).toEqual({
        name: 'notices.close',
        value: { tag: 'approval-1' },
      });
      page.close();
    }
  });
});
