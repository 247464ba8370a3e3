// Plain command agents, added by hand through the form: what they answer is the reply, what breaks them is shown.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alive, Chromium, Desktop } from './harness.ts';
import { go, jobCard, mention } from './pages.ts';

let chromium: Chromium;
let desktop: Desktop;
let page: Page;

beforeAll(async () => {
  [chromium, desktop] = await Promise.all([Chromium.launch(), Desktop.start()]);
  page = await chromium.open(desktop);
  await page.getByRole('button', { name: 'Skip for now' }).click();
  await page.getByPlaceholder('Write in general').waitFor();
});

afterAll(async () => {
  const left = desktop.descendants();
  await chromium.close();
  await desktop.dispose();
  expect(left.filter(alive), 'processes left behind').toEqual([]);
});

type Program = { name: string; command: string; args: string };

async function fillForm({ name, command, args }: Program): Promise<void> {
  await go(page, '#/agents/new');
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByText('Another program').click();
  await page.getByRole('textbox', { name: 'Command' }).fill(command);
  if (args) await page.getByRole('textbox', { name: 'Arguments' }).fill(args);
  await page.getByText('Plain command').click();
  await page.getByRole('textbox', { name: 'Working folder' }).fill(mkdtempSync(join(tmpdir(), 'tiny-work-')));
}

const add = () => page.getByRole('button', { name: 'Sign the grant and add the agent' }).click();

async function addAgent(program: Program): Promise<void> {
  await fillForm(program);
  await add();
  await page.getByRole('heading', { name: program.name }).waitFor();
  await go(page, '#/rooms/general');
}

test('cat answers what it is given', async () => {
  await addAgent({ name: 'Parrot', command: 'cat', args: '' });
  await mention(page, 'Parrot', ' say it back');
  await jobCard(page, 'say it back').getByText('done', { exact: true }).waitFor();
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await conversation.getByText('Parrot', { exact: true }).first().waitFor();
});

test('sh -c answers with its output, and a failing one says how it failed', async () => {
  await addAgent({ name: 'Shell', command: 'sh', args: "-c 'echo forty two'" });
  await mention(page, 'Shell', ' the answer');
  await page.getByText('forty two').first().waitFor();

  await addAgent({ name: 'Broken', command: 'sh', args: "-c 'echo out of order >&2; exit 7'" });
  await mention(page, 'Broken', ' try this');
  const card = jobCard(page, 'try this');
  await card.getByText('failed', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Unfold the job' }).click();
  await card.getByText(/7/).first().waitFor();
  await expect(page.getByText('out of order').count(), 'stderr stays out of the room').resolves.toBe(0);
});

test('C7 a program that is not there is named before anything is signed', async () => {
  await fillForm({ name: 'Ghost', command: '/no/such/program', args: '' });
  await add();
  await page
    .getByText(/no\/such\/program/)
    .last()
    .waitFor();
  await page.getByRole('textbox', { name: 'Command' }).and(page.locator('[aria-invalid="true"]')).waitFor();
  await expect(page.getByRole('navigation', { name: 'Places' }).getByText('Ghost').count()).resolves.toBe(0);
});
