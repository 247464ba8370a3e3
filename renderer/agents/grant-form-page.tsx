// A page around the whole grant form: complaints at their fields, the resulting grant beside it, one button.

import { Button } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import type { GrantDraft } from '../../main/contract/agents.ts';
import { CallError, failureOf } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { DetailPanel, PageColumn, Section, useSheet } from '../parts/page.tsx';
import { shownProblems } from './draft.ts';
import { GrantFields } from './grant-fields.tsx';
import { checkGrant, type GrantValues } from './grant-form.ts';
import { GrantPreview } from './grant-preview.tsx';
import classes from './new-agent.module.css';
import { useFormPreview } from './use-grant-preview.ts';

export type GrantFormPageProps = {
  title: string;
  start: GrantValues;
  /** What the grant is for, for main to judge it; the key may still be empty. */
  judged: { pubkey: string; base?: string };
  /** The end of the grant being replaced, in Unix seconds. */
  keep?: number;
  /** Above the fields; is told the complaint about its own field. */
  head?: (problem: (path: string) => string | null, busy: boolean) => ReactNode;
  /** What is wrong with the head. */
  headProblems?: Readonly<Record<string, string>>;
  button: { rest: string; busy: string };
  sending: { isPending: boolean; error: Error | null; reset: () => void };
  onSend: (draft: GrantDraft) => void;
};

export function GrantFormPage(props: GrantFormPageProps) {
  const { title, start, judged, keep, head, headProblems = {}, button, sending, onSend } = props;
  const sheet = useSheet();
  const [beside, setBeside] = useState(true);
  const [typed, setTyped] = useState<Partial<GrantValues>>({});
  const [pressed, setPressed] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const values = { ...start, ...typed };
  const checked = checkGrant(values, keep);
  const nameless = checkGrant({ ...values, name: values.name.trim() || 'Agent' }, keep).draft;
  const preview = useFormPreview(nameless && { grant: nameless, ...judged });
  const found = shownProblems(preview.data?.problems ?? {}, values.name.trim() === '' ? ['name'] : []);
  const refused = sending.error === null ? {} : (failureOf(sending.error).fields ?? {});
  const own = pressed ? { ...checked.problems, ...headProblems } : {};
  const problems: Readonly<Record<string, string>> = { ...found, ...own, ...refused };
  const problem = (path: string) => problems[path] ?? null;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPressed(true);
    const wrong = preview.current && Object.keys(found).length > 0;
    if (checked.draft === null || Object.keys(headProblems).length > 0 || wrong) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
    } else onSend(checked.draft);
  };
  const grant = <GrantPreview preview={preview} />;
  const panel =
    sheet || !beside ? null : (
      <DetailPanel title="The grant you sign" onClose={() => setBeside(false)}>
        {grant}
      </DetailPanel>
    );
  return (
    <PageColumn title={title} panel={panel}>
      <form ref={form} className={classes.form} onSubmit={submit} noValidate>
        {head?.(problem, sending.isPending)}
        <GrantFields
          values={values}
          change={change => {
            sending.reset();
            setTyped(before => ({ ...before, ...change }));
          }}
          problem={problem}
          busy={sending.isPending}
        />
        {panel === null ? <Section title="The grant you sign">{grant}</Section> : null}
        <SendFailure error={sending.error} />
        <div>
          <Button type="submit" disabled={sending.isPending}>
            {sending.isPending ? button.busy : button.rest}
          </Button>
        </div>
      </form>
    </PageColumn>
  );
}

/** What belongs to a field stands there already. */
function SendFailure({ error }: { error: Error | null }) {
  if (error === null) return null;
  const { fields: _, ...rest } = failureOf(error);
  return <FailureNote error={new CallError(rest)} />;
}
