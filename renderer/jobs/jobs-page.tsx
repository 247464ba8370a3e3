// Jobs: all long work across rooms, filtered by state and agent, and the one at the address.

import { Button, SegmentedControl, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { JobView } from '../../main/contract/jobs.ts';
import { call } from '../bridge.ts';
import { address } from '../frame/router.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { useAgents, useRooms } from '../parts/live.ts';
import { PageColumn } from '../parts/page.tsx';
import { Person } from '../parts/person.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Elapsed, When } from '../parts/when.tsx';
import { askAgent } from './ask-agent.tsx';
import { JobPage } from './job-page.tsx';
import { jobEnd, jobLine, jobState, jobTitle } from './job-words.ts';
import classes from './jobs-page.module.css';
import { useWaiting } from './use-job-waits.ts';
import { waitsFor } from './waits.ts';

const states = [
  { value: 'all', label: 'All' },
  { value: 'open', label: 'Open' },
  { value: 'done', label: 'Done' },
  { value: 'failed', label: 'Failed' },
  { value: 'cancelled', label: 'Cancelled' },
] as const;
type StateFilter = (typeof states)[number]['value'];

export function JobsPage({ job }: { job: string | undefined }) {
  return job === undefined ? <JobList /> : <JobPage key={job} id={job} />;
}

function useJobs(state: StateFilter, agent: string | null) {
  const filter = { state, ...(agent === null ? {} : { agent }) };
  return useInfiniteQuery({
    // Begins like the plain call, so that what refreshes the one refreshes the other.
    queryKey: ['jobs.list', 'pages', filter],
    queryFn: ({ pageParam }) =>
      call('jobs.list', pageParam === '' ? filter : { ...filter, cursor: pageParam }),
    initialPageParam: '',
    getNextPageParam: page => (page.next_cursor === '' ? undefined : page.next_cursor),
  });
}

function JobList() {
  const [state, setState] = useState<StateFilter>('all');
  const [agent, setAgent] = useState<string | null>(null);
  const agents = useAgents();
  const waiting = useWaiting();
  const jobs = useJobs(state, agent);
  const items = jobs.data?.pages.flatMap(page => page.items) ?? [];
  const filtered = state !== 'all' || agent !== null;
  return (
    <PageColumn
      title="Jobs"
      actions={
        <Button size="xs" onClick={() => askAgent()}>
          Ask an agent
        </Button>
      }
    >
      <div className={classes.filters}>
        <SegmentedControl
          size="xs"
          aria-label="State"
          data={states.map(one => ({ ...one }))}
          value={state}
          onChange={value => setState(value as StateFilter)}
        />
        <Select
          size="xs"
          aria-label="Agent"
          placeholder="Every agent"
          clearable
          searchable
          data={agents.map(one => ({ value: one.pubkey, label: one.name }))}
          value={agent}
          onChange={setAgent}
        />
      </div>
      {jobs.isPending ? <RowSkeletons /> : null}
      <FailureNote error={jobs.error} onRetry={() => void jobs.refetch()} />
      {jobs.isSuccess && items.length === 0 ? (
        <NoJobs
          filtered={filtered}
          onAll={() => {
            setState('all');
            setAgent(null);
          }}
        />
      ) : null}
      <ul className={classes.jobs}>
        {items.map(job => (
          <JobRow key={job.id} job={job} waits={waitsFor(job, waiting) !== undefined} />
        ))}
      </ul>
      {jobs.hasNextPage ? (
        <Button
          size="xs"
          variant="default"
          mt="md"
          loading={jobs.isFetchingNextPage}
          onClick={() => void jobs.fetchNextPage()}
        >
          Load earlier jobs
        </Button>
      ) : null}
    </PageColumn>
  );
}

function NoJobs({ filtered, onAll }: { filtered: boolean; onAll: () => void }) {
  return filtered ? (
    <Empty sentence="No job is like that." action={{ label: 'Show all jobs', onClick: onAll }} />
  ) : (
    <Empty
      sentence="Nobody asked an agent for anything yet. A job is work that takes longer than an answer."
      action={{ label: 'Ask an agent', onClick: () => askAgent() }}
    />
  );
}

function JobRow({ job, waits }: { job: JobView; waits: boolean }) {
  const rooms = useRooms();
  const room = rooms.find(one => one.id === job.room)?.name || job.room;
  const end = jobEnd(job);
  return (
    <li className={classes.job}>
      <span className={classes.state}>
        <StateMark state={jobState(job, waits)} />
      </span>
      <a className={classes.what} href={address('jobs', job.id)}>
        <span className={classes.title}>{jobTitle(job)}</span>
        <span className={classes.line}>{jobLine(job)}</span>
      </a>
      <span className={classes.who}>
        {job.assignees.slice(0, 2).map(key => (
          <Person key={key} pubkey={key} size={18} />
        ))}
      </span>
      <span className={classes.room}>{room}</span>
      <span className={classes.when}>
        {end === undefined ? <Elapsed since={job.created_at * 1000} /> : <When ms={end} />}
      </span>
    </li>
  );
}
