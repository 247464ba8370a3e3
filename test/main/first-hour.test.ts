// What a person does in the first hour, with no window open at any time: everything here lives in main (case G6).

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AgentView } from '../../main/contract/agents.ts';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { agentIn, type Desk, demoDraft, fixtureDraft, Refused, startDesk } from './desk.ts';

let desk: Desk;
let demo: AgentView;
let scripted: AgentView;
beforeAll(async () => {
  desk = await startDesk();
  demo = await desk.call('agents.create', demoDraft(desk));
  scripted = await desk.call('agents.create', { ...fixtureDraft(desk, 'scripted.mjs'), name: 'Scripted' });
  await agentIn(desk, demo.pubkey, 'idle');
  await agentIn(desk, scripted.pubkey, 'idle');
});
afterAll(() => desk?.stop());

/** Ids of approvals that earlier tests have seen. */
const known = new Set<string>();
beforeEach(async () => {
  for (const item of (await desk.call('approvals.list', {})).items) known.add(item.id);
});

const say = (agent: AgentView, content: string, room = 'general') =>
  desk.call('rooms.send', { id: room, content, mentions: [agent.pubkey] });

async function asked(fits: (view: ApprovalView) => boolean = () => true): Promise<ApprovalView> {
  return desk.until('approvals.changed', view => view.state === 'open' && !known.has(view.id) && fits(view));
}
const jobOf = (message: { id: string }, state: string) =>
  desk.until('jobs.changed', job => job.root === message.id && job.state === state);

test('G6 D15 a mention becomes a job, an approval and a file, and the answer is confirmed by the agent', async () => {
  const message = await say(demo, 'write hello.md: good morning');
  const request = await asked();
  expect(request).toMatchObject({
    asker: demo.pubkey,
    subject: 'Write hello.md',
    complete: true,
    room: 'general',
  });
  expect(request.action?.text).toContain('good morning');
  await desk.until('agents.changed', view => view.pubkey === demo.pubkey && view.state === 'waiting');
  expect(desk.program.app.state().waiting).toBe(1);
  expect(desk.tray?.waiting[0]?.id).toBe(request.id);
  expect(desk.banners.filter(banner => banner.approval === request.id)).toMatchObject([
    {
      category: 'approvals',
      title: 'Demo asks',
      actions: [{ action: 'approve' }, { action: 'deny' }, { action: 'reply' }],
    },
  ]);

  const answered = await desk.call('approvals.decide', {
    id: request.id,
    decision: 'approve',
    from: 'banner',
  });

  expect(answered).toMatchObject({
    state: 'answered',
    answer: { decision: 'approved', author: desk.owner, from: 'banner' },
  });
  expect((await jobOf(message, 'done')).result?.content).toContain('hello.md');
  expect(readFileSync(join(desk.home, 'demo-work', 'hello.md'), 'utf8')).toBe('good morning\n');
  await desk.until(
    'approvals.changed',
    view => view.id === request.id && view.outcome?.includes('told yes') === true,
  );
  await desk.until(
    'agents.changed',
    view => view.pubkey === demo.pubkey && view.lastReply?.delivered === true,
  );
  const { state, run, recent } = await agentIn(desk, demo.pubkey, 'idle');
  expect({ state, run, ending: recent[0]?.ending }).toEqual({ state: 'idle', run: null, ending: 'done' });
});

