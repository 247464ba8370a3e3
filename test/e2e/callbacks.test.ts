// Callbacks on the pages: registered with its secret shown once, called when somebody writes, paused and removed.

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chromium, Desktop, until } from './harness.ts';
import { go } from './pages.ts';

type Post = { headers: IncomingHttpHeaders; body: string };

let chromium: Chromium;
let desktop: Desktop;
let page: Page;
const posts: Post[] = [];
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  posts.push({ headers: request.headers, body });
  response.end();
});

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  [chromium, desktop] = await Promise.all([Chromium.launch(), Desktop.start()]);
  page = await chromium.open(desktop);
  await page.getByRole('button', { name: 'Skip for now' }).click();
  await page.getByPlaceholder('Write in general').waitFor();
});

afterAll(async () => {
  await chromium.close();
  await desktop.dispose();
  receiver.close();
});

test('registered for oneself, called with each message, paused, resumed and removed', async () => {
  await go(page, '#/callbacks');
  await page.getByText('No callbacks yet').waitFor();
  await page.getByLabel('Allow this computer as a target').click();
  await page.getByText('Whoever may register a callback').waitFor();

  await page.getByRole('link', { name: 'New callback' }).first().click();
  await page.getByRole('button', { name: 'Register the callback' }).click();
  await page.getByText('Write the URL that is to be called').waitFor();
  const { port } = receiver.address() as AddressInfo;
  await page.getByRole('textbox', { name: 'URL' }).fill(`http://127.0.0.1:${port}/hook`);
  await page.getByText('A filter of your own').click();
  await page.getByRole('textbox', { name: 'Filter' }).fill('{"kinds": [9], "#h": ["general"]}');
  await page.getByRole('textbox', { name: 'Secret' }).fill('a-secret-of-this-test');
  await page.getByRole('button', { name: 'Register the callback' }).click();
  await page.getByText('It is shown this once').waitFor();
  expect(await page.getByText('a-secret-of-this-test').count()).toBe(1);
  await page.getByRole('link', { name: 'I have kept the secret' }).click();
  await page.getByText('Nothing was sent yet.').waitFor();
  expect(await page.getByText('a-secret-of-this-test').count()).toBe(0);

  await go(page, '#/rooms/general');
  const composer = page.getByPlaceholder('Write in general');
  await composer.fill('wake up');
  await composer.press('Enter');
  await until('the receiver was called', () => posts.length === 1);
  const [post] = posts;
  expect(JSON.parse(post!.body)).toMatchObject({ kind: 9, content: 'wake up' });
  const digest = createHmac('sha256', 'a-secret-of-this-test').update(post!.body).digest('hex');
  expect(post!.headers['x-tiny-signature']).toBe(`sha256=${digest}`);

  await go(page, '#/callbacks');
  await page.getByText('Messages in #general').click();
  const panel = page.getByRole('complementary', { name: 'Callback' });
  await panel.getByText(/^HTTP 200 in/).waitFor();
  await panel.getByRole('button', { name: /^Send event .* again$/ }).click();
  await until('it was sent again', () => posts.length === 2);
  await panel.getByRole('button', { name: 'Pause' }).click();
  await panel.getByText('paused by a person').waitFor();
  await page
    .getByRole('navigation', { name: 'Places' })
    .getByText('0 active, 1 paused')
    .waitFor({ state: 'attached' });
  await panel.getByRole('button', { name: 'Resume' }).click();
  await panel.getByRole('button', { name: 'Pause' }).waitFor();
  await panel.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No callbacks yet').waitFor();
});
