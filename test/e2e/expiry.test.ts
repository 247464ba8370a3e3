// A question nobody answers: the person sees it expired, the agent is told so, nothing is written, and it can be
// asked again (cases D16 D17 D18 D12).

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

const file = (name: string) => {
  const work = join(desktop.home, 'work');
  return join(work, readdirSync(work)[0] ?? '', name);
};

/** Opens the demo agent's page and sets how long a question waits and what its end means. */
async function limits(seconds: string | null, choice: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Places' }).getByText('Demo agent').click();
  const facts = page.getByRole('complementary', { name: 'Facts' });
  await facts.getByRole('button', { name: 'Change limits' }).click();
  await facts.getByRole('radio', { name: choice }).check();
  if (seconds !== null) await facts.getByRole('textbox', { name: 'Seconds a question waits' }).fill(seconds);
  await facts.getByRole('button', { name: 'Save limits' }).click();
  await facts.getByRole('button', { name: 'Change limits' }).waitFor();
  await go(page, '#/rooms/general');
}

test('D16 D18 an unanswered question expires: no file, the agent is told that nobody answered, not that a person refused', async () => {
  await limits('5', 'Refuse that action and go on');
  await mention(page, 'Demo agent', ' write quiet.md: nobody home');
  const card = jobCard(page, 'nobody home');
  await card.getByText('waiting for you').waitFor();
  await page.getByText(/The question expired before anybody answered/).waitFor();
  expect(await page.getByText(/You refused/).count()).toBe(0);
  // D17: what could not be done is not called done.
  await card.getByText('failed', { exact: true }).waitFor();
  expect(existsSync(file('quiet.md'))).toBe(false);

  await go(page, '#/approvals');
  const row = page.locator('[data-approval-row]').first();
  await row.getByText('expired').waitFor();
  await row.getByText(/the agent was told that nobody answered in time/i).waitFor();
});

test('D12 D16 Ask again on the expired card runs the job again, once', async () => {
  await limits('600', 'Refuse that action and go on');
  await go(page, '#/approvals');
  await page.locator('[data-approval-row]').first().click();
  await page.locator('[data-action="ask-again"]').click();
  await page.getByText('Asked again.').waitFor();
  expect(await page.locator('[data-action="ask-again"]').count()).toBe(0);

  await go(page, '#/approvals');
  await page.locator('[data-action="approve"]').click();
  await until('the file is written', () => existsSync(file('quiet.md')));
  await page.locator('[data-approval-row]').first().click();
  await page.getByRole('link', { name: 'Open the new job' }).click();
  await page.getByText('done', { exact: true }).first().waitFor();
});

test('D16 an agent told to stop at an unanswered question ends its job and names the question', async () => {
  await limits('5', 'Stop the job');
  await mention(page, 'Demo agent', ' write never.md: stop here');
  const card = jobCard(page, 'stop here');
  await card.getByText('failed', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Unfold the job' }).click();
  await card.getByText(/nobody answered "Write never\.md" in time/).waitFor();
  expect(existsSync(file('never.md'))).toBe(false);
});

test('D16 an agent that waits keeps its question open as long as its job', async () => {
  await limits(null, 'Wait as long as the job may take');
  await mention(page, 'Demo agent', ' write patient.md: take your time');
  await jobCard(page, 'take your time').getByText('waiting for you').waitFor();
  await go(page, '#/approvals');
  await page.getByText(/(29|30) min left/).waitFor();
  await page.locator('[data-action="approve"]').click();
  await until('the file is written', () => existsSync(file('patient.md')));
});
