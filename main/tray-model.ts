// What the tray shows of the whole: does anything wait, work, or need a person.

import type { AgentView } from './contract/agents.ts';
import type { ApprovalView } from './contract/approvals.ts';
import type { TrayModel } from './shell/shell.ts';

const MOST = 5;

/** The model for what is open and what agents do. */
export function trayModel(open: ApprovalView[], agents: AgentView[]): TrayModel {
  const running = agents.flatMap(agent => {
    if (agent.run === null) return [];
    const { subject, startedAt } = agent.run;
    return [{ pubkey: agent.pubkey, name: agent.name, since: startedAt, what: subject }];
  });
  const problem = agents.find(
    agent => agent.local && (agent.state === 'suspended' || agent.state === 'backing-off'),
  );
  const waiting = open.slice(0, MOST).map(view => {
    const subject = view.subject || view.content.split('\n')[0] || 'A request';
    return { id: view.id, title: subject.slice(0, 60), whole: view.content };
  });
  const base = { waiting, running: running.slice(0, MOST) };
  if (open.length > 0) {
    return {
      ...base,
      state: 'waiting',
      tooltip: open.length === 1 ? '1 request waits' : `${open.length} requests wait`,
    };
  }
  if (problem)
    return { ...base, state: 'problem', tooltip: `${problem.name}: ${problem.reason ?? problem.state}` };
  if (running.length > 0) {
    return { ...base, state: 'working', tooltip: `${running.map(each => each.name).join(', ')} at work` };
  }
  return { ...base, state: 'idle', tooltip: 'Nothing waits' };
}
