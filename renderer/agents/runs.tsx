// Runs: the one in progress as rows of verb, object and outcome; the recent ones with their endings, opened on a press.

import { Button, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { RunView } from '../../main/contract/agents.ts';
import { address } from '../frame/router.ts';
import { useNow } from '../parts/now.ts';
import { Person } from '../parts/person.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { span } from '../parts/time-words.ts';
import { Visible } from '../parts/verbatim.tsx';
import { Elapsed, When } from '../parts/when.tsx';
import classes from './agents.module.css';
import { groupSteps, type RowWeight, runState, type Step } from './run-rows.ts';

type InProgressProps = { run: RunView; agent: string; cancelling: boolean; onCancel: (() => void) | null };

export function RunInProgress({ run, agent, cancelling, onCancel }: InProgressProps) {
  return (
    <div className={classes.run} data-open data-phase={run.phase} data-run={run.run}>
      <div className={classes.runHead}>
        <StateMark state={runState(run)} />
        <span className={classes.runTitle}>
          <Visible text={run.subject || 'A request without a subject'} />
        </span>
        <span className={classes.small}>
          <Elapsed since={run.startedAt} />
        </span>
        {onCancel === null ? null : (
          <Button size="xs" variant="default" disabled={cancelling} onClick={onCancel}>
            {cancelling ? 'Cancelling' : 'Cancel run'}
          </Button>
        )}
      </div>
      <div className={classes.runHead} style={{ paddingTop: 0, minHeight: 0 }}>
        <RunPlace run={run} agent={agent} />
        {run.deadline === undefined ? null : <Deadline at={run.deadline} />}
      </div>
      <Steps steps={run.activity} />
    </div>
  );
}

/** A mention becomes a task the agent asks of itself: then who mentioned it is who asked. */
function RunPlace({ run, agent }: { run: RunView; agent: string }) {
  return (
    <span className={classes.small}>
      {run.requester === agent && run.asker === undefined ? (
        'mentioned in '
      ) : (
        <>
          {run.asker === undefined ? 'asked by ' : 'mentioned by '}
          <Person pubkey={run.asker ?? run.requester} size={16} /> in{' '}
        </>
      )}
      <a href={address('rooms', run.room, run.root)}>#{run.room}</a>
      {', '}
      <a href={address('jobs', run.run)}>task</a>
    </span>
  );
}

function Deadline({ at }: { at: number }) {
  const now = useNow();
  return (
    <span className={classes.small}>
      {at > now ? `ended by its time limit in ${span(at - now)}` : 'its time limit is over'}
    </span>
  );
}

function Steps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return null;
  return (
    <ol className={classes.steps}>
      {groupSteps(steps).map(group =>
        group.kind === 'step' ? (
          <StepRow key={group.step.id} step={group.step} weight={group.weight} />
        ) : (
          <Reads key={group.key} steps={group.steps} />
        ),
      )}
    </ol>
  );
}

function Reads({ steps }: { steps: readonly Step[] }) {
  const [open, setOpen] = useState(false);
  if (open) return steps.map(step => <StepRow key={step.id} step={step} weight="quiet" />);
  const last = steps.at(-1);
  return (
    <li>
      <UnstyledButton className={classes.fold} onClick={() => setOpen(true)}>
        Looked at {steps.length} things, last: {last === undefined ? '' : `${last.verb} ${last.object}`}
      </UnstyledButton>
    </li>
  );
}

const OUTCOMES: Readonly<Record<string, string>> = {
  pending: 'waits',
  running: 'under way',
  done: 'done',
  failed: 'failed',
};

function StepRow({ step, weight }: { step: Step; weight: RowWeight }) {
  return (
    <li className={classes.step} data-weight={weight} data-outcome={step.outcome}>
      <span className={classes.verb}>{step.verb}</span>
      <span className={classes.object}>
        <Visible text={step.object} />
        <StepDetail step={step} />
      </span>
      <span className={classes.small} style={weight === 'loud' ? { color: 'inherit' } : undefined}>
        {step.outcome === undefined ? '' : (OUTCOMES[step.outcome] ?? step.outcome)}
      </span>
    </li>
  );
}

/** What failed and what is planned speak at once; the rest is there for who asks. */
function StepDetail({ step }: { step: Step }) {
  const detail = step.detail?.trim() ?? '';
  if (detail === '') return null;
  const text = (
    <span className={classes.detail}>
      <Visible text={detail} />
    </span>
  );
  if (step.outcome === 'failed' || step.kind === 'plan') return text;
  return (
    <details>
      <summary className={classes.small}>Details</summary>
      {text}
    </details>
  );
}

export function RecentRuns({ runs, agent }: { runs: readonly RunView[]; agent: string }) {
  const [all, setAll] = useState(false);
  const newest = [...runs].sort((a, b) => (b.endedAt ?? b.startedAt) - (a.endedAt ?? a.startedAt));
  const shown = all ? newest : newest.slice(0, 10);
  return (
    <>
      {shown.map(run => (
        <details key={run.run} className={classes.recent} data-run={run.run}>
          <summary className={classes.row}>
            <span className={classes.lead}>
              <StateMark state={runState(run)} reason={run.reason} />
            </span>
            <span className={classes.rowText}>
              <Visible text={run.subject || 'A request without a subject'} />
            </span>
            <span className={classes.small}>
              {run.endedAt === undefined ? '' : `took ${span(run.endedAt - run.startedAt)}, `}
              <When ms={run.endedAt ?? run.startedAt} />
            </span>
          </summary>
          <div style={{ padding: '8px 8px 16px' }}>
            {run.reason === undefined || run.reason === '' ? null : (
              <p style={{ margin: '0 0 4px' }}>
                <Visible text={run.reason} />
              </p>
            )}
            <RunPlace run={run} agent={agent} />
            <Steps steps={run.activity} />
          </div>
        </details>
      ))}
      {newest.length > shown.length ? (
        <Button variant="subtle" size="xs" mt="sm" onClick={() => setAll(true)}>
          Show {newest.length - shown.length} older
        </Button>
      ) : null}
    </>
  );
}
