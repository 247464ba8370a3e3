// One job: what was asked, how it stands, what came of it; its steps in the panel.

import { ActionIcon } from '@mantine/core';
import { IconTimeline } from '@tabler/icons-react';
import { useState } from 'react';
import type { JobAnswer, JobView } from '../../main/contract/jobs.ts';
import { useCall } from '../bridge.ts';
import { address } from '../frame/router.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useRooms } from '../parts/live.ts';
import { Markdown } from '../parts/markdown.tsx';
import { DetailPanel, Facts, PageColumn, Section, useSheet } from '../parts/page.tsx';
import { Person } from '../parts/person.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Elapsed, When } from '../parts/when.tsx';
import classes from './job.module.css';
import { CancelJob, Result } from './job-parts.tsx';
import { JobTimeline } from './job-timeline.tsx';
import { jobEnd, jobLine, jobState, jobTitle } from './job-words.ts';
import { useJobWaits } from './use-job-waits.ts';

export function JobPage({ id }: { id: string }) {
  const found = useCall('jobs.get', { id });
  if (found.data) return <Job job={found.data.item} answers={found.data.answers} />;
  return (
    <PageColumn title="Job">
      {found.isPending ? <RowSkeletons /> : null}
      <FailureNote error={found.error} onRetry={() => void found.refetch()} />
    </PageColumn>
  );
}

function Job({ job, answers }: { job: JobView; answers: JobAnswer[] }) {
  const waits = useJobWaits(job);
  const sheet = useSheet();
  const [panel, setPanel] = useState(!sheet);
  return (
    <PageColumn
      title={jobTitle(job)}
      lead={<StateMark state={jobState(job, waits !== undefined)} />}
      actions={
        <>
          <CancelJob job={job} />
          <ActionIcon
            size={36}
            aria-label="Timeline"
            title="Timeline"
            aria-pressed={panel}
            onClick={() => setPanel(!panel)}
          >
            <IconTimeline size={18} />
          </ActionIcon>
        </>
      }
      panel={
        panel ? (
          <DetailPanel title="Timeline" onClose={() => setPanel(false)}>
            <JobTimeline job={job} answers={answers} />
          </DetailPanel>
        ) : null
      }
    >
      <Section title="Asked">
        {job.content === '' ? (
          <p className={classes.line}>The subject says it all.</p>
        ) : (
          <Markdown text={job.content} />
        )}
      </Section>
      <Outcome job={job} waits={waits} />
      <Section title="Facts">
        <JobFacts job={job} />
      </Section>
    </PageColumn>
  );
}

function Outcome({ job, waits }: { job: JobView; waits: string | undefined }) {
  if (job.state === 'done' && job.result) {
    return (
      <Section title="Result">
        <Result answer={job.result} />
      </Section>
    );
  }
  return (
    <Section title={job.state === 'failed' ? 'Why it failed' : 'Newest'}>
      <p className={job.state === 'failed' ? classes.failed : classes.line}>
        {jobLine(job) || 'Nothing was said yet.'}
      </p>
      {waits !== undefined ? (
        <a href={address('approvals', waits)}>It asks for your approval. Open it</a>
      ) : null}
    </Section>
  );
}

function JobFacts({ job }: { job: JobView }) {
  const rooms = useRooms();
  const end = jobEnd(job);
  const since = job.created_at * 1000;
  const thread = job.root === undefined ? address('rooms', job.room) : address('rooms', job.room, job.root);
  return (
    <Facts
      rows={[
        ['Asked by', <Person key="by" pubkey={job.asker ?? job.requester} />],
        [
          'Asked of',
          <span key="of" className={classes.people}>
            {job.assignees.map(key => (
              <Person key={key} pubkey={key} />
            ))}
          </span>,
        ],
        [
          'Room',
          <a key="room" href={thread}>
            {rooms.find(room => room.id === job.room)?.name || job.room}
            {job.root === undefined ? '' : ', in a thread'}
          </a>,
        ],
        ['Asked', <When key="when" seconds={job.created_at} />],
        [end === undefined ? 'Open for' : 'Took', <Elapsed key="for" since={since} until={end} />],
        ...(job.expires === undefined
          ? []
          : ([['Lapses', <When key="lapses" seconds={job.expires} />]] as const)),
      ]}
    />
  );
}
