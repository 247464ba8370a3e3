// Every page and dialog through axe-core, in both schemes and both widths: no serious or critical fault.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSecret } from '../../relay/client/signer.ts';
import { Foreign } from './foreign.ts';
import { alive, Chromium, Desktop } from './harness.ts';
import { addDemoAgent, go, grantElsewhere, jobCard, mention } from './pages.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let chromium: Chromium;
let desktop: Desktop;
let page: Page;
let agent: Foreign;

beforeAll(async () => {
  [chromium, desktop] = await Promise.all([Chromium.launch(), Desktop.start()]);
  page = await chromium.open(desktop);
  await page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  const left = desktop.descendants();
  await agent?.close();
  await chromium.close();
  await desktop.dispose();
  expect(left.filter(alive), 'processes left behind').toEqual([]);
});

type Fault = { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] };

/** Faults of the page as it stands; with `contrast` colours alone are looked at. */
async function faults(contrast: boolean): Promise<string[]> {
  await page.evaluate(`if (!globalThis.axe) { ${axe} }`);
  const violations = await page.evaluate(async only => {
    const runner = (
      globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Fault[] }> } }
    ).axe;
    const options = only
      ? { runOnly: { type: 'rule', values: ['color-contrast'] } }
      : {
          runOnly: {
            type: 'tag',
            values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
          },
          rules: { 'label-content-name-mismatch': { enabled: true } },
        };
    return (await runner.run({ ...options, resultTypes: ['violations'] })).violations;
  }, contrast);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(node => `${id}: ${node.html.slice(0, 160)}\n    ${node.failureSummary ?? ''}`),
    );
}

const LOOKS = [
  { colorScheme: 'light', width: 1280, contrast: false },
  { colorScheme: 'dark', width: 1280, contrast: true },
  { colorScheme: 'dark', width: 420, contrast: false },
  { colorScheme: 'light', width: 420, contrast: true },
] as const;

/** Looks at what is open in every scheme and width; answers what is wrong, with where. */
async function everyLook(what: string): Promise<string[]> {
  const found: string[] = [];
  for (const { colorScheme, width, contrast } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 860 });
    // Two frames: the new width is laid out and the drawer, if any, is drawn.
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    for (const fault of await faults(contrast)) found.push(`${what}, ${colorScheme} ${width}: ${fault}`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

async function look(address: string, ready: () => Promise<unknown>): Promise<void> {
  await go(page, address);
  await ready();
  expect(await everyLook(address)).toEqual([]);
}
const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor();

test('the welcome and the empty pages', async () => {
  await page.getByRole('heading', { name: /Agents that work for you/ }).waitFor();
  expect(await everyLook('#/welcome')).toEqual([]);
  await look('#/approvals', () => heading('Approvals'));
  await look('#/agents', () => heading('Agents'));
  await look('#/jobs', () => heading('Jobs'));
}, 60_000);

test('a room with messages, jobs and a request, its thread, and the job', async () => {
  await go(page, '#/welcome');
  await addDemoAgent(page);
  await mention(page, 'Demo agent', ' help');
  await jobCard(page, 'help').getByText('done', { exact: true }).waitFor();
  await mention(page, 'Demo agent', ' write hello.md: good morning');
  await jobCard(page, 'good morning').getByText('waiting for you').waitFor();
  expect(await everyLook('#/rooms/general')).toEqual([]);
  const [job] = await page.locator('a[href^="#/jobs/"]').all();
  await look((await job?.getAttribute('href')) ?? '', () => page.getByText('Asked by').first().waitFor());
  await look('#/jobs', () => page.getByText('good morning').first().waitFor());
}, 60_000);

test('requests of every kind, one on its own, and their dialogs', async () => {
  const nsec = await grantElsewhere(page, 'Adapter');
  agent = await Foreign.open(desktop, parseSecret(nsec) ?? new Uint8Array());
  const owner = await agent.owner();
  const base = [
    ['h', 'general'],
    ['p', owner],
  ];
  const options = [
    ['option', 'a', 'The first'],
    ['option', 'b', 'The second'],
  ];
  const native = [
    ['request', 'question'],
    ['tinyagent', '1'],
    ['interaction', 'question'],
  ];
  const publish = (tags: string[][], content: string) =>
    agent.publish({ kind: 9, tags: [...base, ...tags], content });
  await publish([...native, ['selection', 'single'], ['freeform', 'true'], ...options], 'Which?');
  await publish([...native, ['selection', 'multiple'], ...options], 'Which ones?');
  await publish([...native, ['selection', 'text']], 'What?');
  await publish(
    [
      ['request', 'approve'],
      ['subject', 'One'],
    ],
    'Do one',
  );
  const two = await publish(
    [
      ['request', 'approve'],
      ['subject', 'Two'],
    ],
    'Do two',
  );
  await publish([['request', 'question']], 'A plain question?');
  const [grant] = await agent.query({ kinds: [30392], '#d': [agent.signer.pubkey] });
  if (grant === undefined) throw new Error('no grant');
  await agent.publish({
    kind: 1111,
    content: 'I would like to react',
    tags: [
      ['E', grant.id, '', owner],
      ['K', '30392'],
      ['P', owner],
      ['e', grant.id, '', owner],
      ['k', '30392'],
      ['p', owner],
      ['request', 'grant'],
      ['grant', JSON.stringify({ base: grant.id, changes: { kinds: [7], rate: 90 } })],
    ],
  });
  await look('#/approvals', () => page.getByText('new: reactions (7)').waitFor());
  await look(`#/approvals/${two.id}`, () => page.locator(`[data-approval="${two.id}"]`).waitFor());
  await page.locator('[data-action="matching"]').click();
  await page.getByRole('dialog').waitFor();
  expect(await everyLook('the list of those that match')).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
  await go(page, '#/approvals');
  await page.locator('[data-action="approve-always"]').click();
  await page.getByRole('dialog').waitFor();
  expect(await everyLook('the scope of always')).toEqual([]);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Approve and always/ })
    .click();
  await page.locator(`[data-approval="${two.id}"]`).locator('[data-action="deny"]').click();
  await page.getByText('denied', { exact: true }).waitFor();
  expect(await everyLook('answered requests')).toEqual([]);
}, 90_000);

