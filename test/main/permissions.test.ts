// Remembered permissions with real runners and programs: used, recorded, taken back, never across kinds of tool or
// agents; and the bypass that ends by itself.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AgentPermissions } from '../../main/agents/permissions.ts';
import type { AgentView } from '../../main/contract/agents.ts';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { agentIn, type Desk, demoDraft, fixtureDraft, type Refused, startDesk } from './desk.ts';
import { scratch } from './supervise/family.ts';

let desk: Desk;
let count = 0;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk?.stop());
afterEach(async () => {
  for (const { pubkey } of await desk.call('agents.list', {})) await desk.call('agents.remove', { pubkey });
});

async function scripted(): Promise<AgentView> {
  count += 1;
  const draft = { ...fixtureDraft(desk, 'scripted.mjs'), name: `Scripted ${count}` };
  const { pubkey } = await desk.call('agents.create', draft);
  return agentIn(desk, pubkey, 'idle');
}
/** Says a word to the agent; the number keeps two of the same second apart. */
async function say(agent: AgentView, word: string): Promise<void> {
  count += 1;
  await desk.call('rooms.send', { id: 'general', content: `${count}\n${word}`, mentions: [agent.pubkey] });
}
const seen = new Set<string>();
/** The next request of the agent that is in this state. */
async function request(agent: AgentView, state: ApprovalView['state']): Promise<ApprovalView> {
  const view = await desk.until(
    'approvals.changed',
    each =>
      each.asker === agent.pubkey &&
      each.state === state &&
      !seen.has(each.id) &&
      (state !== 'answered' || each.outcome !== undefined),
  );
  seen.add(view.id);
  return view;
}
const approve = (view: ApprovalView, remember?: 'job' | 'always') =>
  desk.call('approvals.decide', {
    id: view.id,
    decision: 'approve',
    from: 'dashboard',
    ...(remember === undefined ? {} : { remember }),
  });
const deny = (view: ApprovalView) =>
  desk.call('approvals.decide', { id: view.id, decision: 'deny', from: 'dashboard' });
const permissionsFile = (agent: AgentView) => join(desk.home, 'agents', agent.pubkey, 'permissions.json');

test('always: used without asking and on record, kept on disk, taken back and asked again', async () => {
  const agent = await scripted();
  await say(agent, 'ask');
  await approve(await request(agent, 'open'), 'always');
  const { permissions } = await desk.call('agents.get', { pubkey: agent.pubkey });
  expect(permissions?.rules).toMatchObject([{ tool: 'execute', by: desk.owner }]);
  expect(readFileSync(permissionsFile(agent), 'utf8')).toContain('"execute"');

  const banners = desk.banners.length;
  await say(agent, 'ask');
  const used = await request(agent, 'answered');
  expect(used.answer).toMatchObject({
    decision: 'approved',
    author: desk.owner,
    from: 'rule',
    rule: 'it may always run commands',
  });
  expect(used.outcome).toBe('The agent was told yes and went on');
  expect(desk.banners.slice(banners).filter(banner => banner.approval === used.id)).toEqual([]);
  await agentIn(desk, agent.pubkey, 'idle');

  // Another kind of tool is asked.
  await say(agent, 'ask-edit');
  await deny(await request(agent, 'open'));

  const rule = permissions?.rules[0]?.id ?? '';
  const after = await desk.call('agents.forget', { pubkey: agent.pubkey, rule });
  expect(after.permissions?.rules).toEqual([]);
  await say(agent, 'ask');
  await deny(await request(agent, 'open'));
});

test('always holds over a start of the runner, and for no other agent', async () => {
  const [agent, other] = [await scripted(), await scripted()];
  await say(agent, 'ask');
  await approve(await request(agent, 'open'), 'always');
  await agentIn(desk, agent.pubkey, 'idle');
  await desk.call('agents.stop', { pubkey: agent.pubkey });
  await desk.call('agents.start', { pubkey: agent.pubkey });
  await say(agent, 'ask');
  expect((await request(agent, 'answered')).answer?.from).toBe('rule');
  await say(other, 'ask');
  await deny(await request(other, 'open'));
});

test('for this job: the rest of it is not asked, the next job is', async () => {
  const agent = await scripted();
  await say(agent, 'ask-in-turn');
  await approve(await request(agent, 'open'), 'job');
  await desk.until(
    'agents.changed',
    each => each.pubkey === agent.pubkey && each.recent[0]?.ending === 'done',
  );
  for (const _ of ['two', 'three']) {
    expect((await request(agent, 'answered')).answer).toMatchObject({
      from: 'rule',
      rule: 'it may run commands for this job',
    });
  }
  expect(existsSync(permissionsFile(agent))).toBe(false);
  expect((await desk.call('agents.get', { pubkey: agent.pubkey })).permissions?.rules).toEqual([]);
  await say(agent, 'ask');
  await deny(await request(agent, 'open'));
});

test('what a tool does cannot be said: it is approved once and never remembered', async () => {
  const agent = await scripted();
  await say(agent, 'ask-other');
  const view = await request(agent, 'open');
  const { failure } = await approve(view, 'always').then(
    () => Promise.reject(new Error('it worked')),
    (error: Refused) => error,
  );
  expect(failure.kind).toBe('invalid');
  await approve(view);
});

test('a bypass asks nothing, is seen on the agent, and ends when told', async () => {
  const { pubkey } = await desk.call('agents.create', demoDraft(desk));
  const agent = await agentIn(desk, pubkey, 'idle');
  const on = await desk.call('agents.bypass', { pubkey, minutes: 15 });
  expect(on.permissions?.bypass?.until).toBeGreaterThan(Date.now() + 14 * 60_000);
  await say(agent, 'write free.md: unasked');
  const passed = await request(agent, 'answered');
  expect(passed.answer).toMatchObject({ from: 'rule', rule: 'no questions were to be asked for a while' });
  const off = await desk.call('agents.bypass', { pubkey, minutes: 0 });
  expect(off.permissions?.bypass).toBe(null);
  await say(agent, 'write asked.md: asked');
  await deny(await request(agent, 'open'));
});

test('a bypass ends by itself, and a start of the program knows neither it nor permissions for one job', async () => {
  const folder = scratch();
  const by = 'a'.repeat(64);
  const ended = Promise.withResolvers<void>();
  const permissions = new AgentPermissions(folder, () => {
    if (permissions.standing.bypass === null && permissions.standing.rules.length === 2) ended.resolve();
  });
  permissions.remember({ by, tool: 'edit' });
  permissions.remember({ by, tool: 'edit' });
  permissions.remember({ by, tool: 'execute', job: 'b'.repeat(64) });
  permissions.bypass(by, 0.001);
  await ended.promise;
  const again = new AgentPermissions(folder, () => {});
  expect(again.standing).toMatchObject({ rules: [{ tool: 'edit' }], bypass: null });
  expect(again.standing.rules).toHaveLength(1);
  permissions.close();
  rmSync(folder, { recursive: true });
});
