// Native cards of an agent that runs elsewhere, each answered in its form and read back from the relay; who is woken for
// them; and what becomes of a question whose agent loses its grant (seed "Tiny agent interactions").

import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSecret } from '../../relay/client/signer.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { Foreign } from './foreign.ts';
import { alive, Chromium, Desktop, until } from './harness.ts';
import { addDemoAgent, banners, go, grantElsewhere, jobCard, mention } from './pages.ts';

let chromium: Chromium;
let desktop: Desktop;
let page: Page;
let agent: Foreign;
let owner: string;

beforeAll(async () => {
  [chromium, desktop] = await Promise.all([Chromium.launch(), Desktop.start()]);
  page = await chromium.open(desktop);
  await addDemoAgent(page);
  const nsec = await grantElsewhere(page, 'Adapter');
  agent = await Foreign.open(desktop, parseSecret(nsec) ?? new Uint8Array());
  owner = await agent.owner();
});

afterAll(async () => {
  const left = desktop.descendants();
  await agent?.close();
  await chromium.close();
  await desktop.dispose();
  expect(left.filter(alive), 'processes left behind').toEqual([]);
});

const OPTIONS = [
  ['option', 'continue', 'Continue playing'],
  ['option', 'stop', 'Stop here'],
  ['option', 'save', 'Save first'],
];

function template(subject: string, selection: string, more: string[][]) {
  const base = [
    ['h', 'general'],
    ['p', owner],
    ['request', 'question'],
    ['subject', subject],
    ['tinyagent', '1'],
    ['interaction', 'question'],
    ['selection', selection],
  ];
  return { kind: 9, content: `${subject}?`, tags: [...base, ...more] };
}
const publishCard = (subject: string, selection: string, more: string[][]) =>
  agent.publish(template(subject, selection, more));

async function onPage(request: NostrEvent) {
  await go(page, '#/approvals');
  const card = page.locator(`[data-approval="${request.id}"]`);
  await card.getByRole('button', { name: 'Send answer' }).waitFor();
  return card;
}

/** The one answer on the relay, with the whole reference set the seed asks for. */
async function answerTo(request: NostrEvent): Promise<string> {
  const answers = await agent.query({ kinds: [1111], '#e': [request.id] });
  expect(answers).toHaveLength(1);
  const [answer] = answers as [NostrEvent];
  const first = (name: string) => answer.tags.find(([key]) => key === name)?.[1];
  expect(answer.pubkey).toBe(owner);
  expect([first('E'), first('e')]).toEqual([request.id, request.id]);
  expect([first('K'), first('k')]).toEqual(['9', '9']);
  expect([first('P'), first('p')]).toEqual([agent.signer.pubkey, agent.signer.pubkey]);
  expect(first('h')).toBe('general');
  return answer.content;
}

test('single: one radio button, and its id is the answer', async () => {
  const request = await publishCard('Which way', 'single', OPTIONS);
  const card = await onPage(request);
  await card.getByRole('button', { name: 'Send answer' }).click();
  await card.getByText('Choose one', { exact: true }).last().waitFor();
  expect(await card.getByRole('textbox').count()).toBe(0);
  await card.getByRole('radio', { name: 'Stop here' }).check();
  await card.getByRole('button', { name: 'Send answer' }).click();
  await card.getByText('replied', { exact: true }).waitFor();
  await card.getByText('Stop here').first().waitFor();
  expect(await answerTo(request)).toBe('stop');
});

test('multiple: checkboxes, and their ids in the card’s order', async () => {
  const request = await publishCard('What to keep', 'multiple', OPTIONS);
  const card = await onPage(request);
  await card.getByRole('button', { name: 'Send answer' }).click();
  await card.getByText('Choose at least one').waitFor();
  await card.getByRole('checkbox', { name: 'Save first' }).check();
  await card.getByRole('checkbox', { name: 'Continue playing' }).check();
  await card.getByRole('button', { name: 'Send answer' }).click();
  await card.getByText('replied', { exact: true }).waitFor();
  expect(JSON.parse(await answerTo(request))).toEqual(['continue', 'save']);
});

test('text: words alone, at most 8,000 of them, counted while typing', async () => {
  const request = await publishCard('What shall it be called', 'text', []);
  const card = await onPage(request);
  const box = card.getByRole('textbox', { name: 'Your answer' });
  await box.fill('x'.repeat(8_001));
  await card.getByText('At most 8,000 characters').waitFor();
  await card.getByText('8,001 of 8,000 characters').waitFor();
  await box.fill('  Larch & Sons  ');
  await card.getByRole('button', { name: 'Send answer' }).click();
  await card.getByText('replied', { exact: true }).waitFor();
  expect(await answerTo(request)).toBe('Larch & Sons');
});

