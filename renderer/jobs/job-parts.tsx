// Pieces of a job that its card and its page share: artifacts, the result, the Cancel button.

import { Button, Text } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import type { JobAnswer, JobView } from '../../main/contract/jobs.ts';
import { useAct } from '../bridge.ts';
import { tellFailure } from '../parts/failure.tsx';
import { Key } from '../parts/key.tsx';
import { Markdown, Outward } from '../parts/markdown.tsx';
import classes from './job.module.css';
import { artifactLink, artifactWord } from './job-words.ts';

/** What a result refers to: web addresses as links, events and pages by their id. */
export function Artifacts({ answer }: { answer: JobAnswer }) {
  const artifacts = answer.artifacts ?? [];
  if (artifacts.length === 0) return null;
  return (
    <ul className={classes.artifacts} aria-label="Artifacts">
      {artifacts.map(artifact => {
        const link = artifactLink(artifact);
        return (
          <li key={`${artifact.type} ${artifact.value}`}>
            <IconLink size={14} />
            <span className={classes.dim}>{artifactWord(artifact)}</span>
            {link ? (
              <Outward href={link}>{artifact.value}</Outward>
            ) : (
              <Key value={artifact.value} hex what="id" />
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The result as text with what it refers to. */
export function Result({ answer }: { answer: JobAnswer }) {
  return (
    <>
      {answer.content === '' ? (
        <Text c="dimmed">It ended without a text.</Text>
      ) : (
        <Markdown text={answer.content} />
      )}
      <Artifacts answer={answer} />
    </>
  );
}

/** Ends an open job at once: who sees an agent go wrong should not be asked whether they mean it (case I15). */
export function CancelJob({ job, compact = false }: { job: JobView; compact?: boolean }) {
  const cancel = useAct('jobs.cancel');
  if (job.state !== 'open') return null;
  const end = () =>
    cancel.mutate({ id: job.id }, { onError: error => tellFailure(error, 'The job was not cancelled') });
  return (
    <Button size={compact ? 'compact-xs' : 'xs'} variant="default" onClick={end} loading={cancel.isPending}>
      Cancel job
    </Button>
  );
}
