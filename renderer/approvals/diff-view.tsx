// An edit as removed and added lines with both line numbers; long unchanged stretches fold and open on a press.

import { UnstyledButton } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Visible } from '../parts/verbatim.tsx';
import classes from './diff-view.module.css';
import { type DiffBlock, type DiffRow, diffCounts, foldUnchanged, lineDiff } from './line-diff.ts';

export type DiffProps = { path: string; before: string; after: string };

export function DiffView({ path, before, after }: DiffProps) {
  const { blocks, counts } = useMemo(() => {
    const rows = lineDiff(before, after);
    return { blocks: foldUnchanged(rows), counts: diffCounts(rows) };
  }, [before, after]);
  return (
    <figure className={classes.diff}>
      <figcaption className={classes.caption}>
        <span className={classes.path}>
          <Visible text={path} />
        </span>
        <span className={classes.counts}>
          {before === '' ? 'new file, ' : ''}
          {counts.added} added, {counts.removed} removed
        </span>
      </figcaption>
      <div className={classes.lines} dir="ltr">
        {blocks.map(block => (
          <Block key={block.key} block={block} />
        ))}
      </div>
    </figure>
  );
}

function Block({ block }: { block: DiffBlock }) {
  const [open, setOpen] = useState(false);
  if (block.kind === 'fold' && !open) {
    return (
      <UnstyledButton className={classes.fold} onClick={() => setOpen(true)}>
        Show {block.rows.length} unchanged lines
      </UnstyledButton>
    );
  }
  return block.rows.map(row => <Line key={keyOf(row)} row={row} />);
}

function keyOf(row: DiffRow): string {
  return row.kind === 'added' ? `+${row.after}` : `-${row.before}`;
}

const SIGN = { same: ' ', added: '+', removed: '-' } as const;
const SAID = { same: '', added: 'added: ', removed: 'removed: ' } as const;

function Line({ row }: { row: DiffRow }) {
  return (
    <div className={classes.line} data-kind={row.kind}>
      <span className={classes.number}>{row.kind === 'added' ? '' : row.before}</span>
      <span className={classes.number}>{row.kind === 'removed' ? '' : row.after}</span>
      <span className={classes.sign} aria-hidden="true">
        {SIGN[row.kind]}
      </span>
      <span className={classes.text}>
        {row.kind === 'same' ? null : <span className={classes.said}>{SAID[row.kind]}</span>}
        <Visible text={row.text} />
      </span>
    </div>
  );
}
