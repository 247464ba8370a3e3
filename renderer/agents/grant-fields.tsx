// The fields of the whole grant form: for an agent that runs elsewhere, and for replacing any grant.

import {
  Checkbox,
  Fieldset,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import type { GrantDraft } from '../../main/contract/agents.ts';
import { useRooms } from '../parts/live.ts';
import { FORM_KINDS, type GrantValues } from './grant-form.ts';
import classes from './new-agent.module.css';

export type GrantPart = {
  values: GrantValues;
  change: (change: Partial<GrantValues>) => void;
  /** The complaint about a field, or null. */
  problem: (path: string) => string | null;
  busy: boolean;
};

export function GrantFields(part: GrantPart) {
  const { values, change, problem, busy } = part;
  const rooms = useRooms();
  const known = new Set([...rooms.map(room => room.id), ...values.rooms]);
  return (
    <>
      <TextInput
        label="Name"
        description="What rooms and approvals call it."
        value={values.name}
        disabled={busy}
        error={problem('name')}
        onChange={event => change({ name: event.currentTarget.value })}
      />
      <MultiSelect
        label="Rooms"
        description="It may post here, and nowhere else."
        data={[...known].map(id => ({
          value: id,
          label: `#${rooms.find(room => room.id === id)?.name || id}`,
        }))}
        value={values.rooms}
        disabled={busy}
        error={problem('rooms')}
        searchable
        hidePickedOptions
        onChange={chosen => change({ rooms: chosen })}
      />
      <Kinds {...part} />
      <Fieldset
        variant="unstyled"
        legend="Long tasks"
        classNames={{ root: classes.fieldset, legend: classes.fieldLabel }}
      >
        <Stack gap="sm" mt="xs">
          <Checkbox
            label="Take them on"
            checked={values.serves}
            disabled={busy}
            onChange={event => change({ serves: event.currentTarget.checked })}
          />
          <Checkbox
            label="Ask others for them"
            checked={values.requests}
            disabled={busy}
            onChange={event => change({ requests: event.currentTarget.checked })}
          />
        </Stack>
      </Fieldset>
      <Places {...part} />
      <div className={classes.pair}>
        <NumberInput
          label="Rate"
          description="Events a minute, 1 to 600"
          allowDecimal={false}
          value={values.rate}
          disabled={busy}
          error={problem('rate')}
          onChange={rate => change({ rate: typeof rate === 'number' ? rate : '' })}
        />
        <TextInput
          type="date"
          label="Last day"
          description="At most 365 days from now"
          value={values.ends}
          disabled={busy}
          error={problem('expires')}
          onChange={event => change({ ends: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

const NAMED: ReadonlySet<number> = new Set(FORM_KINDS.map(({ kind }) => kind));

function Kinds({ values, change, problem, busy }: GrantPart) {
  const [wrong, setWrong] = useState<string | null>(null);
  const toggle = (kind: number, on: boolean) => {
    const others = values.kinds.filter(other => other !== kind);
    change({ kinds: on ? [...others, kind] : others });
  };
  return (
    <>
      <Fieldset
        variant="unstyled"
        legend="What it may publish"
        classNames={{ root: classes.fieldset, legend: classes.fieldLabel }}
      >
        <Stack gap="sm" mt="xs">
          {FORM_KINDS.map(({ kind, words }) => (
            <Checkbox
              key={kind}
              label={words}
              description={`kind ${kind}`}
              checked={values.kinds.includes(kind)}
              disabled={busy}
              onChange={event => toggle(kind, event.currentTarget.checked)}
            />
          ))}
        </Stack>
      </Fieldset>
      <TagsInput
        label="Other kinds of events"
        description="By number, for those who know them."
        value={values.kinds.filter(kind => !NAMED.has(kind)).map(String)}
        disabled={busy}
        error={wrong ?? problem('kinds')}
        onChange={texts => {
          const bad = texts.find(text => !/^\d{1,5}$/.test(text) || Number(text) > 65_535);
          setWrong(bad === undefined ? null : `${bad} is not a kind: a number from 0 to 65535`);
          if (bad !== undefined) return;
          change({ kinds: [...values.kinds.filter(kind => NAMED.has(kind)), ...texts.map(Number)] });
        }}
      />
    </>
  );
}

const WIKI: { value: GrantDraft['wiki']; label: string }[] = [
  { value: 'none', label: 'No' },
  { value: 'propose', label: 'Propose pages; each waits for your approval' },
  { value: 'edit', label: 'Change pages at once' },
];

function Places({ values, change, problem, busy }: GrantPart) {
  return (
    <>
      <Select
        label="Wiki"
        data={WIKI}
        value={values.wiki}
        disabled={busy}
        allowDeselect={false}
        onChange={wiki => change({ wiki: (wiki ?? 'none') as GrantDraft['wiki'] })}
      />
      <Textarea
        label="Repositories"
        description="One a line: <owner>:<identifier>:propose, :read or :maintain"
        autosize
        minRows={1}
        maxRows={8}
        value={values.repos}
        disabled={busy}
        error={problem('repos')}
        classNames={{ input: classes.mono }}
        onChange={event => change({ repos: event.currentTarget.value })}
      />
      <Textarea
        label="Sites"
        description="One a line: <label> [ttl=<days>] [encrypted]; * is every site under its key"
        autosize
        minRows={1}
        maxRows={8}
        value={values.sites}
        disabled={busy}
        error={problem('sites')}
        classNames={{ input: classes.mono }}
        onChange={event => change({ sites: event.currentTarget.value })}
      />
    </>
  );
}
