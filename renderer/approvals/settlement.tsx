// What became of a request: who answered, when, from where, and what the agent then did; or why nobody could.

import type { ApprovalView } from '../../main/contract/approvals.ts';
import { Person } from '../parts/person.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Visible } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import { answerWords } from './answer-words.ts';
import classes from './approvals.module.css';
import { outcomeOf, stateAt } from './inbox.ts';

const FROM = {
  dashboard: 'from the dashboard',
  banner: 'from the banner',
  tray: 'from the tray',
  rule: 'without asking',
} as const;

/** `now` in Unix seconds: an open request past its end reads expired. */
export function Settlement({ item, now }: { item: ApprovalView; now: number }) {
  const state = stateAt(item, now);
  if (state === 'open') return null;
  const { answer } = item;
  const outcome = outcomeOf(item);
  return (
    <div className={classes.settled} role="status">
      {answer === undefined ? (
        <>
          <StateMark state={state} reason={item.reason} />
          <span>{item.reason ?? UNANSWERED[state]}</span>
          {state === 'expired' && item.expires !== undefined ? <When seconds={item.expires} /> : null}
        </>
      ) : (
        <>
          <StateMark state={answer.decision} />
          <span>by</span>
          <Person pubkey={answer.author} />
          <When seconds={answer.created_at} />
          {answer.from === undefined ? null : (
            <span>
              {FROM[answer.from]}
              {answer.rule === undefined ? '' : `: ${answer.rule}`}
            </span>
          )}
          {answer.decision === 'replied' ? (
            <blockquote className={classes.quote}>
              <Visible text={answerWords(item, answer.content)} />
            </blockquote>
          ) : null}
        </>
      )}
      {outcome === null ? null : (
        <p className={classes.quote}>
          Then: <Visible text={outcome} />
        </p>
      )}
    </div>
  );
}

const UNANSWERED = {
  answered: 'It was answered.',
  expired: 'Nobody answered in time. The agent was told so; nothing was done.',
  withdrawn: 'The agent no longer asks.',
} as const;
