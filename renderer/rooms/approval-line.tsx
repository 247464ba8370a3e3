// A request for a decision where it was asked: one line that opens the approval. The whole action and the buttons
// are on the approval itself, so that nothing is decided from an excerpt.

import type { ApprovalView } from '../../main/contract/approvals.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { tagValue } from '../../relay/protocol/tags.ts';
import { useCall } from '../bridge.ts';
import { address } from '../frame/router.ts';
import { Person } from '../parts/person.tsx';
import { StateMark, type StateName } from '../parts/state-mark.tsx';
import { Visible } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import classes from './approval-line.module.css';
import type { Message } from './conversation.ts';
import { MessageRow } from './message-row.tsx';

const TYPES = new Set(['approve', 'decide', 'question', 'grant']);

/** True for a message that asks somebody to decide (spec/interactions-and-approvals.md 1). */
export function isRequest(event: NostrEvent): boolean {
  const type = tagValue(event, 'request')?.trim().toLowerCase();
  if (type === undefined || !TYPES.has(type)) return false;
  return event.tags.some(tag => tag[0] === 'p' && tag[1] !== event.pubkey);
}

function stateOf(item: ApprovalView): StateName {
  return item.state === 'answered' ? (item.answer?.decision ?? 'answered') : item.state;
}

export function ApprovalLine({ message }: { message: Message }) {
  const { event } = message;
  const found = useCall('approvals.get', { id: event.id });
  // Asked of somebody else, or no card main can read: it is a message like any other.
  if (found.isError) return <MessageRow message={message} answer />;
  const item = found.data?.item;
  const title = item?.subject || tagValue(event, 'subject') || event.content.split('\n')[0] || 'A decision';
  const answer = item?.answer;
  return (
    <section
      className={classes.line}
      data-open={item?.state === 'open' || undefined}
      aria-label={`Approval: ${title}`}
    >
      <div className={classes.inner}>
        {item ? <StateMark state={stateOf(item)} reason={item.reason} /> : null}
        <a className={classes.title} href={address('approvals', event.id)}>
          <Visible text={title} />
        </a>
        <span className={classes.who}>
          {answer ? (
            <>
              <Person pubkey={answer.author} size={0} link={false} />
              <When seconds={answer.created_at} />
            </>
          ) : (
            <>
              <Person pubkey={event.pubkey} size={0} link={false} />
              <When seconds={event.created_at} />
            </>
          )}
        </span>
        {item?.state === 'open' ? (
          <a className={classes.open} href={address('approvals', event.id)}>
            Review
          </a>
        ) : null}
      </div>
    </section>
  );
}
