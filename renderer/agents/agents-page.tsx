// Every agent (seed, "Manage > Agents"): a table, a card of facts each, recent activity, counts, the kill switch.

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { AgentView } from '../../main/contract/agents.ts';
import { useCall } from '../bridge.ts';
import { address } from '../frame/router.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { useAppState } from '../parts/live.ts';
import { Facts, PageColumn, Section } from '../parts/page.tsx';
import { Person } from '../parts/person.tsx';
import { Picture } from '../parts/picture.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { When } from '../parts/when.tsx';
import { useAllAgents } from './acts.tsx';
import { AgentCard } from './agent-card.tsx';
import { type AgentCounts, countAgents, nowDoing } from './agent-words.ts';
import classes from './agents.module.css';
import { coverWords } from './grant-words.ts';
import { RecentActivity } from './recent-activity.tsx';

export function AgentsPage() {
  const list = useCall('agents.list', {});
  const [chosen, setChosen] = useState<string | null>(null);
  const agents = list.data ?? [];
  const counts = countAgents(agents);
  const active = agents.find(agent => agent.state !== 'revoked' && agent.state !== 'expired') ?? agents[0];
  const shown = agents.find(agent => agent.pubkey === chosen) ?? active;

  return (
    <PageColumn
      title="Agents"
      actions={
        <Button component="a" href={address('agents', 'new')} size="xs" leftSection={<IconPlus size={16} />}>
          New agent
        </Button>
      }
    >
      <FailureNote error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending ? <RowSkeletons rows={4} /> : null}
      {list.isSuccess && agents.length === 0 ? (
        <Empty
          sentence="No agents yet. An agent is a program that works for you here, under a grant you sign."
          action={{ label: 'Add an agent', href: address('agents', 'new') }}
        />
      ) : null}
      {shown === undefined ? null : (
        <>
          <AgentTable agents={agents} />
          <KillSwitch counts={counts} />
          <Section title="Grants">
            <div className={classes.cards}>
              {agents.map(agent => (
                <AgentCard
                  key={agent.pubkey}
                  agent={agent}
                  onActivity={() => showActivity(agent, setChosen)}
                />
              ))}
            </div>
          </Section>
          <div id="activity" style={{ scrollMarginTop: 16 }}>
            <Section title={`Recent activity of ${shown.name}`}>
              <RecentActivity agent={shown} />
            </Section>
          </div>
          <AccessPoints />
        </>
      )}
    </PageColumn>
  );
}

function showActivity(agent: AgentView, choose: (pubkey: string) => void): void {
  choose(agent.pubkey);
  requestAnimationFrame(() => document.getElementById('activity')?.scrollIntoView({ block: 'start' }));
}

function AgentTable({ agents }: { agents: readonly AgentView[] }) {
  return (
    <div className={classes.wide}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">State</th>
            <th scope="col" className={classes.inCard}>
              Grant covers
            </th>
            <th scope="col" className={classes.inCard}>
              Signed by
            </th>
            <th scope="col">Last event</th>
          </tr>
        </thead>
        <tbody>
          {agents.map(agent => (
            <tr key={agent.pubkey} data-agent={agent.pubkey}>
              <td>
                <a className={classes.name} href={address('agents', agent.pubkey)}>
                  <Picture pubkey={agent.pubkey} agent size={20} />
                  {agent.name}
                </a>
              </td>
              <td>
                <StateMark state={agent.state} reason={agent.reason} />
                <div className={classes.small}>{nowDoing(agent)}</div>
              </td>
              <td className={classes.inCard}>
                {agent.grant === null ? 'no grant' : coverWords(agent.grant.scope)}
              </td>
              <td className={classes.inCard}>
                {agent.grant === null ? '' : <Person pubkey={agent.grant.owner} size={18} />}
              </td>
              <td className={classes.small}>
                {agent.lastEvent === 0 ? 'never' : <When seconds={agent.lastEvent} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where programs reach the relay. */
function AccessPoints() {
  const relay = useAppState()?.relay;
  if (!relay?.url || !relay.http) return null;
  const http = relay.http.replace(/\/$/, '');
  const point = (value: string) => <span className={classes.mono}>{value}</span>;
  return (
    <Section title="Where programs reach the relay">
      <Facts
        rows={[
          ['Relay', point(relay.url)],
          ['HTTP', point(http)],
          ['MCP', point(`${http}/mcp`)],
        ]}
      />
    </Section>
  );
}

/** Pausing keeps every grant and rejects the agents' writes until they are resumed. */
function KillSwitch({ counts: { active, paused, revoked } }: { counts: AgentCounts }) {
  const { run, pending, error } = useAllAgents();
  return (
    <>
      <div className={classes.buttons} style={{ marginBottom: 24, alignItems: 'center' }}>
        <span className={classes.small} style={{ flex: '1 1 200px' }}>
          {active} active, {paused} paused, {revoked} revoked or expired
        </span>
        <Button
          variant="default"
          size="xs"
          disabled={active === 0 || pending !== null}
          onClick={() => run('pauseAll')}
        >
          {pending === 'pauseAll' ? 'Pausing' : 'Pause all agents'}
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={paused === 0 || pending !== null}
          onClick={() => run('resumeAll')}
        >
          {pending === 'resumeAll' ? 'Resuming' : 'Resume all agents'}
        </Button>
      </div>
      <FailureNote error={error} />
    </>
  );
}
