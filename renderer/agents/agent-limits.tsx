// The limits of one agent of this machine: read, and changed in place.

import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type AgentView, type Limits, limits } from '../../main/contract/agents.ts';
import { call } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { Facts, Section } from '../parts/page.tsx';
import { takeAgent } from './acts.tsx';
import { LimitFields } from './limit-fields.tsx';
import { expiryWords, type LimitValues, limitProblem } from './limit-words.ts';

export function AgentLimits({ agent }: { agent: AgentView }) {
  const [editing, setEditing] = useState(false);
  if (agent.limits === null) return null;
  return (
    <Section
      title="Limits"
      actions={
        editing ? null : (
          <Button variant="subtle" size="compact-xs" onClick={() => setEditing(true)}>
            Change limits
          </Button>
        )
      }
    >
      {editing ? (
        <LimitsForm pubkey={agent.pubkey} limits={agent.limits} onDone={() => setEditing(false)} />
      ) : (
        <Facts
          rows={[
            ['A job may take', `${agent.limits.runMinutes} min`],
            [
              'A question waits',
              agent.limits.onExpiry === 'wait' ? 'as long as its job' : `${agent.limits.promptSeconds} s`,
            ],
            ['Unanswered', expiryWords(agent.limits.onExpiry)],
          ]}
        />
      )}
    </Section>
  );
}

type LimitsFormProps = { pubkey: string; limits: Limits; onDone: () => void };

function LimitsForm({ pubkey, limits: current, onDone }: LimitsFormProps) {
  const [values, setValues] = useState<LimitValues>(current);
  const [pressed, setPressed] = useState(false);
  const checked = limits.safeParse(values);
  const saving = useMutation<AgentView, Error, Limits>({
    mutationFn: changed => call('agents.setLimits', { pubkey, limits: changed }),
    onSuccess: agent => {
      takeAgent(agent);
      onDone();
    },
  });
  return (
    <form
      noValidate
      aria-label="Limits"
      onSubmit={event => {
        event.preventDefault();
        setPressed(true);
        if (checked.success) saving.mutate(checked.data);
      }}
    >
      <Stack gap="lg">
        <LimitFields
          values={values}
          change={change => setValues(before => ({ ...before, ...change }))}
          problem={field => (pressed ? limitProblem(checked.error, field) : null)}
          busy={saving.isPending}
        />
        <FailureNote error={saving.error} />
        <Group gap="sm">
          <Button type="submit" size="xs" disabled={saving.isPending}>
            {saving.isPending ? 'Saving' : 'Save limits'}
          </Button>
          <Button variant="subtle" size="xs" disabled={saving.isPending} onClick={onDone}>
            Back
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
