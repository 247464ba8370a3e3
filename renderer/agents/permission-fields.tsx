// What the agent may do, in plain words: its rooms, long tasks, and further kinds of events.

import { Checkbox, Fieldset, Input, MultiSelect, Stack, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { useRooms } from '../parts/live.ts';
import { EXTRA_KINDS } from './draft.ts';
import classes from './new-agent.module.css';
import type { FormPart } from './new-agent-page.tsx';

export function PermissionFields({ values, change, problem, busy }: FormPart) {
  const rooms = useRooms();
  return (
    <>
      <MultiSelect
        label="Rooms"
        description="It reads and answers here, and nowhere else."
        data={rooms.map(room => ({ value: room.id, label: `#${room.name || room.id}` }))}
        value={values.rooms}
        disabled={busy}
        error={problem('rooms')}
        searchable
        hidePickedOptions
        onChange={chosen => change({ rooms: chosen })}
      />
      <Fieldset
        variant="unstyled"
        legend="What it may do"
        classNames={{ root: classes.fieldset, legend: classes.fieldLabel }}
      >
        <p className={classes.small} style={{ margin: 0 }}>
          Besides writing messages in its rooms and showing that it works.
        </p>
        <Stack gap="sm" mt="sm">
          <Checkbox
            label="Take on long tasks"
            description="It accepts requests, reports progress and answers with the result."
            checked={values.serves}
            disabled={busy}
            onChange={event => change({ serves: event.currentTarget.checked })}
          />
          <Checkbox
            label="Open tasks"
            description="It makes a task out of each mention, so that you can follow it, and may ask other agents."
            checked={values.requests}
            disabled={busy}
            onChange={event => change({ requests: event.currentTarget.checked })}
          />
          {EXTRA_KINDS.map(({ kind, words, hint }) => (
            <Checkbox
              key={kind}
              label={words}
              description={hint}
              checked={values.kinds.includes(kind)}
              disabled={busy}
              onChange={event => change({ kinds: toggled(values.kinds, kind, event.currentTarget.checked) })}
            />
          ))}
        </Stack>
        <Input.Error>{problem('kinds') ?? problem('jobs')}</Input.Error>
      </Fieldset>
      <OtherKinds values={values.kinds} busy={busy} onChange={kinds => change({ kinds })} />
    </>
  );
}

function toggled(kinds: readonly number[], kind: number, on: boolean): number[] {
  const others = kinds.filter(other => other !== kind);
  return on ? [...others, kind] : others;
}

const NAMED: ReadonlySet<number> = new Set(EXTRA_KINDS.map(({ kind }) => kind));

type OtherKindsProps = { values: readonly number[]; busy: boolean; onChange: (kinds: number[]) => void };

function OtherKinds({ values, busy, onChange }: OtherKindsProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const named = values.filter(kind => NAMED.has(kind));
  return (
    <TagsInput
      label="Other kinds of events"
      description="By number, for those who know them. Usually empty."
      value={values.filter(kind => !NAMED.has(kind)).map(String)}
      disabled={busy}
      error={problem}
      onChange={texts => {
        const kinds = texts.map(Number);
        const wrong = texts.find((text, index) => !/^\d{1,5}$/.test(text) || (kinds[index] ?? 0) > 65_535);
        setProblem(wrong === undefined ? null : `${wrong} is not a kind: a number from 0 to 65535`);
        if (wrong === undefined) onChange([...named, ...kinds]);
      }}
    />
  );
}
