// The vault is not open: what was tried and what it answered, and the passphrase that opens it or seals a new one.
// Nothing here makes a key because an old one could not be read (design.md, "Keys").

import { Button, PasswordInput } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AppState } from '../../main/contract/app.ts';
import { call, queries } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useAppState } from '../parts/live.ts';
import { Visible } from '../parts/verbatim.tsx';
import { passphraseProblem, secondProblem } from './passphrase.ts';
import classes from './unlock.module.css';

function take(next: AppState): void {
  queries.setQueryData(['app.state', {}], next);
  // Behind the lock nothing could be read: everything is asked for now.
  if (next.vault.state === 'open') void queries.invalidateQueries();
}

export function UnlockPage() {
  const state = useAppState();
  const retry = useMutation<AppState, Error, void>({
    mutationFn: () => call('app.retryKeychain', {}),
    onSuccess: take,
  });
  if (state === undefined) return null;
  const { vault } = state;
  const unusable = vault.state === 'unusable';
  return (
    <main className={classes.page} id="main">
      <div className={classes.box}>
        <h1 className={classes.title}>
          <IconLock size={20} />
          {unusable
            ? 'The keys cannot be read'
            : vault.fresh
              ? 'Choose a passphrase for your keys'
              : 'Tiny is locked'}
        </h1>
        <Tried vault={vault} />
        {unusable ? (
          <p>
            Nothing was changed and no new key was made. The keys lie in <code>{state.home}</code>; once what
            holds them answers again, everything is as it was.
          </p>
        ) : (
          <PassphraseForm fresh={vault.fresh} />
        )}
        {vault.backend === 'passphrase' && !vault.fresh && vault.problem === undefined ? null : (
          <div className={classes.again}>
            <Button variant="default" disabled={retry.isPending} onClick={() => retry.mutate()}>
              {retry.isPending ? 'Asking the keychain' : 'Try the keychain again'}
            </Button>
          </div>
        )}
        <FailureNote error={retry.error} />
      </div>
    </main>
  );
}

function Tried({ vault }: { vault: AppState['vault'] }) {
  if (vault.problem === undefined) {
    return vault.fresh || vault.state === 'unusable' ? null : (
      <p>Your keys are sealed with a passphrase. Give it to open them.</p>
    );
  }
  return (
    <p className={classes.tried}>
      {vault.backendName === '' ? 'The keychain' : vault.backendName} was tried. It answered:{' '}
      <q>
        <Visible text={vault.problem} />
      </q>
    </p>
  );
}

function PassphraseForm({ fresh }: { fresh: boolean }) {
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const [pressed, setPressed] = useState(false);
  const open = useMutation<AppState, Error, string>({
    mutationFn: passphrase => call('app.unlock', { passphrase }),
    onSuccess: take,
  });
  const problem = passphraseProblem(first);
  const again = fresh ? secondProblem(first, second) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPressed(true);
    if (problem === null && again === null) open.mutate(first);
  };
  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      {fresh ? (
        <p className={classes.what}>
          It seals the keys of you and your agents on this computer, and is asked for at each start. It is
          kept nowhere: if it is lost, the keys cannot be recovered by anyone.
        </p>
      ) : null}
      <PasswordInput
        label={fresh ? 'New passphrase' : 'Passphrase'}
        description={fresh ? 'At least 8 characters; a few words are better than a short puzzle.' : undefined}
        autoComplete={fresh ? 'new-password' : 'current-password'}
        data-autofocus
        autoFocus
        value={first}
        disabled={open.isPending}
        error={pressed ? problem : null}
        onChange={event => {
          open.reset();
          setFirst(event.currentTarget.value);
        }}
      />
      {fresh ? (
        <PasswordInput
          label="The same again"
          autoComplete="new-password"
          value={second}
          disabled={open.isPending}
          error={pressed && problem === null ? again : null}
          onChange={event => setSecond(event.currentTarget.value)}
        />
      ) : null}
      <FailureNote error={open.error} />
      <div>
        <Button type="submit" disabled={open.isPending}>
          {open.isPending ? (fresh ? 'Sealing the keys' : 'Opening') : fresh ? 'Seal my keys' : 'Open'}
        </Button>
      </div>
    </form>
  );
}
