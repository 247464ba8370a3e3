// The grant as it would be signed: sentences first, the exact tags below.

import { FailureNote } from '../parts/failure.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { Verbatim } from '../parts/verbatim.tsx';
import classes from './new-agent.module.css';
import type { LivePreview } from './use-create.ts';

export function GrantPreview({ preview: { data, error } }: { preview: LivePreview }) {
  if (error !== null) return <FailureNote error={error} />;
  if (data === undefined) return <RowSkeletons rows={4} height={20} />;
  return (
    <div aria-live="polite">
      <ul className={classes.words}>
        {data.words.map(sentence => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <details style={{ marginTop: 16 }}>
        <summary className={classes.small}>Its tags, exactly</summary>
        <Verbatim
          text={data.tags.map(tag => JSON.stringify(tag)).join('\n')}
          numbersFrom={Number.POSITIVE_INFINITY}
        />
      </details>
    </div>
  );
}
