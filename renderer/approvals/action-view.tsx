// What would be done, whole: why, the action as it was sent, a diff for edits, the folder. Nothing is cut and
// nothing hides in it (case D5).

import { Fragment } from 'react';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { type ParsedPermission, parsePermissionPrompt } from '../../relay/protocol/permission-prompt.ts';
import { Outward } from '../parts/markdown.tsx';
import { Verbatim, Visible } from '../parts/verbatim.tsx';
import classes from './approvals.module.css';
import { DiffView } from './diff-view.tsx';
import { GrantChange } from './grant-change.tsx';

export function ActionView({ item }: { item: ApprovalView }) {
  if (item.type === 'grant') return <GrantChange item={item} />;
  const { action } = item;
  if (action === undefined) return <Asked item={item} />;
  const parts = parsePermissionPrompt(item.event);
  return (
    <>
      {action.why.trim() === '' ? null : (
        <p className={classes.why}>
          <Visible text={action.why} />
        </p>
      )}
      {parts === null ? (
        <Block label="The whole action" text={action.text} />
      ) : (
        <Parts parts={parts} item={item} />
      )}
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

/** Every part of a runner's prompt under its own name; together they are all of it. */
function Parts({ parts, item }: { parts: ParsedPermission; item: ApprovalView }) {
  const { title, command, input, details, diffs, places, answers } = parts;
  return (
    <>
      {title === item.subject ? null : <Block label="What it is called, whole" text={title} />}
      {command === undefined ? null : <Block label="The command, whole" text={command} />}
      {diffs.map((diff, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a path may be named twice; the list never changes
        <Fragment key={index}>
          <p className={classes.label}>{diff.isNew ? 'The new file, whole' : 'The change'}</p>
          <DiffView path={diff.path} before={diff.before} after={diff.after} />
        </Fragment>
      ))}
      {input === undefined ? null : <Block label="What the tool is given, whole" text={input} />}
      {details.map((detail, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two details may be alike; the list never changes
        <Block key={index} label="Details" text={detail} />
      ))}
      {places.length === 0 ? null : <Block label="Files it touches" text={places.join('\n')} />}
      {answers.length === 0 ? null : <Block label="What your answer means to it" text={answers.join('\n')} />}
      <details>
        <summary className={classes.label}>Exactly as it was sent</summary>
        <Verbatim text={item.event.content} />
      </details>
    </>
  );
}

function Block({ label, text }: { label: string; text: string }) {
  return (
    <>
      <p className={classes.label}>{label}</p>
      <Verbatim text={text} />
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
        <Block label="What it asks, whole" text={item.content} />
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
