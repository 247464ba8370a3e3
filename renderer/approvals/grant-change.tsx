// A request for more access: what the agent may do now and what it would, side by side with the differences marked.

import type { ApprovalView } from '../../main/contract/approvals.ts';
import { Verbatim, Visible } from '../parts/verbatim.tsx';
import classes from './approvals.module.css';

type Words = readonly string[];

export function GrantChange({ item }: { item: ApprovalView }) {
  const { grant } = item;
  return (
    <>
      {item.content.trim() === '' ? null : (
        <>
          <p className={classes.label}>Why, in its own words</p>
          <p className={classes.prose}>
            <Visible text={item.content} />
          </p>
        </>
      )}
      {grant === undefined ? null : (
        <>
          <div className={classes.compare}>
            <Side title="May do now" words={grant.before.words} other={grant.after.words} kind="removed" />
            <Side
              title="Would be able to do"
              words={grant.after.words}
              other={grant.before.words}
              kind="added"
            />
          </div>
          <details>
            <summary className={classes.label}>The grant you would sign, exactly</summary>
            <Verbatim text={grant.unsigned.tags.map(tag => JSON.stringify(tag)).join('\n')} />
          </details>
        </>
      )}
    </>
  );
}

type SideProps = { title: string; words: Words; other: Words; kind: 'added' | 'removed' };

function Side({ title, words, other, kind }: SideProps) {
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {words.map(sentence => {
          const differs = !other.includes(sentence);
          return (
            <li key={sentence} data-kind={differs ? kind : undefined}>
              {differs ? (kind === 'added' ? 'New: ' : 'Until now: ') : null}
              {sentence}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
