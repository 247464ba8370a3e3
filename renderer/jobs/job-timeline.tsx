// The steps of a job, oldest first: who did what when, each as the signed event says it.

import type { JobAnswer, JobView } from '../../main/contract/jobs.ts';
import { Person } from '../parts/person.tsx';
import { When } from '../parts/when.tsx';
import classes from './job-timeline.module.css';
import { stepWord } from './job-words.ts';

const tones: Record<number, string> = {
  43002: 'running',
  43003: 'running',
  43004: 'done',
  43005: 'paused',
  43006: 'failed',
};

export function JobTimeline({ job, answers }: { job: JobView; answers: readonly JobAnswer[] }) {
  return (
    <ol className={classes.steps}>
      <Step kind={43001} author={job.requester} at={job.created_at} text={job.subject ?? ''} />
      {answers.map(answer => (
        <Step
          key={answer.id}
          kind={answer.kind}
          author={answer.provider}
          at={answer.created_at}
          text={answer.kind === 43004 ? '' : answer.content}
        />
      ))}
    </ol>
  );
}

function Step({ kind, author, at, text }: { kind: number; author: string; at: number; text: string }) {
  return (
    <li className={classes.step} data-tone={tones[kind] ?? 'paused'}>
      <span className={classes.dot} />
      <div className={classes.body}>
        <div className={classes.head}>
          <span className={classes.word}>{stepWord(kind)}</span>
          <span className={classes.when}>
            <When seconds={at} />
          </span>
        </div>
        <div className={classes.who}>
          <Person pubkey={author} size={16} />
        </div>
        {text === '' ? null : <p className={classes.text}>{text}</p>}
      </div>
    </li>
  );
}
