// Permissions remembered in the dashboard: given with their scope in words, used, seen in history, revoked; and the
// bypass, visible on every page while it lasts.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alive, Chromium, Desktop, until } from './harness.ts';
import { addDemoAgent, go, jobCard, mention } from './pages.ts';

let chromium: Chromium;
let desktop: Desktop;
let page: Page;

beforeAll(async () => {
  [chromium, desktop] = await Promise.all([Chromium.launch(), Desktop.start()]);
  page = await chromium.open(desktop);
  await addDemoAgent(page);
});

afterAll(async () => {
  const left = desktop.descendants();
  await chromium.close();
  await desktop.dispose();
  expect(left.filter(alive), 'processes left behind').toEqual([]);
});

const written = (name: string) => () => {
  const work = join(desktop.home, 'work');
  return existsSync(join(work, readdirSync(work)[0] ?? '', name));
};
const openAgent = () =>
  page
    .getByRole('navigation', { name: 'Places' })
    .getByRole('link', { name: /Demo agent/ })
    .first()
    .click();

async function ask(text: string): Promise<void> {
  await go(page, '#/rooms/general');
  await mention(page, 'Demo agent', ` ${text}`);
}

test('Always says its scope in words, is used without asking and stands in history', async () => {
  await ask('write one.md: the first');
  await go(page, '#/approvals');
  await page.locator('[data-action="approve-always"]').click();
  const dialog = page.getByRole('dialog', { name: 'Always let Demo agent change files?' });
  await dialog.getByText(/Other kinds of action are still asked/).waitFor();
  expect(written('one.md')()).toBe(false);
  await dialog.getByRole('button', { name: /Approve and always/ }).click();
  await until('the first file is written', written('one.md'));

  await ask('write two.md: the second');
  await until('the second file is written unasked', written('two.md'));
  await jobCard(page, 'the second').getByText('done', { exact: true }).waitFor();
  await go(page, '#/approvals');
  const row = page.locator('[data-approval-row]').filter({ hasText: 'two.md' });
  await row.getByText('approved', { exact: true }).waitFor();
  await row.getByText(/without asking: it may always change files/).waitFor();
});

test('revoked on the page of the agent, it is asked again', async () => {
  await openAgent();
  const facts = page.getByRole('complementary', { name: 'Facts' });
  await facts.getByText('It may change files without asking').waitFor();
  await facts.getByRole('button', { name: /^Revoke: It may change files/ }).click();
  await facts.getByText(/asks you before each action/).waitFor();

  await ask('write three.md: the third');
  await jobCard(page, 'the third').getByText('waiting for you').waitFor();
  expect(written('three.md')()).toBe(false);
  await go(page, '#/approvals');
  await page.locator('[data-action="deny"]').click();
});

test('a bypass shows on every page until it is ended', async () => {
  await openAgent();
  await page.getByRole('button', { name: 'Stop asking for a while…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Let Demo agent work without asking?' });
  await dialog.getByRole('button', { name: 'Stop asking' }).click();
  const places = page.getByRole('navigation', { name: 'Places' });
  await places.getByText(/Demo agent asks nothing until/).waitFor();
  await page
    .locator('main')
    .getByText(/Demo agent asks nothing until/)
    .waitFor();
  await go(page, '#/approvals');
  await page
    .locator('main')
    .getByText(/Demo agent asks nothing until/)
    .waitFor();

  await ask('write four.md: the fourth');
  await until('written unasked', written('four.md'));
  await jobCard(page, 'the fourth').getByText('done', { exact: true }).waitFor();

  await places.getByRole('button', { name: 'Ask again for Demo agent' }).click();
  await page.locator('[data-bypass]').first().waitFor({ state: 'detached' });
  await ask('write five.md: the fifth');
  await jobCard(page, 'the fifth').getByText('waiting for you').waitFor();
  expect(written('five.md')()).toBe(false);
  await go(page, '#/approvals');
  await page.locator('[data-action="deny"]').click();
});
