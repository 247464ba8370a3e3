// The main job, end to end, in a real browser: first start, one agent, one approval and each of its endings.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alive, Chromium, Desktop, processesNaming, until } from './harness.ts';
import { addDemoAgent, banners, go, jobCard, mention, pressBanner, type ShownBanner } from './pages.ts';

let chromium: Chromium;
let desktop: Desktop;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [chromium, desktop] = await Promise.all([Chromium.launch(), Desktop.start()]);
  context = await chromium.context();
  page = await chromium.open(desktop, context);
});

afterAll(async () => {
  const left = desktop.descendants();
  await chromium.close();
  await desktop.dispose();
  expect(left.filter(alive), 'processes left behind').toEqual([]);
});

const demoFolder = () => {
  const work = join(desktop.home, 'work');
  return join(work, readdirSync(work)[0] ?? '');
};

test('first start says what this is and offers one agent', async () => {
  await page.getByRole('heading', { name: /Agents that work for you/ }).waitFor();
  expect(new URL(page.url()).searchParams.has('token'), 'the token left the address').toBe(false);
  await addDemoAgent(page);
});

test('G6 D8 an approval reaches page, badge and banner, and approving it lets the file be written', async () => {
  // The page looks elsewhere: only then is a banner due.
  await mention(page, 'Demo agent', ' write hello.md: good morning');
  const card = jobCard(page, 'good morning');
  await card.getByText('waiting for you').waitFor();
  expect(existsSync(join(demoFolder(), 'hello.md'))).toBe(false);

  await page
    .getByRole('navigation', { name: 'Places' })
    .getByRole('link', { name: /Approvals/ })
    .getByText('1')
    .waitFor();
  await until('a banner is up', async () =>
    (await banners(page)).some(({ actions }) => actions.includes('approve')),
  );
  expect((await banners(page)).find(({ actions }) => actions.includes('approve'))?.title).toBeDefined();

  await go(page, '#/approvals');
  const request = page.getByRole('article').or(page.locator('[data-action="approve"]')).first();
  await request.waitFor();
  await page.getByText('good morning').first().waitFor();
  await page.locator('[data-action="approve"]').first().click();
  await until('the file is written', () => existsSync(join(demoFolder(), 'hello.md')));
  expect(readFileSync(join(demoFolder(), 'hello.md'), 'utf8')).toBe('good morning\n');
  await until(
    'the banner is gone',
    async () => !(await banners(page)).some(({ actions }) => actions.includes('approve')),
  );

  await go(page, '#/rooms/general');
  await jobCard(page, 'good morning').getByText('done', { exact: true }).waitFor();
  await page.getByText(/so I wrote/).waitFor();
});

test('D6 D18 denying writes no file and the agent is told that a person refused', async () => {
  await mention(page, 'Demo agent', ' write no.md: never');
  await jobCard(page, 'never').getByText('waiting for you').waitFor();
  await go(page, '#/approvals');
  await page.locator('[data-action="deny"]').first().click();
  await go(page, '#/rooms/general');
  await page
    .getByText(/You said no|you refused|refused by a person|you denied/i)
    .first()
    .waitFor();
  expect(existsSync(join(demoFolder(), 'no.md'))).toBe(false);
});

test('E8 a press on the banner answers, and only the first press counts', async () => {
  await mention(page, 'Demo agent', ' write banner.md: by banner');
  await jobCard(page, 'by banner').getByText('waiting for you').waitFor();
  let banner: ShownBanner | undefined;
  await until('a banner with buttons is up', async () => {
    banner = (await banners(page)).find(({ actions }) => actions.includes('approve'));
    return banner !== undefined;
  });
  await pressBanner(context, banner!.tag, 'approve');
  await until('the file is written', () => existsSync(join(demoFolder(), 'banner.md')));
  await jobCard(page, 'by banner').getByText('done', { exact: true }).waitFor();
});

test('I15 Cancel ends a run and nothing is written afterwards', async () => {
  await mention(page, 'Demo agent', ' slow write late.md: too late');
  const card = jobCard(page, 'too late');
  await card.getByText('running').waitFor();
  await card.getByRole('button', { name: /Cancel/ }).click();
  const sure = page.getByRole('dialog').getByRole('button', { name: /Cancel|End|Stop/ });
  if (await sure.first().isVisible()) await sure.last().click();
  await card.getByText('cancelled').first().waitFor();
  expect(existsSync(join(demoFolder(), 'late.md'))).toBe(false);
});

test('F6 F7 no key in argv, environment or log of any process', async () => {
  for (const prefix of ['nsec1', 'correct horse battery']) {
    const naming = processesNaming(prefix);
    expect(
      naming.filter(pid => desktop.descendants().includes(pid)),
      `${prefix} in a child`,
    ).toEqual([]);
  }
  expect(desktop.output()).not.toMatch(/nsec1[0-9a-z]{20}/);
  for (const file of readdirSync(join(desktop.home, 'logs'))) {
    expect(readFileSync(join(desktop.home, 'logs', file), 'utf8')).not.toMatch(/nsec1[0-9a-z]{20}/);
  }
});
