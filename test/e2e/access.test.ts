// Who may see the dashboard: only who holds this start's token, from this machine's own address (cases F-30 F-31 F-33).

import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chromium, Desktop } from './harness.ts';

let chromium: Chromium;
let desktop: Desktop;

beforeAll(async () => {
  [chromium, desktop] = await Promise.all([Chromium.launch(), Desktop.start()]);
});

afterAll(async () => {
  await chromium.close();
  await desktop.dispose();
});

type Answer = { status: number; body: string };

function ask(
  path: string,
  options: { method?: string; headers?: http.OutgoingHttpHeaders; body?: string } = {},
): Promise<Answer> {
  const url = new URL(path, desktop.ready.dashboard);
  return new Promise((done, fail) => {
    const request = http.request(
      url,
      { method: options.method ?? 'GET', headers: options.headers ?? {} },
      response => {
        let body = '';
        response.on('data', chunk => {
          body += chunk;
        });
        response.on('end', () => done({ status: response.statusCode ?? 0, body }));
      },
    );
    request.on('error', fail);
    request.end(options.body);
  });
}

test('the dashboard opens with its token and keeps it out of the address', async () => {
  const page = await chromium.open(desktop);
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  expect(page.url()).not.toContain('token=');
  const cookies = await page.context().cookies();
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
});

test('F-33 without the token nothing is shown and nothing is answered', async () => {
  expect((await ask('/')).status).toBe(401);
  expect((await ask('/?token=wrong')).status).toBe(401);
  expect(
    (
      await ask('/bridge/app.state', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
    ).status,
  ).toBe(401);
  expect((await ask('/bridge/pushes')).status).toBe(401);
});

test('F-30 a foreign Host is refused even with the token', async () => {
  for (const host of [
    'evil.test',
    `evil.test:${new URL(desktop.ready.dashboard).port}`,
    'localhost.evil.test',
  ]) {
    expect((await ask(desktop.ready.dashboard, { headers: { host } })).status, host).toBe(421);
  }
});

test('F-31 a foreign Origin is refused even with the cookie', async () => {
  const page = await chromium.open(desktop);
  const [cookie] = await page.context().cookies();
  const call = (origin: string) =>
    ask('/bridge/app.state', {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `${cookie?.name}=${cookie?.value}`, origin },
      body: '{}',
    });
  expect((await call('http://evil.test')).status).toBe(403);
  expect((await call('null')).status).toBe(403);
  expect((await call(new URL(desktop.ready.dashboard).origin)).status).toBe(200);
});
