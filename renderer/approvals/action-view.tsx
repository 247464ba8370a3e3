// What would be done, whole: why, the action as it was sent, a diff for edits, the folder. Nothing is cut and
// nothing hides in it (case D5).

import type { ApprovalView } from '../../main/contract/approvals.ts';
import { Outward } from '../parts/markdown.tsx';
import { Verbatim, Visible } from '../parts/verbatim.tsx';
import classes from './approvals.module.css';
import { DiffView } from './diff-view.tsx';
import { GrantChange } from './grant-change.tsx';

export function ActionView({ item }: { item: ApprovalView }) {
  if (item.type === 'grant') return <GrantChange item={item} />;
  const { action } = item;
  if (action === undefined) return <Asked item={item} />;
  return (
    <>
      {action.why.trim() === '' ? null : (
        <>
          <p className={classes.label}>Why, in its own words</p>
          <p className={classes.prose}>
            <Visible text={action.why} />
          </p>
        </>
      )}
      {action.diff === undefined ? null : (
        <>
          <p className={classes.label}>The change</p>
          <DiffView {...action.diff} />
        </>
      )}
      <p className={classes.label}>
        {action.diff === undefined ? 'The whole action' : 'The action as it was sent'}
      </p>
      <Verbatim text={action.text} />
      {action.folder === undefined ? null : (
        <p className={classes.facts}>
          <span>
            in folder{' '}
            <span className={classes.path}>
              <Visible text={action.folder} />
            </span>
          </span>
        </p>
      )}
    </>
  );
}

/** A request in the asker's own words: exact for what would be done, as prose for a question. */
function Asked({ item }: { item: ApprovalView }) {
  const question = item.type === 'question' || item.selection !== undefined;
  const repeated = item.content.trim() === item.subject.trim();
  return (
    <>
      {item.content.trim() === '' || (question && repeated) ? null : question ? (
        <p className={classes.prose} style={{ marginTop: 8 }}>
          <Visible text={item.content} />
        </p>
      ) : (
        <>
          <p className={classes.label}>What it asks, whole</p>
          <Verbatim text={item.content} />
        </>
      )}
      <Offered item={item} />
      <About item={item} />
    </>
  );
}

/** The options of a card that is settled; while it waits they are in its form. */
function Offered({ item }: { item: ApprovalView }) {
  if (item.options === undefined || item.options.length === 0 || item.state === 'open') return null;
  return (
    <>
      <p className={classes.label}>The choices were</p>
      <ul className={classes.offered}>
        {item.options.map(option => (
          <li key={option.id}>
            <Visible text={option.label} />
          </li>
        ))}
      </ul>
    </>
  );
}

function About({ item }: { item: ApprovalView }) {
  const { about } = item;
  if (about === undefined) return null;
  return (
    <p className={classes.facts}>
      {about.url === undefined ? null : (
        <span>
          about <Outward href={about.url}>{about.url}</Outward>
        </span>
      )}
      {about.coordinate === undefined ? null : (
        <span>
          about <span className={classes.path}>{about.coordinate}</span>
        </span>
      )}
      {about.event === undefined || about.coordinate !== undefined ? null : (
        <span>
          about event <span className={classes.path}>{about.event}</span>
        </span>
      )}
    </p>
  );
}
