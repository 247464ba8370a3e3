// One agent (look.md, "The agent page"): state and one button, the run in progress, the queue, recent runs, what did
// not arrive, activity and log; its facts in the panel.

import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import type { AgentView } from '../../main/contract/agents.ts';
import { failureOf, useCall } from '../bridge.ts';
import { address } from '../frame/router.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { PageColumn, Section, useSheet } from '../parts/page.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { type AgentActs, confirmRemove, confirmRevoke, confirmStop, useAgentActs } from './acts.tsx';
import { AgentLog } from './agent-log.tsx';
import { AgentPanel } from './agent-panel.tsx';
import { AgentBypass } from './agent-permissions.tsx';
import { AgentStatus } from './agent-status.tsx';
import { canPause, hasActiveGrant, primaryAction } from './agent-words.ts';
import { Deliveries } from './deliveries.tsx';
import { Queue } from './queue.tsx';
import { RecentActivity } from './recent-activity.tsx';
import { RecentRuns, RunInProgress } from './runs.tsx';

export function AgentPage({ pubkey }: { pubkey: string }) {
  const one = useCall('agents.get', { pubkey });
  if (one.data !== undefined) return <Agent agent={one.data} />;
  const missing = one.error !== null && failureOf(one.error).kind === 'not-found';
  return (
    <PageColumn title="Agent">
      {one.isPending ? <RowSkeletons rows={5} /> : null}
      {missing ? (
        <Empty
          sentence="There is no such agent here any more."
          action={{ label: 'All agents', href: '#/agents' }}
        />
      ) : (
        <FailureNote error={one.error} onRetry={() => void one.refetch()} />
      )}
    </PageColumn>
  );
}

function Agent({ agent }: { agent: AgentView }) {
  const acts = useAgentActs(agent.pubkey);
  const sheet = useSheet();
  const [facts, setFacts] = useState(!sheet);
  const running = agent.run !== null && agent.run.phase !== 'ended' ? agent.run : null;
  return (
    <PageColumn
      title={agent.name}
      lead={<StateMark state={agent.state} reason={agent.reason} />}
      actions={
        <>
          <Primary agent={agent} acts={acts} />
          <MoreActs agent={agent} acts={acts} />
          <ActionIcon
            aria-label={facts ? 'Hide the facts' : 'Show the facts'}
            aria-pressed={facts}
            title="Facts"
            size={32}
            onClick={() => setFacts(!facts)}
          >
            <IconInfoCircle size={18} />
          </ActionIcon>
        </>
      }
      panel={facts ? <AgentPanel agent={agent} onClose={() => setFacts(false)} /> : null}
    >
      <FailureNote error={acts.error} />
      <AgentBypass agent={agent} />
      <AgentStatus agent={agent} />
      {running === null ? null : (
        <Section title="Now">
          <RunInProgress
            run={running}
            agent={agent.pubkey}
            cancelling={acts.cancelling}
            onCancel={agent.local ? () => acts.cancel(running.run) : null}
          />
        </Section>
      )}
      {agent.queue.length > 0 ? (
        <Section title={`Queue, ${agent.queue.length} waiting`}>
          <Queue agent={agent} />
        </Section>
      ) : null}
      <Deliveries agent={agent} />
      {agent.recent.length > 0 ? (
        <Section title="Recent runs">
          <RecentRuns runs={agent.recent} agent={agent.pubkey} />
        </Section>
      ) : null}
      <Section title="Recent activity">
        <RecentActivity agent={agent} />
      </Section>
      {agent.local ? <AgentLog agent={agent} /> : null}
    </PageColumn>
  );
}

type ActsProps = { agent: AgentView; acts: AgentActs };

function Primary({ agent, acts }: ActsProps) {
  const action = primaryAction(agent);
  if (action === null) return null;
  const busy = acts.pending !== null;
  if (action === 'stop') {
    return (
      <Button
        size="xs"
        variant="default"
        disabled={busy}
        onClick={() => confirmStop(agent, () => acts.act('stop'))}
      >
        {acts.pending === 'stop' ? 'Stopping' : 'Stop'}
      </Button>
    );
  }
  return (
    <Button size="xs" disabled={busy} onClick={() => acts.act(action)}>
      {action === 'start'
        ? acts.pending === 'start'
          ? 'Starting'
          : 'Start'
        : acts.pending === 'resume'
          ? 'Resuming'
          : 'Resume'}
    </Button>
  );
}

function MoreActs({ agent, acts }: ActsProps) {
  const busy = acts.pending !== null;
  const active = hasActiveGrant(agent);
  if (agent.grant === null && !agent.local) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label="More actions" title="More actions" size={32}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {canPause(agent) ? (
          <Menu.Item disabled={busy} onClick={() => acts.act('pause')}>
            Pause its grant
          </Menu.Item>
        ) : null}
        {agent.grant === null ? null : (
          <Menu.Item component="a" href={address('agents', agent.pubkey, 'edit')}>
            {active ? 'Edit its grant' : 'Grant it again'}
          </Menu.Item>
        )}
        {active ? (
          <Menu.Item disabled={busy} onClick={() => confirmRevoke(agent, () => acts.act('revoke'))}>
            Revoke its grant…
          </Menu.Item>
        ) : null}
        {agent.local ? (
          <Menu.Item color="red" disabled={busy} onClick={() => confirmRemove(agent, () => acts.remove())}>
            Remove from this computer…
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
