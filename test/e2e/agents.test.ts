// Manage > Agents: an agent that runs elsewhere with a key shown once or pasted, a grant edited as its replacement, the
// kill switch with its counts, recent activity.

import { npubEncode } from 'nostr-tools/nip19';
import { getPublicKey } from 'nostr-tools/pure';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateSecret, parseSecret } from '../../relay/client/signer.ts';
import { Foreign } from './foreign.ts';
import { alive, Chromium, Desktop } from './harness.ts';
import { addDemoAgent, go } from './pages.ts';

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

const card = (name: string) => page.locator('[data-agent-card]').filter({ hasText: name });

test('Generate here, show once: the secret is on that page only, and works', async () => {
  await go(page, '#/agents/new');
  await page.getByText('Elsewhere', { exact: true }).click();
  await page.getByRole('button', { name: 'Sign the grant' }).click();
  await page.getByText('Give it a name').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Far away');
  await page.getByRole('button', { name: 'Sign the grant' }).click();
  await page.getByRole('heading', { name: 'Far away is granted' }).waitFor();
  const nsec = (await page.locator('[data-secret]').textContent()) ?? '';
  expect(parseSecret(nsec)).not.toBe(null);
  await page.getByRole('button', { name: 'Copy the secret key' }).click();
  await page.getByRole('link', { name: 'I have it: open the agent' }).click();
  await page.getByRole('heading', { name: 'Far away', exact: true }).waitFor();
  expect(await page.content()).not.toContain(nsec);
  await page.goBack();
  expect(await page.content()).not.toContain(nsec);

  const agent = await Foreign.open(desktop, parseSecret(nsec) ?? new Uint8Array());
  await agent.publish({ kind: 9, tags: [['h', 'general']], content: 'greetings from far away' });
  await agent.close();
  await go(page, '#/rooms/general');
  await page.getByText('greetings from far away').waitFor();
});

test('Paste a public key: a secret key is refused, a public one is granted', async () => {
  const secret = generateSecret();
  await go(page, '#/agents/new/elsewhere');
  await page.getByRole('textbox', { name: 'Name' }).fill('Pasted');
  await page.getByRole('radio', { name: 'Paste a public key' }).check();
  const key = page.getByRole('textbox', { name: 'Public key' });
  await key.fill('npub1wrong');
  await page.getByRole('button', { name: 'Sign the grant' }).click();
  await page.getByText('Paste an npub, or a public key of 64 hex digits').waitFor();
  await key.fill(npubEncode(getPublicKey(secret)));
  await page.getByRole('button', { name: 'Sign the grant' }).click();
  await page.getByRole('heading', { name: 'Pasted', exact: true }).waitFor();
  await page.getByText('runs elsewhere').first().waitFor();
});

test('Edit opens the form with the current grant and signs a replacement', async () => {
  await go(page, '#/agents');
  await card('Pasted').getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('heading', { name: 'Edit the grant of Pasted' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Pasted');
  expect(await page.getByRole('checkbox', { name: 'Write messages in its rooms' }).isChecked()).toBe(true);
  await page.getByRole('textbox', { name: 'Rate' }).fill('900');
  await page.getByRole('button', { name: 'Sign the replacement' }).click();
  await page.getByText('At most 600 a minute').waitFor();
  await page.getByRole('textbox', { name: 'Rate' }).fill('12');
  await page.getByRole('checkbox', { name: 'React to messages' }).check();
  await page.getByRole('textbox', { name: 'Repositories' }).fill('not one');
  await page.getByRole('button', { name: 'Sign the replacement' }).click();
  await page.getByText(/"not one" is no repository/).waitFor();
  await page.getByRole('textbox', { name: 'Repositories' }).fill(`${desktop.ready.owner}:tools:read`);
  await page.getByRole('button', { name: 'Sign the replacement' }).click();
  await page.getByRole('heading', { name: 'Pasted', exact: true }).waitFor();
  const facts = page.getByRole('complementary', { name: 'Facts' });
  await facts.getByText('12 events a minute', { exact: true }).waitFor();
  await facts.getByText(/reactions \(7\)/).waitFor();
  await facts.getByText(/read, of/).waitFor();
});

test('the kill switch pauses every agent and resumes them, with counts', async () => {
  await go(page, '#/agents');
  await page.getByText('3 active, 0 paused, 0 revoked or expired').waitFor();
  await page.getByRole('button', { name: 'Pause all agents' }).click();
  await page.getByText('0 active, 3 paused, 0 revoked or expired').waitFor();
  await card('Demo agent').getByText('paused').waitFor();
  await page.getByRole('button', { name: 'Resume all agents' }).click();
  await page.getByText('3 active, 0 paused, 0 revoked or expired').waitFor();
  await card('Pasted').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('2 active, 0 paused, 1 revoked or expired').waitFor();
  await card('Pasted').getByRole('link', { name: 'Grant again' }).waitFor();
});

test('recent activity is the chosen agent’s newest events', async () => {
  await go(page, '#/agents');
  await card('Far away').getByRole('button', { name: 'Recent activity' }).click();
  await page.getByRole('heading', { name: 'Recent activity of Far away' }).waitFor();
  await page.locator('#activity').getByText('greetings from far away').waitFor();
});
