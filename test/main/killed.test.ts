// The desktop killed with SIGKILL while it works, and what the next start makes of it.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentView } from '../../main/contract/agents.ts';
import { agentIn, type Desk, demoDraft, fixtureDraft, startDesk } from './desk.ts';
import { KillableDesk } from './killed-desk.ts';
import { living, scratch } from './supervise/family.ts';

let home: string;
let first: KillableDesk | null;
let second: Desk | null;
beforeEach(() => {
  home = scratch();
  first = null;
  second = null;
});
afterEach(async () => {
  await second?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function untilGone(pids: number[], ms: number): Promise<number[]> {
  const deadline = performance.now() + ms;
  let left = await living(pids);
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 50));
    left = await living(left);
  }
  return left;
}

async function withAgent(draft: ReturnType<typeof demoDraft>): Promise<[KillableDesk, AgentView]> {
  first = await KillableDesk.start(home);
  const agent = await first.call('agents.create', draft);
  return [first, agent];
}

test('A5 A11 D12 F-50 F-55 killed while an approval waits: nothing is left, nothing is answered twice, all of it reads true', async () => {
  const [desk, agent] = await withAgent(demoDraft({ home }));
  const sent = await desk.call('rooms.send', {
    id: 'general',
    content: 'write late.md: text',
    mentions: [agent.pubkey],
  });
  const asked = await desk.until('approvals.changed', view => view.state === 'open');
  const pids = await desk.pids();
  expect(pids.length).toBe(4);
  await desk.kill();
  expect(await untilGone(pids, 5_000)).toEqual([]);

  second = await startDesk(home);
  const old = await second
    .until('approvals.changed', view => view.id === asked.id && view.state !== 'open')
    .catch(() => null);
  expect(old?.state).toBe('withdrawn');
  const press = await second
    .call('approvals.decide', { id: asked.id, decision: 'approve', from: 'dashboard' })
    .catch(error => error.failure);
  expect(press.kind).toBe('conflict');
  expect(existsSync(join(home, 'demo-work', 'late.md'))).toBe(false);

  // The interrupted work is tried once more, and asks anew.
  const again = await second.until(
    'approvals.changed',
    view => view.state === 'open' && view.id !== asked.id,
  );
  await second.call('approvals.decide', { id: again.id, decision: 'approve', from: 'dashboard' });
  await second.until('agents.changed', view => view.recent[0]?.ending === 'done');
  // The run ends before its reply has left the outbox.
  await second.until('agents.changed', view => view.lastReply?.delivered === true);
  await agentIn(second, agent.pubkey, 'idle');
  const { replies } = await second.call('rooms.thread', { id: 'general', event: sent.id });
  const answers = replies.filter(
    event =>
      event.pubkey === agent.pubkey &&
      event.content.includes('late.md') &&
      !event.tags.some(tag => tag[0] === 'request'),
  );
  expect(answers.length).toBe(1);
  const jobs = (await second.call('jobs.list', {})).items.filter(job => job.root === sent.id);
  expect(jobs.filter(job => job.state === 'open')).toEqual([]);
});

test('A5 F-50 killed while a deaf program works: its whole tree is gone within seconds or at the next start', async () => {
  const [desk, agent] = await withAgent(fixtureDraft({ home }, 'ignores-signals.mjs'));
  await desk.call('rooms.send', { id: 'general', content: 'work', mentions: [agent.pubkey] });
  await desk.until('agents.changed', view => view.run?.phase === 'running');
  let pids = await desk.pids();
  while (pids.length < 5) pids = await desk.pids();
  await desk.kill();
  const left = await untilGone(pids, 5_000);
  second = await startDesk(home);
  expect(await living(left)).toEqual([]);
  const view = await second.call('agents.get', { pubkey: agent.pubkey });
  const runs = [...(view.run ? [view.run] : []), ...view.recent];
  expect(runs.length).toBe(1);
  expect(left).toEqual([]);
});

test('A5 the runner was killed with main: what it left is named and ended by the next start', async () => {
  const [desk, agent] = await withAgent(fixtureDraft({ home }, 'ignores-signals.mjs'));
  await desk.call('rooms.send', { id: 'general', content: 'work', mentions: [agent.pubkey] });
  await desk.until('agents.changed', view => view.run?.phase === 'running');
  let pids = await desk.pids();
  while (pids.length < 5) pids = await desk.pids();
  const runner = agent.process?.pid;
  await desk.kill();
  if (runner !== undefined && (await living([runner])).length > 0) process.kill(runner, 'SIGKILL');
  const orphans = await living(pids);
  expect(orphans.length).toBeGreaterThan(0);

  second = await startDesk(home);

  expect(await living(orphans)).toEqual([]);
  const check = (await second.call('health.check', {})).find(each => each.id === 'leftovers');
  expect(check?.state).toBe('warning');
  expect(check?.finding).toMatch(/^Ended what an earlier start left behind: /);
});
