// Arguments, one a line or as a shell would read them, always shown as the list the program will receive.

import { SegmentedControl, Textarea } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Visible } from '../parts/verbatim.tsx';
import classes from './new-agent.module.css';
import type { FormPart } from './new-agent-page.tsx';
import { shellLine, shellWords, wordsByLine } from './shell-words.ts';

type Way = 'lines' | 'shell';

function textOf(args: readonly string[], way: Way): string {
  return way === 'lines' ? args.join('\n') : shellLine([...args]);
}

function argsOf(text: string, way: Way): string[] {
  return way === 'lines' ? wordsByLine(text) : shellWords(text).words;
}

export function ArgumentField({ values, change, problem, busy }: FormPart) {
  const { args } = values;
  const [way, setWay] = useState<Way>('shell');
  const [text, setText] = useState(textOf(args, 'shell'));
  const unfit = args.some(arg => arg === '' || arg.includes('\n'));
  const key = JSON.stringify(args);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another program's arguments replace what is typed
  useEffect(() => {
    if (JSON.stringify(argsOf(text, way)) !== key) setText(textOf(args, way));
  }, [key]);
  return (
    <div>
      <div className={classes.fieldHead}>
        <label className={classes.fieldLabel} htmlFor="agent-arguments">
          Arguments
        </label>
        <SegmentedControl
          size="xs"
          aria-label="How arguments are written"
          value={way}
          disabled={busy || (way === 'shell' && unfit)}
          data={[
            { value: 'shell', label: 'As in a shell' },
            { value: 'lines', label: 'One a line' },
          ]}
          onChange={chosen => {
            setWay(chosen as Way);
            setText(textOf(args, chosen as Way));
            change({ argsProblem: null });
          }}
        />
      </div>
      <Textarea
        id="agent-arguments"
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        disabled={busy}
        error={values.argsProblem ?? problem('program.args')}
        classNames={{ input: classes.mono }}
        onChange={event => {
          const next = event.currentTarget.value;
          setText(next);
          const argsProblem = (way === 'shell' ? shellWords(next).problem : undefined) ?? null;
          change({ args: argsOf(next, way), argsProblem, found: '' });
        }}
      />
      {args.length === 0 ? (
        <p className={classes.small} style={{ margin: '4px 0 0' }}>
          It is started without arguments.
        </p>
      ) : (
        <ol className={classes.args} aria-label="Arguments as the program receives them">
          {args.map((arg, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an argument is its place
            <li key={index}>{arg === '' ? 'empty' : <Visible text={arg} />}</li>
          ))}
        </ol>
      )}
    </div>
  );
}
