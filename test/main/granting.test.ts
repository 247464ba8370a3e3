// Grants for agents that run elsewhere, and replacements: nothing lost that the form does not speak of, nothing written
// over that changed meanwhile, and a runner that follows the rooms of its grant.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npubEncode, nsecEncode } from 'nostr-tools/nip19';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { GrantDraft } from '../../main/contract/agents.ts';
import { openRelayLink } from '../../main/relay-link.ts';
import { generateSecret, parseSecret, signerFrom } from '../../relay/client/signer.ts';
import { agentIn, type Desk, demoDraft, type Refused, startDesk } from './desk.ts';

let desk: Desk;
let count = 0;
beforeAll(async () => {
  desk = await startDesk();
  await desk.call('rooms.create', { id: 'lab', name: 'Lab', about: '', access: 'members' });
});
afterAll(() => desk?.stop());
afterEach(async () => {
  for (const { pubkey } of await desk.call('agents.list', {})) await desk.call('agents.remove', { pubkey });
});

const soon = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400;
const form = (more: Partial<GrantDraft> = {}): GrantDraft => ({
  name: `Far ${++count}`,
  rooms: ['general'],
  kinds: [9, 1111],
  repos: [],
  sites: [],
  wiki: 'none',
  jobs: 'serve',
  rate: 30,
  expires: soon(90),
  ...more,
});
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => Promise.reject(new Error('it worked')),
    (error: Refused) => error.failure,
  );

test('a key made here is in the answer and nowhere else, and can do what its grant says', async () => {
  const { pubkey, nsec } = await desk.call('agents.grant', { grant: form(), pubkey: null });
  const secret = parseSecret(nsec ?? '');
  expect(secret && signerFrom(secret).pubkey).toBe(pubkey);
  const view = await agentIn(desk, pubkey, 'elsewhere');
  expect(view).toMatchObject({ local: false, limits: null, permissions: null });
  expect(view.grant?.scope).toMatchObject({ rooms: ['general'], kinds: [9, 1111], jobs: 'serve', rate: 30 });

  const hex = Buffer.from(secret ?? []).toString('hex');
  for (const file of readdirSync(desk.home, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const content = readFileSync(join(file.parentPath, file.name)).toString('latin1');
    expect(content.includes(nsec ?? 'none') || content.includes(hex), `the secret is in ${file.name}`).toBe(
      false,
    );
  }
  const link = openRelayLink(
    desk.program.app.state().relay.url ?? '',
    signerFrom(secret ?? new Uint8Array()),
  );
  await expect.poll(() => link.state.state).toBe('online');
  await link.publish({ kind: 9, tags: [['h', 'general']], content: 'here I am' });
  await link.close();
});

test('a pasted key: npub or hex, no secret, not the own one, and not one that is granted already', async () => {
  const signer = signerFrom(generateSecret());
  const paste = (pubkey: string) => desk.call('agents.grant', { grant: form(), pubkey });
  expect((await refusal(paste(nsecEncode(generateSecret())))).fields?.pubkey).toContain('secret key');
  expect((await refusal(paste('somebody'))).fields?.pubkey).toContain('no public key');
  expect((await refusal(paste(desk.owner))).fields?.pubkey).toBe('This is your own key');
  expect(await paste(npubEncode(signer.pubkey))).toEqual({ pubkey: signer.pubkey, nsec: null });
  await agentIn(desk, signer.pubkey, 'elsewhere');
  expect((await refusal(paste(signer.pubkey))).message).toContain('Edit its grant instead');
});

test('what the relay would refuse is named at its field before anything is signed', async () => {
  const judge = async (more: Partial<GrantDraft>) =>
    (await desk.call('agents.previewGrant', { grant: form(more), pubkey: '' })).problems;
  expect(await judge({ expires: soon(400) })).toHaveProperty('expires');
  expect(await judge({ expires: soon(-1) })).toHaveProperty('expires');
  expect(await judge({ rooms: ['general', 'nowhere'] })).toHaveProperty(['rooms.1']);
  expect(await judge({ sites: [{ label: 'npub1other' }] })).toHaveProperty('sites');
  expect(await judge({ sites: [{ label: '*', ttl: 7 }] })).toEqual({});
});

test('a replacement keeps what the form does not speak of, and a form opened before a change is refused', async () => {
  const { pubkey } = await desk.call('agents.grant', { grant: form({ wiki: 'propose' }), pubkey: null });
  const first = await agentIn(desk, pubkey, 'elsewhere');
  const base = first.grant?.event ?? '';
  const grant = form({
    rooms: ['general', 'lab'],
    repos: [{ owner: desk.owner, identifier: 'x', level: 'read' }],
  });
  const edited = await desk.call('agents.editGrant', { pubkey, grant, base });
  expect(edited.grant?.scope).toMatchObject({ rooms: ['general', 'lab'], repos: [{ identifier: 'x' }] });
  expect(edited.grant?.scope.wiki).toBeUndefined();
  const { members } = await desk.call('rooms.open', { id: 'lab' });
  expect(members.some(member => member.pubkey === pubkey)).toBe(true);

  const late = await refusal(desk.call('agents.editGrant', { pubkey, grant: form(), base }));
  expect(late).toMatchObject({ kind: 'conflict', message: expect.stringContaining('has changed') });
  const again = await desk.call('agents.editGrant', {
    pubkey,
    grant: form(),
    base: edited.grant?.event ?? '',
  });
  expect(again.grant?.scope.rooms).toEqual(['general']);
  const after = await desk.call('rooms.open', { id: 'lab' });
  expect(after.members.some(member => member.pubkey === pubkey)).toBe(false);
});

test('a runner of this machine serves the rooms its grant gained', async () => {
  const { pubkey } = await desk.call('agents.create', demoDraft(desk));
  const agent = await agentIn(desk, pubkey, 'idle');
  const { grant } = agent;
  if (grant === null) throw new Error('no grant');
  const { name, expires, event: base } = grant;
  const draft = form({
    name,
    expires,
    rooms: ['general', 'lab'],
    kinds: grant.scope.kinds,
    jobs: 'both',
    rate: 600,
  });
  await desk.call('agents.editGrant', { pubkey, grant: draft, base });
  await desk.until(
    'agents.changed',
    view => view.pubkey === pubkey && view.state === 'idle' && view.process?.pid !== agent.process?.pid,
  );
  await desk.call('rooms.send', { id: 'lab', content: 'write lab.md: in the lab', mentions: [pubkey] });
  const asked = await desk.until('approvals.changed', view => view.asker === pubkey && view.room === 'lab');
  await desk.call('approvals.decide', { id: asked.id, decision: 'deny', from: 'dashboard' });
});