test('freeform: a choice, words, or both', async () => {
  const both = await publishCard('Go on', 'single', [...OPTIONS, ['freeform', 'true']]);
  let card = await onPage(both);
  await card.getByRole('radio', { name: 'Stop here' }).check();
  await card.getByRole('textbox').fill('The run needs review.');
  await card.getByRole('button', { name: 'Send answer' }).click();
  await card.getByText('replied', { exact: true }).waitFor();
  expect(JSON.parse(await answerTo(both))).toEqual({ choices: ['stop'], text: 'The run needs review.' });

  const words = await publishCard('Go on then', 'multiple', [...OPTIONS, ['freeform', 'true']]);
  card = await onPage(words);
  await card.getByRole('textbox').fill('None of these');
  await card.getByRole('button', { name: 'Send answer' }).click();
  await card.getByText('replied', { exact: true }).waitFor();
  expect(JSON.parse(await answerTo(words))).toEqual({ text: 'None of these' });
});

test('a malformed card is refused by the relay with the tag that is wrong', async () => {
  await expect(publishCard('Twice', 'single', [...OPTIONS, ['option', 'stop', 'Again']])).rejects.toThrow(
    /invalid: interaction option/,
  );
  await expect(publishCard('Text', 'text', OPTIONS)).rejects.toThrow(/invalid: interaction option/);
});

test('a card wakes only whom it mentions, and stays visible without', async () => {
  const quiet = await publishCard('Quietly', 'single', OPTIONS);
  const loud = await publishCard('Loudly', 'single', [...OPTIONS, ['mention', owner]]);
  await until('the loud one is up', async () =>
    (await banners(page)).some(({ tag }) => tag === `approval-${loud.id}`),
  );
  expect((await banners(page)).some(({ tag }) => tag === `approval-${quiet.id}`)).toBe(false);
  await go(page, '#/approvals');
  await page.locator(`[data-approval="${quiet.id}"]`).waitFor();
});

test('E4 a banner is held back only for the very card on a focused screen', async () => {
  await page.bringToFront();
  const seen = agent.sign(template('Look at me', 'single', [...OPTIONS, ['mention', owner]]));
  await go(page, `#/approvals/${seen.id}`);
  await page.getByText(/There is no such request/).waitFor();
  await agent.send(seen);
  const records = () =>
    page.evaluate(async () => {
      const response = await fetch('./bridge/notices.list', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      return (await response.json()).value as { tag: string; outcome: string; reason?: string }[];
    });
  const recordOf = async (id: string) => (await records()).find(({ tag }) => tag === `approval-${id}`);
  await until('it was decided', async () => (await recordOf(seen.id)) !== undefined);
  expect(await recordOf(seen.id)).toMatchObject({ outcome: 'suppressed', reason: 'it is on screen' });

  const other = await publishCard('Somewhere else', 'single', [...OPTIONS, ['mention', owner]]);
  await until('it was decided', async () => (await recordOf(other.id)) !== undefined);
  expect((await recordOf(other.id))?.outcome).toBe('shown');
});

test('E6 the test banner takes the way of real ones, with the same switches', async () => {
  await go(page, '#/settings');
  await page.getByRole('button', { name: 'Send a test banner' }).click();
  await page.locator('[data-outcome="shown"]').waitFor();
  await until('it is up', async () => (await banners(page)).some(({ tag }) => tag === 'test'));
  const requests = page.getByRole('switch', { name: /Requests for a decision/ });
  await requests.click();
  await until('they are switched off', async () => !(await requests.isChecked()));
  await page.getByRole('button', { name: 'Send a test banner' }).click();
  await page.locator('[data-outcome="suppressed"]').waitFor();
  const silent = await publishCard('Not now', 'single', [...OPTIONS, ['mention', owner]]);
  await go(page, '#/approvals');
  await page.locator(`[data-approval="${silent.id}"]`).waitFor();
  expect((await banners(page)).some(({ tag }) => tag === `approval-${silent.id}`)).toBe(false);
  await go(page, '#/settings');
  await requests.click();
  await until('they are switched on', () => requests.isChecked());
});

test('D2 an agent speaks without asking: only its actions are behind the gate', async () => {
  await go(page, '#/rooms/general');
  await mention(page, 'Demo agent', ' help');
  await jobCard(page, 'help').getByText('done', { exact: true }).waitFor();
  await page.getByText('I can write small files in my own folder').first().waitFor();
  await go(page, '#/approvals');
  expect(await page.locator('[data-approval]').filter({ hasText: 'Demo agent' }).count()).toBe(0);
});

test('F-22 F-55 revoked while it asks: the card reads withdrawn, and the relay takes nothing more from it', async () => {
  const request = await publishCard('Too late', 'single', OPTIONS);
  const card = await onPage(request);
  await go(page, `#/agents/${agent.signer.pubkey}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Revoke its grant…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('revoked', { exact: true }).first().waitFor();
  await go(page, `#/approvals/${request.id}`);
  await card.getByText('withdrawn', { exact: true }).waitFor();
  await card
    .getByText(/grant was revoked/)
    .first()
    .waitFor();
  expect(await card.getByRole('button', { name: 'Send answer' }).count()).toBe(0);
  await expect(agent.publish({ kind: 9, tags: [['h', 'general']], content: 'still here' })).rejects.toThrow(
    /restricted/,
  );
});
