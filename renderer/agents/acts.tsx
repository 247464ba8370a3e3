// What a person may do to an agent, each with its confirmation, its failure and its effect on what is shown.

import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AgentView } from '../../main/contract/agents.ts';
import { call, queries } from '../bridge.ts';
import { goInstead } from '../frame/router.ts';
import { tell } from '../parts/failure.tsx';

export type AgentAct = 'start' | 'stop' | 'pause' | 'resume' | 'revoke';

/** Puts a view main just gave into the list and the agent's own page. */
export function takeAgent(agent: AgentView): void {
  queries.setQueryData(['agents.get', { pubkey: agent.pubkey }], agent);
  queries.setQueryData<AgentView[]>(['agents.list', {}], list =>
    list?.map(other => (other.pubkey === agent.pubkey ? agent : other)),
  );
}

/** The buttons of one agent: `act` runs, `pending` names what is under way, `error` is the last failure. */
export function useAgentActs(pubkey: string) {
  const acting = useMutation<AgentView, Error, AgentAct>({
    mutationFn: act => call(`agents.${act}`, { pubkey }),
    onSuccess: takeAgent,
  });
  const removing = useMutation<unknown, Error, void>({
    mutationFn: () => call('agents.remove', { pubkey }),
    onSuccess: () => goInstead('#/agents'),
  });
  const cancelling = useMutation<unknown, Error, string>({
    mutationFn: run => call('agents.cancel', { pubkey, run }),
  });
  return {
    act: acting.mutate,
    remove: removing.mutate,
    cancel: cancelling.mutate,
    pending: acting.isPending ? acting.variables : removing.isPending ? 'remove' : null,
    cancelling: cancelling.isPending,
    error: acting.error ?? removing.error ?? cancelling.error,
  };
}
export type AgentActs = ReturnType<typeof useAgentActs>;

type Question = { title: string; what: ReactNode; yes: string; no: string; act: () => void };

function confirm({ title, what, yes, no, act }: Question): void {
  modals.openConfirmModal({
    title,
    children: what,
    labels: { confirm: yes, cancel: no },
    // Red with enough contrast for its white label in both schemes.
    confirmProps: { color: 'red.9' },
    closeButtonProps: { 'aria-label': 'Close' },
    onConfirm: act,
  });
}

export function confirmRevoke(agent: AgentView, act: () => void): void {
  confirm({
    title: `Revoke ${agent.name}?`,
    what: (
      <Text>
        Its grant ends at once: the relay refuses whatever it publishes and its program is stopped. What it
        wrote stays, and the grant stays stored so that it can be looked up. Giving it access again takes a
        new grant.
      </Text>
    ),
    yes: 'Revoke',
    no: 'Keep it',
    act,
  });
}

export function confirmRemove(agent: AgentView, act: () => void): void {
  confirm({
    title: `Remove ${agent.name} from this computer?`,
    what: (
      <>
        <Text>It is stopped and its grant revoked. Then these are deleted and cannot be brought back:</Text>
        <ul>
          <li>its key: nothing can ever again be signed as this agent</li>
          <li>
            its queue{agent.queue.length > 0 ? ` with ${agent.queue.length} waiting` : ''} and its journal
            {agent.undelivered > 0 ? `, with ${agent.undelivered} events the relay has not received` : ''}
          </li>
          <li>its log</li>
        </ul>
        <Text>
          What it wrote in rooms stays.{' '}
          {agent.program === null ? '' : `Files in ${agent.program.cwd} are not touched.`}
        </Text>
      </>
    ),
    yes: 'Remove',
    no: 'Keep it',
    act,
  });
}

export function confirmStop(agent: AgentView, act: () => void): void {
  if (agent.run === null || agent.run.phase === 'ended') {
    act();
    return;
  }
  confirm({
    title: `Stop ${agent.name} while it works?`,
    what: <Text>Its run ends as cancelled. What waits in its queue is kept for the next start.</Text>,
    yes: 'Stop agent',
    no: 'Let it go on',
    act,
  });
}

/** The kill switch: every agent at once. */
export function useAllAgents() {
  const run = useMutation<{ changed: number }, Error, 'pauseAll' | 'resumeAll'>({
    mutationFn: which => call(`agents.${which}`, {}),
    onSuccess: ({ changed }, which) => {
      const agents = changed === 1 ? '1 agent' : `${changed} agents`;
      tell(which === 'pauseAll' ? `${agents} paused` : `${agents} resumed`);
      void queries.invalidateQueries({ queryKey: ['agents.list'] });
    },
  });
  return { run: run.mutate, pending: run.isPending ? run.variables : null, error: run.error };
}