test('D21 F-55 the first press is final, the second is told by whom, when and from where', async () => {
  await say(demo, 'write twice.md: once');
  const { id } = await asked();
  const presses = await Promise.allSettled([
    desk.call('approvals.decide', { id, decision: 'deny', from: 'dashboard' }),
    desk.call('approvals.decide', { id, decision: 'deny', from: 'dashboard' }),
    desk.call('approvals.decide', { id, decision: 'approve', from: 'tray' }),
  ]);
  expect(presses.map(press => press.status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  const late = (presses[2] as PromiseRejectedResult).reason as Refused;
  expect(late.failure.kind).toBe('conflict');
  expect(late.failure.message).toMatch(/^Denied by you at \d\d:\d\d:\d\d from the dashboard\.$/);
  const { item, answers } = await desk.call('approvals.get', { id });
  expect(answers.length).toBe(1);
  expect(item.answer?.decision).toBe('denied');
  await desk.until(
    'approvals.changed',
    view => view.id === id && view.outcome?.includes('a person said no') === true,
  );
  expect(existsSync(join(desk.home, 'demo-work', 'twice.md'))).toBe(false);
});

test('D7 D8 two requests at once are two entries, and answering one leaves the other waiting', async () => {
  await say(scripted, 'please ask-two');
  const one = await asked(view => view.content.includes('one'));
  const two = await asked(view => view.content.includes('two'));
  expect(one.id).not.toBe(two.id);
  const list = await desk.call('approvals.list', { state: 'open' });
  expect(list.items.map(item => item.id).sort()).toEqual([one.id, two.id].sort());
  await desk.call('approvals.decide', { id: two.id, decision: 'deny', from: 'dashboard' });
  expect((await desk.call('approvals.get', { id: one.id })).item.state).toBe('open');
  await desk.call('approvals.decide', { id: one.id, decision: 'approve', from: 'dashboard' });
  const reply = await desk.until('rooms.event', ({ event }) => event.content.includes('one yes'));
  expect(reply.event.content).toContain('two no (denied)');
});

test('D12 a request whose run is cancelled reads withdrawn and can no longer be approved', async () => {
  const message = await say(demo, 'write never.md: nothing');
  const { id } = await asked();
  const job = await desk.until('jobs.changed', each => each.root === message.id && each.state === 'open');
  await desk.call('jobs.cancel', { id: job.id });
  const withdrawn = await desk.until(
    'approvals.changed',
    view => view.id === id && view.state === 'withdrawn',
  );
  expect(withdrawn.reason).toBeTruthy();
  const late = await desk
    .call('approvals.decide', { id, decision: 'approve', from: 'dashboard' })
    .catch(error => error);
  expect(late).toBeInstanceOf(Refused);
  expect(late.failure).toMatchObject({
    kind: 'conflict',
    message: expect.stringMatching(/^It was withdrawn/),
  });
  expect((await desk.call('approvals.list', { state: 'expired' })).items.map(item => item.id)).toContain(id);
  expect((await desk.call('jobs.get', { id: job.id })).item.state).not.toBe('open');
  const { recent } = await agentIn(desk, demo.pubkey, 'idle');
  expect(recent[0]?.ending).toBe('cancelled');
  expect(existsSync(join(desk.home, 'demo-work', 'never.md'))).toBe(false);
});

test('a reply in words leaves the prompt of a running agent open until it is decided', async () => {
  await say(demo, 'write asked.md: words');
  const { id } = await asked();
  const replied = await desk.call('approvals.reply', { id, content: 'What is it for?' });
  expect(replied.state).toBe('open');
  const decided = await desk.call('approvals.decide', { id, decision: 'approve', from: 'dashboard' });
  expect(decided.answer?.decision).toBe('approved');
  await desk.until('approvals.changed', view => view.id === id && view.outcome !== undefined);
});

test('D12 a prompt of an agent that is stopped is withdrawn at once', async () => {
  await say(scripted, 'please ask');
  const { id } = await asked(view => view.asker === scripted.pubkey);
  await desk.call('agents.stop', { pubkey: scripted.pubkey });
  const view = await desk.until('approvals.changed', each => each.id === id && each.state !== 'open');
  expect(view.state).toBe('withdrawn');
  await desk.call('agents.start', { pubkey: scripted.pubkey });
  // The interrupted work is tried once more and asks anew.
  const again = await asked(each => each.asker === scripted.pubkey && each.id !== id);
  await desk.call('approvals.decide', { id: again.id, decision: 'deny', from: 'dashboard' });
  await agentIn(desk, scripted.pubkey, 'idle');
});

test('D5 an action too long to be shown whole is refused to the agent and never offered', async () => {
  const message = await say(scripted, 'please ask-long');
  const job = await desk.until('jobs.changed', each => each.root === message.id && each.state !== 'open');
  expect(job).toMatchObject({ state: 'failed', error: { content: expect.stringContaining('refused') } });
  const { items } = await desk.call('approvals.list', { state: 'open' });
  expect(items).toEqual([]);
});

test('a job the person asks for can be cancelled by them, once', async () => {
  const job = await desk.call('jobs.request', {
    room: 'general',
    assignees: [demo.pubkey],
    subject: 'Slow work',
    content: 'slow: write slow.md: later',
  });
  await desk.until('jobs.changed', each => each.id === job.id && each.status === 'running');
  const cancelled = await desk.call('jobs.cancel', { id: job.id });
  expect(cancelled.state).toBe('cancelled');
  await agentIn(desk, demo.pubkey, 'idle');
  const mine = await desk.call('jobs.list', { agent: demo.pubkey, state: 'cancelled' });
  expect(mine.items.map(each => each.id)).toContain(job.id);
  const late = await desk.call('jobs.cancel', { id: job.id }).catch(error => error);
  expect(late.failure.kind).toBe('conflict');
});

test('health names every process and finds nothing wrong', async () => {
  const processes = await desk.call('health.processes', {});
  expect(processes.map(row => row.what)).toEqual(
    expect.arrayContaining(['main', 'relay', 'runner of Demo', 'program of Demo', 'runner of Scripted']),
  );
  const checks = await desk.call('health.check', {});
  const found = checks.filter(check => check.id !== 'disk').map(check => [check.id, check.state]);
  expect(Object.fromEntries(found)).toEqual({
    relay: 'good',
    connection: 'good',
    vault: 'good',
    agents: 'good',
    delivery: 'good',
    leftovers: 'good',
    memory: 'good',
  });
});
