// Which program the agent is: one found on this machine or one that is typed, its arguments, folder and protocol.

import { Radio, SegmentedControl, Skeleton, TextInput } from '@mantine/core';
import type { FoundProgram } from '../../main/contract/agents.ts';
import { useCall } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { Verbatim } from '../parts/verbatim.tsx';
import { ArgumentField } from './argument-field.tsx';
import { withProgram } from './draft.ts';
import classes from './new-agent.module.css';
import type { FormPart } from './new-agent-page.tsx';

export function ProgramFields(part: FormPart) {
  const { values, change, problem, busy } = part;
  return (
    <>
      <FoundPrograms {...part} />
      <TextInput
        label="Command"
        description="A name your shell would find, or a whole path."
        value={values.command}
        disabled={busy}
        error={problem('program.command')}
        classNames={{ input: classes.mono }}
        onChange={event => change({ command: event.currentTarget.value, found: '' })}
      />
      <ArgumentField {...part} />
      <TextInput
        label="Working folder"
        description="Where it reads and writes. Its own folder is made for it unless you name another."
        value={values.cwd}
        disabled={busy}
        error={problem('program.cwd')}
        classNames={{ input: classes.mono }}
        onChange={event => change({ cwd: event.currentTarget.value })}
      />
      <div>
        <span className={classes.fieldLabel} id="protocol-label">
          How it is spoken to
        </span>
        <SegmentedControl
          aria-labelledby="protocol-label"
          value={values.protocol}
          disabled={busy}
          data={[
            { value: 'acp', label: 'Agent Client Protocol' },
            { value: 'command', label: 'Plain command' },
          ]}
          onChange={protocol => change({ protocol: protocol as 'acp' | 'command' })}
        />
        <p className={classes.small} style={{ margin: '4px 0 0' }}>
          {values.protocol === 'acp'
            ? 'It reports what it does and asks before it acts.'
            : 'It is given the request on its input; what it prints is the answer. It cannot ask you.'}
        </p>
      </div>
    </>
  );
}

function FoundPrograms({ values, change, busy }: FormPart) {
  const programs = useCall('agents.programs', {});
  const choose = (id: string) => {
    const program = programs.data?.found.find(found => found.id === id);
    if (program === undefined) change({ found: '', command: '', args: [], argsProblem: null });
    else {
      const { found, command, args, argsProblem, protocol, name } = withProgram(values, program);
      change({ found, command, args, argsProblem, protocol, name });
    }
  };
  return (
    <Radio.Group label="Program" value={values.found === '' ? 'typed' : values.found} onChange={choose}>
      <div className={classes.programs} style={{ marginTop: 8 }}>
        {programs.data?.found.map(program => (
          <Found key={program.id} program={program} busy={busy} />
        ))}
        {programs.isPending ? <Skeleton height={36} role="status" aria-label="Looking for programs" /> : null}
        <Radio.Card value="typed" className={classes.program} disabled={busy}>
          <Radio.Indicator />
          <span>Another program</span>
        </Radio.Card>
      </div>
      <FailureNote error={programs.error} onRetry={() => void programs.refetch()} />
      {programs.data === undefined ? null : (
        <details>
          <summary className={classes.small}>Where programs were looked for</summary>
          <Verbatim text={programs.data.searched.join('\n')} numbersFrom={Number.POSITIVE_INFINITY} />
        </details>
      )}
    </Radio.Group>
  );
}

function Found({ program, busy }: { program: FoundProgram; busy: boolean }) {
  return (
    <Radio.Card value={program.id} className={classes.program} disabled={busy} data-program={program.id}>
      <Radio.Indicator />
      <span>
        {program.name}
        <span className={classes.programHint}>
          {program.description}
          {program.source === 'shipped' ? '' : ` Found in ${program.source}.`}
        </span>
      </span>
    </Radio.Card>
  );
}
