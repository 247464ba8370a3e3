// Health: each check with what was found and what to do, the processes of the program, and its log.

import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { LogLine } from '../../main/contract/agents.ts';
import type { AppState } from '../../main/contract/app.ts';
import type { HealthCheck } from '../../main/contract/health.ts';
import { Lasting } from '../agents/lasting.tsx';
import { joinLines, MOST_LINES } from '../agents/log-lines.ts';
import { LogView } from '../agents/log-view.tsx';
import { call, queries, usePush } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useAppState } from '../parts/live.ts';
import { Facts, PageColumn, Section } from '../parts/page.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Visible } from '../parts/verbatim.tsx';
import classes from './health.module.css';
import { memoryWords, summaryOf, worstFirst } from './health-words.ts';

export function HealthPage() {
  // What is found is of now, not of the last visit.
  const checks = useQuery({ queryKey: ['health.check'], queryFn: () => call('health.check', {}), gcTime: 0 });
  const processes = useQuery({
    queryKey: ['health.processes'],
    queryFn: () => call('health.processes', {}),
    gcTime: 0,
  });
  const busy = checks.isFetching || processes.isFetching;
  return (
    <PageColumn
      title="Health"
      lead={
        checks.data === undefined ? null : <span className={classes.quiet}>{summaryOf(checks.data)}</span>
      }
      actions={
        <Button
          size="xs"
          variant="default"
          disabled={busy}
          onClick={() => {
            void checks.refetch();
            void processes.refetch();
          }}
        >
          {busy ? 'Checking' : 'Check again'}
        </Button>
      }
    >
      <Section title="Checks">
        <FailureNote error={checks.error} onRetry={() => void checks.refetch()} />
        {checks.isPending ? <RowSkeletons rows={5} /> : null}
        {worstFirst(checks.data ?? []).map(check => (
          <Check key={check.id} check={check} />
        ))}
      </Section>
      <Relay />
      <Section title="Processes">
        <FailureNote error={processes.error} onRetry={() => void processes.refetch()} />
        {processes.isPending ? <RowSkeletons rows={3} /> : null}
        {processes.data?.map(row => (
          <div key={row.pid} className={classes.row}>
            <span className={classes.words}>{row.what}</span>
            <span className={classes.quiet}>
              pid {row.pid}
              {row.memory === undefined ? '' : `, ${memoryWords(row.memory)}`}, <Lasting since={row.since} />
            </span>
          </div>
        ))}
      </Section>
      <Log />
    </PageColumn>
  );
}

function Check({ check }: { check: HealthCheck }) {
  return (
    <div className={classes.row} data-check={check.id}>
      <span className={classes.mark}>
        <StateMark state={check.state} />
      </span>
      <span className={classes.words}>
        <strong>{check.name}</strong>
        <span className={classes.finding}>
          <Visible text={check.finding} />
        </span>
        {check.advice === undefined ? null : <span className={classes.advice}>{check.advice}</span>}
      </span>
    </div>
  );
}

function Relay() {
  const state = useAppState();
  const restart = useMutation<AppState, Error, void>({
    mutationFn: () => call('app.restartRelay', {}),
    onSuccess: next => queries.setQueryData(['app.state', {}], next),
  });
  if (state === undefined) return null;
  const { relay, connection, version, home } = state;
  return (
    <Section
      title="Relay"
      actions={
        <Button size="xs" variant="default" disabled={restart.isPending} onClick={() => restart.mutate()}>
          {restart.isPending ? 'Restarting' : 'Restart the relay'}
        </Button>
      }
    >
      <FailureNote error={restart.error} />
      <Facts
        rows={[
          [
            'Process',
            <span key="relay">
              <StateMark as="plain" state={relay.state} reason={relay.reason} />{' '}
              <Lasting since={relay.since} />
              {relay.reason === undefined ? null : <span className={classes.finding}>{relay.reason}</span>}
            </span>,
          ],
          [
            'Connection',
            <span key="connection">
              <StateMark as="plain" state={connection.state} reason={connection.reason} />{' '}
              <Lasting since={connection.since} />
              {connection.reason === undefined ? null : (
                <span className={classes.finding}>{connection.reason}</span>
              )}
            </span>,
          ],
          ['Address', relay.url ?? 'none yet'],
          ['Folder', home],
          ['Version', version],
        ]}
      />
    </Section>
  );
}

function Log() {
  const [pushed, setPushed] = useState<LogLine[]>([]);
  const asked = useQuery({ queryKey: ['health.log'], queryFn: () => call('health.log', {}), gcTime: 0 });
  usePush('health.log', line => setPushed(lines => [...lines.slice(-MOST_LINES), line]));
  return (
    <Section title="Log">
      {asked.isPending ? <RowSkeletons rows={4} height={20} /> : null}
      <FailureNote error={asked.error} onRetry={() => void asked.refetch()} />
      {asked.data === undefined ? null : <LogView lines={joinLines(asked.data, pushed)} />}
    </Section>
  );
}
