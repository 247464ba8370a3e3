// Every answer the request received, newest first, when there was more than the one that counted.

import type { ApprovalView } from '../../main/contract/approvals.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { Section } from '../parts/page.tsx';
import { Person } from '../parts/person.tsx';
import { Visible } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import { answerWords } from './answer-words.ts';
import classes from './approvals.module.css';

export function OtherAnswers({ item, answers }: { item: ApprovalView; answers: readonly NostrEvent[] }) {
  const others = answers.filter(answer => answer.id !== item.answer?.id);
  if (others.length === 0) return null;
  return (
    <Section title="Other answers">
      {others.map(answer => (
        <div key={answer.id} className={classes.settled}>
          <Person pubkey={answer.pubkey} />
          <span>{answer.kind === KIND.reaction ? reactionWords(answer.content) : 'replied'}</span>
          <When seconds={answer.created_at} />
          {answer.kind === KIND.reaction ? null : (
            <blockquote className={classes.quote}>
              <Visible text={answerWords(item, answer.content)} />
            </blockquote>
          )}
        </div>
      ))}
    </Section>
  );
}

function reactionWords(content: string): string {
  const sign = content.trim();
  if (sign === '+') return 'approved';
  return sign === '-' ? 'denied' : `reacted with ${sign}`;
}
