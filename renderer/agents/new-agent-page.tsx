// New agent: one form, every complaint at its field before anything is signed, the resulting grant beside it, and one
// button that completes or leaves nothing behind.

import { Button, NumberInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { CallError, failureOf } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useAppState, useRooms } from '../parts/live.ts';
import { DetailPanel, PageColumn, Section, useSheet } from '../parts/page.tsx';
import { Verbatim } from '../parts/verbatim.tsx';
import { checkForm, emptyForm, type FormValues, type Problems, shownProblems } from './draft.ts';
import { GrantPreview } from './grant-preview.tsx';
import { LimitFields } from './limit-fields.tsx';
import classes from './new-agent.module.css';
import { PermissionFields } from './permission-fields.tsx';
import { ProgramFields } from './program-fields.tsx';
import { useCreate, useGrantPreview } from './use-create.ts';
import { WhereItRuns } from './where-it-runs.tsx';
import { workFolder } from './work-folder.ts';

/** What a part of the form is handed. */
export type FormPart = {
  values: FormValues;
  change: (change: Partial<FormValues>) => void;
  /** The complaint at a field's path, or null. */
  problem: (path: string) => string | null;
  busy: boolean;
};

export function NewAgentPage() {
  const rooms = useRooms();
  const home = useAppState()?.home;
  const sheet = useSheet();
  const [beside, setBeside] = useState(true);
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState<Partial<FormValues>>({});
  const [pressed, setPressed] = useState(false);
  const create = useCreate();

  const first = rooms.find(room => room.id === 'general') ?? rooms[0];
  const base = { ...emptyForm(first?.id), ...typed };
  const values = { ...base, cwd: typed.cwd ?? (home === undefined ? '' : workFolder(home, base.name)) };
  const checked = checkForm(values);
  const preview = useGrantPreview(values);
  const found = shownProblems(preview.data?.problems ?? {}, preview.blank);
  const problems: Problems = {
    ...found,
    ...(pressed && checked.problems !== null ? checked.problems : {}),
    ...(create.error === null ? {} : (failureOf(create.error).fields ?? {})),
  };
  const part: FormPart = {
    values,
    change: change => {
      create.reset();
      setTyped(before => ({ ...before, ...change }));
    },
    problem: path => problems[path]?.split('\n', 1)[0] ?? null,
    busy: create.isPending,
  };

  const toFirstProblem = () => {
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPressed(true);
    // Main judges again before it signs, so a complaint about what was typed before does not hold anything up.
    const refused = preview.current && Object.keys(found).length > 0;
    if (checked.draft === null || refused) toFirstProblem();
    else create.mutate(checked.draft, { onError: toFirstProblem });
  };
  const grant = <GrantPreview preview={preview} />;
  const panel =
    sheet || !beside ? null : (
      <DetailPanel title="The grant you sign" onClose={() => setBeside(false)}>
        {grant}
      </DetailPanel>
    );

  return (
    <PageColumn title="New agent" panel={panel}>
      <form ref={form} className={classes.form} onSubmit={submit} noValidate>
        <WhereItRuns at="here" />
        <TextInput
          label="Name"
          description="What rooms and approvals call it."
          value={values.name}
          disabled={part.busy}
          error={part.problem('name')}
          onChange={event => part.change({ name: event.currentTarget.value })}
        />
        <ProgramFields {...part} />
        <PermissionFields {...part} />
        <Section title="Limits">
          <Stack gap="lg">
            <GrantLimits {...part} />
            <LimitFields
              values={values}
              change={part.change}
              problem={field => part.problem(`limits.${field}`)}
              busy={part.busy}
            />
          </Stack>
        </Section>
        {panel === null ? <Section title="The grant you sign">{grant}</Section> : null}
        <CreateFailure error={create.error} />
        <div>
          <Button type="submit" disabled={part.busy}>
            {part.busy ? 'Adding the agent and waiting for its program' : 'Sign the grant and add the agent'}
          </Button>
        </div>
      </form>
    </PageColumn>
  );
}

/** Why nothing was made, with what the program said in full; what belongs to a field stands there already. */
function CreateFailure({ error }: { error: Error | null }) {
  if (error === null) return null;
  const { fields: _, details, ...rest } = failureOf(error);
  return (
    <div data-create-failure>
      <FailureNote error={new CallError(rest)} />
      {details === undefined ? null : <Verbatim text={details} />}
    </div>
  );
}

function GrantLimits({ values, change, problem, busy }: FormPart) {
  const days = values.days === '' ? null : values.days;
  const ends = days === null ? null : new Date(Date.now() + days * 86_400_000);
  return (
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
      <NumberInput
        label="Days until it ends"
        description={
          ends === null || Number.isNaN(ends.getTime())
            ? '1 to 365'
            : `On ${ends.toLocaleDateString(undefined, { dateStyle: 'long' })}, unless you revoke it before`
        }
        allowDecimal={false}
        value={values.days}
        disabled={busy}
        error={problem('days')}
        onChange={value => change({ days: typeof value === 'number' ? value : '' })}
      />
    </div>
  );
}
