// How long an agent's work and questions may take, and what becomes of the work when nobody answers (case D16): as
// fields, in the New agent form and on the agent's page.

import { Fieldset, NumberInput, Radio, Stack } from '@mantine/core';
import type { Limits } from '../../main/contract/agents.ts';
import type { LimitValues } from './limit-words.ts';
import classes from './new-agent.module.css';

const CHOICES: readonly { value: Limits['onExpiry']; label: string; description: string }[] = [
  {
    value: 'refuse',
    label: 'Refuse that action and go on',
    description: 'The agent is told that nobody answered, not that you refused.',
  },
  {
    value: 'stop',
    label: 'Stop the job',
    description: 'The job ends as failed, with the question named.',
  },
  {
    value: 'wait',
    label: 'Wait as long as the job may take',
    description: 'The question stays open until the job ends.',
  },
];

export type LimitFieldsProps = {
  values: LimitValues;
  change: (change: Partial<LimitValues>) => void;
  problem: (field: keyof LimitValues) => string | null;
  busy: boolean;
};

export function LimitFields({ values, change, problem, busy }: LimitFieldsProps) {
  const number = (value: string | number) => (typeof value === 'number' ? value : '');
  return (
    <Stack gap="lg">
      <NumberInput
        label="Minutes a job may take"
        description="1 to 1440; then it ends as timed out"
        allowDecimal={false}
        value={values.runMinutes}
        disabled={busy}
        error={problem('runMinutes')}
        onChange={value => change({ runMinutes: number(value) })}
      />
      <Fieldset
        variant="unstyled"
        legend="When you do not answer a question in time"
        classNames={{ root: classes.fieldset, legend: classes.fieldLabel }}
      >
        <Radio.Group
          aria-label="When you do not answer a question in time"
          value={values.onExpiry}
          onChange={value => change({ onExpiry: value as Limits['onExpiry'] })}
        >
          <Stack gap="sm" mt="xs">
            {CHOICES.map(choice => (
              <Radio key={choice.value} {...choice} disabled={busy} />
            ))}
          </Stack>
        </Radio.Group>
      </Fieldset>
      {values.onExpiry === 'wait' ? null : (
        <NumberInput
          label="Seconds a question waits"
          description="5 to 600, and never longer than its job"
          allowDecimal={false}
          value={values.promptSeconds}
          disabled={busy}
          error={problem('promptSeconds')}
          onChange={value => change({ promptSeconds: number(value) })}
        />
      )}
    </Stack>
  );
}
