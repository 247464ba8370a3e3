// A job where it was asked for: open while it runs, one line when it is done.

import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { memo, useId, useState } from 'react';
import type { JobView } from '../../main/contract/jobs.ts';
import { address } from '../frame/router.ts';
import { Person } from '../parts/person.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Elapsed, When } from '../parts/when.tsx';
import classes from './job.module.css';
import { CancelJob, Result } from './job-parts.tsx';
import { jobEnd, jobLine, jobState, jobTitle } from './job-words.ts';
import { useJobWaits } from './use-job-waits.ts';

export type JobCardProps = {
  job: JobView;
  /** The approval it waits for stands right beside it, so the card does not point at it. */
  asksBeside?: boolean;
};

export const JobCard = memo(function JobCard({ job, asksBeside = false }: JobCardProps) {
  const waits = useJobWaits(job);
  const running = job.state === 'open';
  const [unfolded, setUnfolded] = useState(false);
  const open = running || unfolded;
  const body = useId();
  const end = jobEnd(job);
  return (
    <section className={classes.card} data-state={job.state} aria-label={`Job: ${jobTitle(job)}`}>
      <div className={classes.cardHead}>
        {running ? null : (
          <UnstyledButton
            className={classes.fold}
            aria-expanded={open}
            aria-controls={body}
            aria-label={open ? 'Fold the job' : 'Unfold the job'}
            onClick={() => setUnfolded(!unfolded)}
          >
            <IconChevronRight size={16} data-open={open || undefined} />
          </UnstyledButton>
        )}
        <StateMark state={jobState(job, waits !== undefined)} />
        <span className={classes.cardLine}>
          <a className={classes.cardTitle} href={address('jobs', job.id)}>
            {jobTitle(job)}
          </a>
          {open || job.state === 'cancelled' ? null : <span className={classes.cameOf}>{jobLine(job)}</span>}
        </span>
        <span className={classes.dim}>
          {running ? <Elapsed since={job.created_at * 1000} /> : <When ms={end ?? job.created_at * 1000} />}
        </span>
        {running ? <CancelJob job={job} compact /> : null}
      </div>
      {open ? (
        <div className={classes.cardBody} id={body}>
          <CardBody job={job} waits={asksBeside ? undefined : waits} />
        </div>
      ) : null}
    </section>
  );
});

function CardBody({ job, waits }: { job: JobView; waits: string | undefined }) {
  const line = jobLine(job);
  return (
    <>
      {job.state === 'done' && job.result ? <Result answer={job.result} /> : null}
      {job.state === 'failed' ? <p className={classes.failed}>{line}</p> : null}
      {job.state === 'cancelled' ? <p className={classes.line}>{line}</p> : null}
      {job.state === 'open' && line !== '' ? (
        <p className={classes.line} role="status">
          {line}
        </p>
      ) : null}
      {waits !== undefined ? (
        <a href={address('approvals', waits)}>It asks for your approval. Open it</a>
      ) : null}
      <div className={classes.cardFoot}>
        {job.assignees.map(key => (
          <Person key={key} pubkey={key} size={18} />
        ))}
      </div>
    </>
  );
}
