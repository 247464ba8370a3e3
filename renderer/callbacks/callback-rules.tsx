// What the relay allows of callbacks: how many a key may hold, and whether they may go to this computer.

import { NumberInput, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CallbackList } from '../../main/contract/callbacks.ts';
import { call, queries } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { Section } from '../parts/page.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import classes from './callbacks.module.css';

type Rules = Partial<Pick<CallbackList, 'allowance' | 'targets'>>;

export function CallbackRules({ list }: { list: CallbackList }) {
  const set = useMutation<CallbackList, Error, Rules>({
    mutationFn: rules => call('callbacks.setRules', rules),
    onSuccess: next => queries.setQueryData(['callbacks.list', {}], next),
  });
  const targets =
    set.variables?.targets !== undefined && set.isPending ? set.variables.targets : list.targets;
  return (
    <Section title="What the relay allows">
      <FailureNote error={set.error} />
      <div className={classes.rules}>
        <Allowance value={list.allowance} onChange={allowance => set.mutate({ allowance })} />
        <Switch
          label="Allow this computer as a target"
          description="For development: http and https on 127.0.0.1 and ::1. Otherwise only https to public hosts."
          checked={targets === 'loopback'}
          onChange={event => set.mutate({ targets: event.currentTarget.checked ? 'loopback' : 'public' })}
        />
        {targets === 'loopback' ? (
          <p className={classes.warning}>
            <StateMark state="warning" />
            <span>
              Whoever may register a callback can make the relay send a POST to programs on this computer.
            </span>
          </p>
        ) : null}
      </div>
    </Section>
  );
}

function Allowance({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  const [typed, setTyped] = useState<number | string>(value);
  const keep = () => {
    if (typeof typed === 'number' && typed !== value) onChange(typed);
    else setTyped(value);
  };
  return (
    <NumberInput
      label="Callbacks a key may hold"
      description="0 closes registration for everyone but you; you have no limit."
      allowDecimal={false}
      allowNegative={false}
      max={1000}
      value={typed}
      onChange={setTyped}
      onBlur={keep}
      onKeyDown={event => {
        if (event.key === 'Enter') keep();
      }}
      w={240}
    />
  );
}
