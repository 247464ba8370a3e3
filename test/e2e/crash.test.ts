// What a person finds after the whole program was killed: nothing lost, nothing twice, nobody left alive.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alive, Chromium, Desktop, until } from './harness.ts';
import { addDemoAgent, go, jobCard, mention } from './pages.ts';

let chromium: Chromium;
let desktop: Desktop;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [chromium, desktop] = await Promise.all([Chromium.launch(), Desktop.start()]);
  context = await chromium.context();
  page = await chromium.open(desktop, context);
  await addDemoAgent(page);
});

afterAll(async () => {
  const left = desktop.descendants();
  await chromium.close();
  await desktop.dispose();
  expect(left.filter(alive), 'processes left behind').toEqual([]);
});

/** Kills main and everything of it that a power cut would take, then starts again in the same home. */
async function killAndRestart(everything: boolean): Promise<number[]> {
  const old = [desktop.process.pid ?? 0, ...desktop.descendants()];
  await desktop.stop('SIGKILL');
  if (everything) for (const pid of old) if (alive(pid)) process.kill(pid, 'SIGKILL');
  desktop = await Desktop.start({ home: desktop.home });
  await page.goto(desktop.ready.dashboard);
  return old;
}

const demoFile = (name: string) => {
  const work = join(desktop.home, 'work');
  return join(work, readdirSync(work)[0] ?? '', name);
};

async function repliesAbout(text: string): Promise<number> {
  await go(page, '#/rooms/general');
  await page.getByPlaceholder('Write in general').waitFor();
  return page.getByText(text).count();
}

test('A5 A11 D12 killed while an approval waits: it reads withdrawn, the run is retried once, nothing is answered twice', async () => {
  await mention(page, 'Demo agent', ' write first.md: after the storm');
  await jobCard(page, 'after the storm').getByText('waiting for you').waitFor();

  const old = await killAndRestart(false);
  await until('none of the old processes lives', () => old.every(pid => !alive(pid)));

  await go(page, '#/approvals');
  await page.getByText('withdrawn').first().waitFor();
  const approve = page.locator('[data-action="approve"]');
  await approve.first().waitFor();
  expect(await approve.count(), 'only the retry asks').toBe(1);
  await approve.first().click();
  await until('the file is written', () => existsSync(demoFile('first.md')));
  await go(page, '#/rooms/general');
  await page.getByText(/so I wrote first\.md/).waitFor();
  expect(await repliesAbout('so I wrote')).toBe(1);
});

test('A11 F-56 killed in the middle of a run: it never reads as working with nothing alive, and ends once', async () => {
  await mention(page, 'Demo agent', ' slow write second.md: half way');
  await jobCard(page, 'half way').getByText('running').waitFor();

  const old = await killAndRestart(true);
  await until('none of the old processes lives', () => old.every(pid => !alive(pid)));

  await go(page, '#/rooms/general');
  await page.getByText('half way').first().waitFor();
  await page
    .getByRole('navigation', { name: 'Places' })
    .getByRole('link', { name: /Approvals/ })
    .getByText('1')
    .waitFor({ timeout: 45_000 });
  await go(page, '#/approvals');
  await page.locator('[data-action="approve"]').first().click();
  await until('the file is written', () => existsSync(demoFile('second.md')));
  expect(readFileSync(demoFile('second.md'), 'utf8')).toBe('half way\n');
  await go(page, '#/rooms/general');
  await page.getByText(/so I wrote second\.md/).waitFor();
  expect(await repliesAbout('so I wrote second.md')).toBe(1);
  const cards = page.getByRole('region', { name: /^Job: .*half way/ });
  await until('no job of it is still open', async () => {
    const words = await cards.allInnerTexts();
    return words.length > 0 && words.every(text => !/running|accepted|queued|waiting/.test(text));
  });
}, 90_000);