test('agents: the list, one of each kind, the forms and the secret', async () => {
  await look('#/agents', () => page.getByText('2 active, 0 paused').waitFor());
  await look(`#/agents/${agent.signer.pubkey}`, () => heading('Adapter'));
  await look(`#/agents/${agent.signer.pubkey}/edit`, () => heading(/Edit the grant/));
  const demo = page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: /Demo agent/ });
  await look((await demo.getAttribute('href')) ?? '', () => heading('Demo agent'));
  await page.getByRole('button', { name: 'Change limits' }).click();
  await page.getByRole('button', { name: 'Save limits' }).waitFor();
  expect(await everyLook('the limits')).toEqual([]);
  await page.getByRole('button', { name: 'Stop asking for a while…' }).click();
  await page.getByRole('dialog', { name: /work without asking/ }).waitFor();
  expect(await everyLook('the bypass dialog')).toEqual([]);
  await page.getByRole('button', { name: 'Stop asking', exact: true }).click();
  await look('#/approvals', () => page.locator('main [data-bypass]').waitFor());
  await look('#/agents/new', () => heading('New agent'));
  await look('#/agents/new/elsewhere', () => heading('New agent'));
  await page.getByRole('button', { name: 'Sign the grant' }).click();
  await page.getByText('Give it a name').waitFor();
  expect(await everyLook('a form with a complaint')).toEqual([]);
  await page.getByRole('textbox', { name: 'Name' }).fill('Once');
  await page.getByRole('button', { name: 'Sign the grant' }).click();
  await page.locator('[data-secret]').waitFor();
  expect(await everyLook('the secret, shown once')).toEqual([]);
}, 120_000);

test('health, settings and what lies above every page', async () => {
  await look('#/health', () => heading('Health'));
  await look('#/settings', () => heading('Settings'));
  await look('#/callbacks', () => heading('Callbacks'));
  await look('#/nowhere', () => heading('Not found'));
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').first().waitFor();
  expect(await everyLook('the palette')).toEqual([]);
  await page.keyboard.press('Escape');
}, 60_000);

test('confirmations, menus and the drawer', async () => {
  await go(page, `#/agents/${agent.signer.pubkey}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit its grant' }).waitFor();
  expect(await everyLook('the menu of an agent')).toEqual([]);
  // Another page in between: whether a menu outlives a change of width is not what is asked here.
  await go(page, '#/health');
  await heading('Health');
  await go(page, `#/agents/${agent.signer.pubkey}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Revoke its grant…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).waitFor();
  expect(await everyLook('the confirmation to revoke')).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await go(page, '#/approvals');
  await page.setViewportSize({ width: 420, height: 860 });
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  expect(await faults(false)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 860 });
}, 60_000);

test('pages that are still on their way', async () => {
  const held = /\/bridge\/(agents|approvals|jobs|rooms)\.(list|open|get)$/;
  await page.route(held, () => {
    // Never answered: the page goes on waiting.
  });
  for (const address of ['#/agents', '#/approvals', '#/jobs', '#/rooms/general']) {
    await go(page, address);
    await page.reload();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    expect(await everyLook(`${address}, loading`)).toEqual([]);
  }
  await page.unroute(held);
}, 60_000);

test('the page that asks for the passphrase', async () => {
  const locked = await Desktop.start({ env: { TINY_VAULT_PASSPHRASE: '' } });
  const before = page;
  try {
    page = await chromium.open(locked);
    await page
      .getByRole('heading', { name: /passphrase/i })
      .first()
      .waitFor();
    expect(await everyLook('the unlock page')).toEqual([]);
  } finally {
    page = before;
    await locked.dispose();
  }
}, 60_000);
