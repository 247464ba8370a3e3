// History, a row each: how it ended, what it was, who asked and who answered, when.

import type { ApprovalView } from '../../main/contract/approvals.ts';
import { address } from '../frame/router.ts';
import { partyOf, usePeople } from '../parts/live.ts';
import { StateMark, type StateName } from '../parts/state-mark.tsx';
import { Visible } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import classes from './approvals.module.css';
import { outcomeOf, settledAt, stateAt, titleOf } from './inbox.ts';

function originWords(answer: ApprovalView['answer']): string {
  if (answer?.from === undefined) return '';
  return answer.from === 'rule' ? ` without asking: ${answer.rule}` : ` from the ${answer.from}`;
}

export function HistoryRows({ items }: { items: readonly ApprovalView[] }) {
  const people = usePeople();
  const now = Math.floor(Date.now() / 1000);
  return items.map(item => {
    const state: StateName = item.answer?.decision ?? stateAt(item, now);
    const asker = partyOf(people, item.asker).name;
    const answerer = item.answer === undefined ? null : partyOf(people, item.answer.author);
    const by = answerer === null ? '' : `, answered by ${answerer.me ? 'you' : answerer.name}`;
    const outcome = outcomeOf(item);
    const from = originWords(item.answer);
    return (
      <a
        key={item.id}
        className={classes.row}
        href={address('approvals', item.id)}
        data-approval-row={item.id}
      >
        <span>
          <StateMark state={state} reason={item.reason} />
        </span>
        <span style={{ minWidth: 0 }}>
          <span className={classes.rowTitle} style={{ display: 'block' }}>
            <Visible text={titleOf(item)} />
          </span>
          <span className={classes.rowMeta}>
            asked by {asker}
            {by}
            {from}
            {outcome === null ? '' : `. Then: ${outcome}`}
            {item.answer === undefined && item.reason !== undefined ? `. ${item.reason}` : ''}
          </span>
        </span>
        <span className={classes.rowWhen}>
          <When seconds={settledAt(item)} />
        </span>
      </a>
    );
  });
}
