// Pushes from main applied to the answers kept, so that every page is live and none polls.

import type { AppState } from '../../main/contract/app.ts';
import type { CallInput, CallName, CallResult } from '../../main/contract/features.ts';
import { onPush, queries } from '../bridge.ts';

function keep<N extends CallName>(name: N, args: CallInput<N>, value: CallResult<N>): void {
  queries.setQueryData([name, args], value);
}

function change<N extends CallName>(
  name: N,
  args: CallInput<N>,
  how: (value: CallResult<N>) => CallResult<N>,
): void {
  queries.setQueryData<CallResult<N>>([name, args], old => (old === undefined ? undefined : how(old)));
}

const pending = new Set<string>();

/** Asks again, once for a burst of pushes. */
function refresh(name: CallName, ...args: unknown[]): void {
  const key = JSON.stringify([name, ...args]);
  if (pending.has(key)) return;
  pending.add(key);
  setTimeout(() => {
    pending.delete(key);
    void queries.invalidateQueries({ queryKey: [name, ...args] });
  }, 60);
}

function keepAgents(): void {
  onPush('agents.changed', agent => {
    keep('agents.get', { pubkey: agent.pubkey }, agent);
    change('agents.list', {}, list => {
      const known = list.some(other => other.pubkey === agent.pubkey);
      return known ? list.map(other => (other.pubkey === agent.pubkey ? agent : other)) : [...list, agent];
    });
  });
  onPush('agents.removed', ({ pubkey }) => {
    change('agents.list', {}, list => list.filter(agent => agent.pubkey !== pubkey));
    queries.removeQueries({ queryKey: ['agents.get', { pubkey }] });
  });
}

function keepApprovals(): void {
  onPush('approvals.changed', item => {
    change('approvals.get', { id: item.id }, old => ({ ...old, item }));
    refresh('approvals.get', { id: item.id });
    refresh('approvals.list');
  });
  onPush('approvals.counts', ({ open }) => change('app.state', {}, state => ({ ...state, waiting: open })));
}

function keepJobs(): void {
  onPush('jobs.changed', job => {
    change('jobs.get', { id: job.id }, old => ({ ...old, item: job }));
    refresh('jobs.get', { id: job.id });
    refresh('jobs.list');
  });
}

/** True when nothing stands in the way of asking main: the vault is open and the relay answers. */
function answers(state: AppState | undefined): boolean {
  return state?.vault.state === 'open' && state.connection.state === 'online';
}

/** What was refused while the vault was locked or the relay away is asked again once they are there. */
function takeState(state: AppState): void {
  const before = queries.getQueryData<AppState>(['app.state', {}]);
  keep('app.state', {}, state);
  if (answers(state) && !answers(before)) {
    void queries.invalidateQueries({ predicate: query => query.queryKey[0] !== 'app.state' });
  }
}

/** Starts applying pushes. Called once, before the first page is drawn. */
export function keepFresh(): void {
  onPush('app.state', takeState);
  onPush('app.people', people => keep('app.people', {}, people));
  onPush('settings.changed', settings => keep('settings.get', {}, settings));
  onPush('rooms.changed', rooms => keep('rooms.list', {}, rooms));
  onPush('rooms.stale', () => {
    for (const name of ['rooms.list', 'jobs.list', 'approvals.list', 'agents.list'] as const) refresh(name);
  });
  onPush('notices.recorded', () => refresh('notices.list'));
  onPush('callbacks.changed', list => {
    keep('callbacks.list', {}, list);
    refresh('callbacks.log');
  });
  keepAgents();
  keepApprovals();
  keepJobs();
}
