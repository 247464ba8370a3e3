// New callback: a URL, what it waits for, and afterwards the secret, which is shown this once.

import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { failureOf, useAct } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useAppState, useRooms } from '../parts/live.ts';
import { PageColumn, Section } from '../parts/page.tsx';
import { Verbatim } from '../parts/verbatim.tsx';
import { waitWords } from './callback-words.ts';
import classes from './callbacks.module.css';
import { SecretShown } from './secret-shown.tsx';
import { useCallbackList, useNames } from './use-callbacks.ts';
import { filterOf, type Problems, secretProblem, urlProblem, type Waked, type WakeValues } from './wake.ts';
import { WakeFields } from './wake-fields.tsx';

type Values = WakeValues & { url: string; secret: string };

export function NewCallbackPage() {
  const add = useAct('callbacks.add');
  if (add.data !== undefined) return <SecretShown made={add.data} />;
  return (
    <PageColumn title="New callback">
      <Form add={add} />
    </PageColumn>
  );
}

/** What was typed, with what stands there before anything is. */
function useValues(): [Values, (change: Partial<Values>) => void] {
  const rooms = useRooms();
  const me = useAppState()?.owner?.pubkey ?? null;
  const [typed, setTyped] = useState<Partial<Values>>({});
  const start: Values = {
    ...{ wake: 'mentions', room: rooms[0]?.id ?? null, who: me, repository: '' },
    ...{ own: '', url: '', secret: '' },
  };
  return [{ ...start, ...typed }, change => setTyped(before => ({ ...before, ...change }))];
}

function problemsOf(values: Values, waked: Waked, targets: 'public' | 'loopback'): Problems {
  const url = urlProblem(values.url, targets);
  const secret = secretProblem(values.secret);
  return {
    ...waked.problems,
    ...(url === null ? {} : { url }),
    ...(secret === null ? {} : { secret }),
  };
}

function Form({ add }: { add: ReturnType<typeof useAct<'callbacks.add'>> }) {
  const form = useRef<HTMLFormElement>(null);
  const [values, change] = useValues();
  const [pressed, setPressed] = useState(false);
  const waked = filterOf(values);
  const found = problemsOf(values, waked, useCallbackList()?.targets ?? 'public');
  const said = add.error === null ? {} : (failureOf(add.error).fields ?? {});
  const problems: Problems = { ...(pressed ? found : {}), ...said };
  const set = (next: Partial<Values>) => {
    add.reset();
    change(next);
  };
  const toFirstProblem = () => {
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPressed(true);
    if (waked.filter === null || Object.keys(found).length > 0) {
      toFirstProblem();
      return;
    }
    const secret = values.secret === '' ? {} : { secret: values.secret };
    add.mutate(
      { url: values.url.trim(), filter: { ...waked.filter }, ...secret },
      { onError: toFirstProblem },
    );
  };
  return (
    <form ref={form} className={classes.form} onSubmit={submit} noValidate>
      <TextInput
        label="URL"
        description="Called with one POST for each event. It hears what your key may read."
        placeholder="https://worker.example/tiny"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={values.url}
        error={problems.url}
        onChange={event => set({ url: event.currentTarget.value })}
      />
      <WakeFields values={values} problems={problems} onChange={set} />
      <TextInput
        label="Secret"
        description="Signs every POST. Leave it empty to have one made."
        autoComplete="off"
        spellCheck={false}
        value={values.secret}
        error={problems.secret}
        onChange={event => set({ secret: event.currentTarget.value })}
      />
      <Preview waked={waked} />
      {add.error !== null && Object.keys(said).length > 0 ? null : <FailureNote error={add.error} />}
      <div>
        <Button type="submit" loading={add.isPending}>
          Register the callback
        </Button>
      </div>
    </form>
  );
}

function Preview({ waked }: { waked: Waked }) {
  const names = useNames();
  if (waked.filter === null) return null;
  return (
    <Section title="The filter">
      <p className={classes.words}>{waitWords(waked.filter, names)}</p>
      <Verbatim text={JSON.stringify(waked.filter)} />
    </Section>
  );
}
