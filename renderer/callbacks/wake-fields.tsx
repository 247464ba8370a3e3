// What a callback waits for: one of the common cases with its few fields, or a filter of one's own.

import { Autocomplete, Radio, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { typedKey } from '../jobs/ask-agent.tsx';
import { partyOf, usePeople, useRooms } from '../parts/live.ts';
import { type Problems, WAKES, type Wake, type WakeValues } from './wake.ts';

export type WakeFieldsProps = {
  values: WakeValues;
  problems: Problems;
  onChange: (change: Partial<WakeValues>) => void;
};

const WHO: Readonly<Record<Exclude<Wake, 'own'>, string>> = {
  mentions: 'Who is named',
  answers: 'Who is asked or answered',
  repository: 'Owner of the repository',
  pushes: 'Owner of the repositories',
};

export function WakeFields({ values, problems, onChange }: WakeFieldsProps) {
  const { wake } = values;
  return (
    <>
      <Radio.Group label="Wake on" value={wake} onChange={value => onChange({ wake: value as Wake })}>
        <Stack gap="sm" mt="sm">
          {WAKES.map(({ value, label, hint }) => (
            <Radio key={value} value={value} label={label} description={hint} />
          ))}
        </Stack>
      </Radio.Group>
      {wake === 'mentions' ? <RoomField values={values} problems={problems} onChange={onChange} /> : null}
      {wake === 'own' ? null : (
        <WhoField
          label={WHO[wake]}
          value={values.who}
          problem={problems.who}
          onChange={who => onChange({ who })}
        />
      )}
      {wake === 'repository' ? (
        <TextInput
          label="Repository"
          description="Its identifier, as in its address"
          value={values.repository}
          error={problems.repository}
          onChange={event => onChange({ repository: event.currentTarget.value })}
        />
      ) : null}
      {wake === 'own' ? (
        <Textarea
          label="Filter"
          description="JSON. Kinds are required, up to 32."
          placeholder={'{"kinds": [9], "#h": ["general"]}'}
          autosize
          minRows={3}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={values.own}
          error={problems.own ?? problems.filter}
          onChange={event => onChange({ own: event.currentTarget.value })}
        />
      ) : null}
    </>
  );
}

function RoomField({ values, problems, onChange }: WakeFieldsProps) {
  const rooms = useRooms();
  return (
    <Select
      label="Room"
      data={rooms.map(({ id, name }) => ({ value: id, label: name || id }))}
      value={values.room}
      error={problems.room}
      allowDeselect={false}
      onChange={room => onChange({ room })}
    />
  );
}

type WhoFieldProps = {
  label: string;
  value: string | null;
  problem: string | undefined;
  onChange: (pubkey: string | null) => void;
};

/** A person or agent by name, or any key pasted. */
function WhoField({ label, value, problem, onChange }: WhoFieldProps) {
  const people = usePeople();
  // One name may stand for several keys: the later ones are told apart by theirs.
  const labels = new Map<string, string>();
  for (const { pubkey } of people) {
    const { name, npub } = partyOf(people, pubkey);
    labels.set(labels.has(name) ? `${name} (${npub.slice(0, 12)})` : name, pubkey);
  }
  const [typed, setTyped] = useState<string | null>(null);
  const known = [...labels].find(([, pubkey]) => pubkey === value)?.[0];
  return (
    <Autocomplete
      label={label}
      description="A name from here, or a public key as npub or hex"
      data={[...labels.keys()]}
      value={typed ?? known ?? ''}
      error={problem}
      onChange={text => {
        setTyped(text);
        onChange(labels.get(text) ?? typedKey(text) ?? null);
      }}
    />
  );
}
