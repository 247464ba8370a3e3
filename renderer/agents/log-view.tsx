// A log with search, level and copy. It follows its end only while the reader is at the end.

import { Button, Select, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { LogLine } from '../../main/contract/agents.ts';
import { exactTime } from '../parts/time-words.ts';
import { Visible } from '../parts/verbatim.tsx';
import { type LogSearch, linesText, searchLines } from './log-lines.ts';
import classes from './log-view.module.css';

const LEVELS = [
  { value: 'debug', label: 'Everything' },
  { value: 'info', label: 'Information and worse' },
  { value: 'warn', label: 'Warnings and errors' },
  { value: 'error', label: 'Errors only' },
];

// Always 24 hours: a column of times is compared, not read.
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });

export function LogView({ lines }: { lines: readonly LogLine[] }) {
  const [search, setSearch] = useState<LogSearch>({ words: '', level: 'info' });
  const shown = useMemo(() => searchLines(lines, search), [lines, search]);
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <>
      <div className={classes.logBar}>
        <TextInput
          aria-label="Search the log"
          placeholder="Search the log"
          size="xs"
          flex="1 1 160px"
          value={search.words}
          onChange={event => setSearch({ ...search, words: event.currentTarget.value })}
        />
        <Select
          aria-label="Lines shown"
          size="xs"
          w={180}
          data={LEVELS}
          value={search.level}
          allowDeselect={false}
          onChange={level => level !== null && setSearch({ ...search, level: level as LogLine['level'] })}
        />
        <Button
          size="xs"
          variant="default"
          disabled={shown.length === 0}
          onClick={() => clipboard.copy(linesText(shown))}
        >
          {clipboard.copied ? 'Copied' : shown.length === 1 ? 'Copy 1 line' : `Copy ${shown.length} lines`}
        </Button>
      </div>
      {shown.length === 0 ? (
        <p className={classes.small}>{lines.length === 0 ? 'Nothing was logged yet.' : 'No line matches.'}</p>
      ) : (
        <Tail lines={shown} />
      )}
    </>
  );
}

function Tail({ lines }: { lines: readonly LogLine[] }) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are why it moves
  useLayoutEffect(() => {
    if (box.current !== null && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <div
      className={classes.log}
      ref={box}
      role="log"
      aria-label="Log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: it }) => {
        atEnd.current = it.scrollHeight - it.scrollTop - it.clientHeight < 24;
      }}
    >
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines carry no id and only ever join at the end
        <div key={index} className={classes.logLine} data-level={line.level}>
          <time title={exactTime(line.at)}>{clock.format(line.at)}</time>
          <span className={classes.logSource}>{line.source}</span>
          <span className={classes.logText}>
            {line.level === 'warn' || line.level === 'error' ? `${line.level}: ` : ''}
            <Visible text={line.text} />
          </span>
        </div>
      ))}
    </div>
  );
}
