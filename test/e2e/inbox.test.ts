// Several requests at once and several dashboards: one answer for those that match, keys that move, first answer wins
// and the second is told by whom, and what its agent took back says so (cases D21 E7 F-55).

import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSecret } from '../../relay/client/signer.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { Foreign } from './foreign.ts';
import { alive, Chromium, Desktop, until } from './harness.ts';
import { addDemoAgent, banners, go, grantElsewhere } from './pages.ts';

let chromium: Chromium;
let desktop: Desktop;
let contexts: BrowserContext[];
let page: Page;
let second: Page;
let agent: Foreign;
let count = 0;

beforeAll(async () => {
  [chromium, desktop] = await Promise.all([Chromium.launch(), Desktop.start()]);
  contexts = [await chromium.context(), await chromium.context()];
  page = await chromium.open(desktop, contexts[0]);
  await addDemoAgent(page);
  const nsec = await grantElsewhere(page, 'Scribe');
  agent = await Foreign.open(desktop, parseSecret(nsec) ?? new Uint8Array());
  second = await chromium.open(desktop, contexts[1]);
});

afterAll(async () => {
  const left = desktop.descendants();
  await agent?.close();
  await chromium.close();
  await desktop.dispose();
  expect(left.filter(alive), 'processes left behind').toEqual([]);
});

async function ask(subject: string, more: string[][] = []): Promise<NostrEvent> {
  const owner = await agent.owner();
  count += 1;
  const tags = [['h', 'general'], ['p', owner], ['request', 'approve'], ['subject', subject], ...more];
  return agent.publish({ kind: 9, content: `Do ${subject}, number ${count}`, tags });
}
const cardOn = (where: Page, request: NostrEvent) => where.locator(`[data-approval="${request.id}"]`);

test('D21 E7 F-55 two dashboards: the first answer wins, the second is told by whom, when and from where', async () => {
  const request = await ask('publish the notes');
  await go(page, '#/approvals');
  // A page that hears nothing, as over a broken line: it still shows what was open.
  await second.route('**/bridge/pushes*', route => route.abort());
  await second.reload();
  await go(second, '#/approvals');
  const deny = cardOn(second, request).locator('[data-action="deny"]');
  await deny.waitFor();

  await cardOn(page, request).locator('[data-action="approve"]').click();
  await cardOn(page, request).getByText('from the dashboard').waitFor();
  await until('no banner for it is left', async () => {
    const shown = await banners(page);
    return shown.every(({ tag }) => tag !== `approval-${request.id}`);
  });
  await deny.click();
  const told = cardOn(second, request).locator('[data-conflict]');
  await told.getByText(/^Approved by you at \d\d:\d\d:\d\d from the dashboard\.$/).waitFor();
  await cardOn(second, request).getByText('approved', { exact: true }).waitFor();
  expect(await cardOn(second, request).locator('[data-action]').count()).toBe(0);
  const answers = await agent.query({ kinds: [7], '#e': [request.id] });
  expect(answers.map(({ content }) => content)).toEqual(['+']);

  await second.unroute('**/bridge/pushes*');
  await second.reload();
});

test('D21 answered by somebody else who was asked: the card names them', async () => {
  const nsec = await grantElsewhere(page, 'Gardener', ['React to messages']);
  const other = await Foreign.open(desktop, parseSecret(nsec) ?? new Uint8Array());
  const request = await ask('water the plants', [['p', other.signer.pubkey]]);
  await go(page, '#/approvals');
  await cardOn(page, request).locator('[data-action="approve"]').waitFor();
  const tags = [
    ['e', request.id],
    ['p', request.pubkey],
    ['k', '9'],
    ['h', 'general'],
  ];
  await other.publish({ kind: 7, content: '-', tags });
  const card = cardOn(page, request);
  await card.getByText('denied', { exact: true }).waitFor();
  await card.getByText('Gardener').waitFor();
  expect(await card.getByText('You', { exact: true }).count()).toBe(0);
  await other.close();
});

test('one answer for those that match, after each was listed whole', async () => {
  const same = [await ask('file one'), await ask('file two'), await ask('file three')];
  const decide = await agent.publish({
    kind: 9,
    content: 'Shall I?',
    tags: (same[0]?.tags ?? []).map(tag => (tag[0] === 'request' ? ['request', 'decide'] : tag)),
  });
  await go(page, '#/approvals');
  const card = cardOn(page, same[0] as NostrEvent);
  await card.getByRole('button', { name: 'Apply to 3 waiting that match…' }).click();
  const list = page.getByRole('dialog', { name: '3 waiting requests that match' });
  await list.getByText(/Do file two, number/).waitFor();
  expect(await list.locator('[data-match]').count()).toBe(3);
  await list.getByRole('checkbox', { name: 'file three' }).uncheck();
  await list.getByRole('button', { name: 'Approve these 2 once' }).click();
  await list.waitFor({ state: 'detached' });
  const answered = async (request: NostrEvent) =>
    (await agent.query({ kinds: [7], '#e': [request.id] })).map(({ content }) => content);
  expect(await answered(same[0] as NostrEvent)).toEqual(['+']);
  expect(await answered(same[1] as NostrEvent)).toEqual(['+']);
  expect(await answered(same[2] as NostrEvent)).toEqual([]);
  expect(await answered(decide)).toEqual([]);
});

test('J, K and Shift+N move among what waits, A and D answer the card with the focus', async () => {
  // Coming anew, without the cards that were answered while they were looked at.
  await go(page, '#/rooms/general');
  await page.getByPlaceholder('Write in general').waitFor();
  await go(page, '#/approvals');
  const cards = page.locator('[data-approval][data-open]');
  await until('two wait', async () => (await cards.count()) === 2);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-approval'));
  const ids = await cards.evaluateAll(all => all.map(one => one.getAttribute('data-approval')));
  await page.locator('body').click({ position: { x: 700, y: 20 } });
  await page.keyboard.press('j');
  expect(await focused()).toBe(ids[0]);
  await page.keyboard.press('j');
  expect(await focused()).toBe(ids[1]);
  const newest = await ask('the newest');
  await cardOn(page, newest).waitFor();
  await page.keyboard.press('Shift+N');
  expect(await focused()).toBe(newest.id);
  // A press is not taken for a moment after a card moved the others.
  await cardOn(page, newest).locator('[data-action="deny"]:enabled').waitFor();
  await page.keyboard.press('d');
  await cardOn(page, newest).getByText('denied', { exact: true }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('a');
  await cardOn(page, { id: ids[0] } as NostrEvent)
    .getByText('approved', { exact: true })
    .waitFor();
});

test('F-55 taken back by its agent, the card says so and nothing can be pressed', async () => {
  const request = await ask('something hasty');
  await go(page, '#/approvals');
  await cardOn(page, request).waitFor();
  await agent.publish({
    kind: 5,
    content: 'I found another way.',
    tags: [
      ['e', request.id],
      ['k', '9'],
      ['h', 'general'],
    ],
  });
  await cardOn(page, request).getByText('withdrawn', { exact: true }).waitFor();
  await cardOn(page, request).getByText('I found another way.').waitFor();
  expect(await cardOn(page, request).getByRole('button').count()).toBe(0);
});
