// An agent asks for more access: the grant before and after side by side, and each of its ends: approved by exactly the
// reviewed event, denied, and made stale by a grant that was signed meanwhile.

import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSecret } from '../../relay/client/signer.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { Foreign } from './foreign.ts';
import { alive, Chromium, Desktop } from './harness.ts';
import { addDemoAgent, go, grantElsewhere } from './pages.ts';

let chromium: Chromium;
let desktop: Desktop;
let page: Page;
let agent: Foreign;

beforeAll(async () => {
  [chromium, desktop] = await Promise.all([Chromium.launch(), Desktop.start()]);
  page = await chromium.open(desktop);
  await addDemoAgent(page);
  const nsec = await grantElsewhere(page, 'Scribe');
  agent = await Foreign.open(desktop, parseSecret(nsec) ?? new Uint8Array());
});

afterAll(async () => {
  const left = desktop.descendants();
  await agent?.close();
  await chromium.close();
  await desktop.dispose();
  expect(left.filter(alive), 'processes left behind').toEqual([]);
});

async function grant(): Promise<NostrEvent> {
  const [newest] = await agent.query({ kinds: [30392], '#d': [agent.signer.pubkey] });
  if (newest === undefined) throw new Error('no grant');
  return newest;
}

async function askForMore(changes: object, reason: string): Promise<NostrEvent> {
  const base = await grant();
  const { owner } = desktop.ready;
  const operator = ['e', base.id, '', base.pubkey];
  expect(base.pubkey).toBe(owner.startsWith('npub') ? base.pubkey : owner);
  return agent.publish({
    kind: 1111,
    content: reason,
    tags: [
      ['E', ...operator.slice(1)],
      ['K', '30392'],
      ['P', base.pubkey],
      operator,
      ['k', '30392'],
      ['p', base.pubkey],
      ['request', 'grant'],
      ['grant', JSON.stringify({ base: base.id, changes })],
      ['subject', reason],
    ],
  });
}

test('the current grant and the replacement stand side by side; approving signs exactly what was reviewed', async () => {
  const base = await grant();
  const request = await askForMore({ kinds: [7, 1111], rate: 90 }, 'I would like to react');
  await go(page, '#/approvals');
  const card = page.locator(`[data-approval="${request.id}"]`);
  await card.getByText('new: reactions (7)').waitFor();
  await card.getByText('new: 90 events a minute').waitFor();
  await card.getByText('until now: 60 events a minute').waitFor();
  expect(await card.getByText('new:').count()).toBe(3);
  const shown = await card.locator('details pre, details code').first().textContent();
  expect(shown).toContain(request.id);

  await card.getByRole('button', { name: 'Approve and sign' }).click();
  await card.getByText('approved', { exact: true }).waitFor();
  const after = await grant();
  expect(after.tags).toContainEqual(['grant-request', request.id]);
  expect(after.tags).toContainEqual(['grant-base', base.id]);
  expect(after.tags).toContainEqual(['e', request.id, '', 'grant-request']);
  expect(after.tags).toContainEqual(['k', '1111']);
  expect(after.tags.filter(([name]) => name === 'rate')).toEqual([['rate', '90']]);
  const kept = base.tags.filter(([name]) => name !== 'rate');
  for (const tag of kept) expect(after.tags).toContainEqual(tag);
  expect(after.content).toBe(base.content);
});

test('denying records a minus and changes nothing', async () => {
  const base = await grant();
  const request = await askForMore({ wiki: 'edit' }, 'I would like to change the wiki');
  await go(page, '#/approvals');
  const card = page.locator(`[data-approval="${request.id}"]`);
  await card.getByRole('button', { name: 'Deny' }).click();
  await card.getByText('denied', { exact: true }).waitFor();
  expect((await grant()).id).toBe(base.id);
  const answers = await agent.query({ kinds: [7], '#e': [request.id] });
  expect(answers.map(({ content }) => content)).toEqual(['-']);
});

test('F-55 a grant signed meanwhile makes the request stale: it says so and cannot be approved', async () => {
  const request = await askForMore({ rooms: ['lab'] }, 'I would like to join the lab');
  await go(page, '#/approvals');
  const card = page.locator(`[data-approval="${request.id}"]`);
  await card.getByText('new: #lab').waitFor();

  await go(page, `#/agents/${agent.signer.pubkey}/edit`);
  await page.getByRole('textbox', { name: 'Rate' }).fill('45');
  await page.getByRole('button', { name: 'Sign the replacement' }).click();
  await page.getByRole('heading', { name: 'Scribe', exact: true }).waitFor();

  await go(page, `#/approvals/${request.id}`);
  await card.getByText('expired', { exact: true }).waitFor();
  await card
    .getByText(/the grant has changed since this request/)
    .first()
    .waitFor();
  expect(await card.getByRole('button', { name: 'Approve and sign' }).count()).toBe(0);
  expect((await grant()).tags).toContainEqual(['rate', '45']);
});
