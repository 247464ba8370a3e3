// A request for more access: what the agent may do now and what it would, side by side with the differences marked, and
// the exact event the person would sign.

import type { ApprovalView } from '../../main/contract/approvals.ts';
import { Verbatim, Visible } from '../parts/verbatim.tsx';
import classes from './approvals.module.css';
import { type Entry, type FieldDiff, grantDiff } from './grant-diff.ts';

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
          <Compare rows={grantDiff(grant.before, grant.after)} />
          <details>
            <summary className={classes.label}>The grant you would sign, exactly</summary>
            <Verbatim text={JSON.stringify(grant.unsigned, null, 2)} />
          </details>
        </>
      )}
    </>
  );
}

function Compare({ rows }: { rows: readonly FieldDiff[] }) {
  return (
    <table className={classes.compare}>
      <thead>
        <tr>
          <td className={classes.field} />
          <th scope="col">May do now</th>
          <th scope="col">Would be able to do</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.field} data-differs={row.differs || undefined}>
            <th scope="row" className={classes.field}>
              {row.field}
            </th>
            <Side entries={row.before} />
            <Side entries={row.after} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const WORDS = { added: 'new: ', removed: 'until now: ', same: '' } as const;

function Side({ entries }: { entries: readonly Entry[] }) {
  return (
    <td>
      {entries.length === 0 ? (
        <span className={classes.nothing}>nothing</span>
      ) : (
        <ul>
          {entries.map(({ text, mark }) => (
            <li key={text} data-mark={mark}>
              {WORDS[mark]}
              <Visible text={text} />
            </li>
          ))}
        </ul>
      )}
    </td>
  );
}
