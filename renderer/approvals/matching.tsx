// One answer for several requests of the same kind by the same agent: each is listed whole first, each can be left out,
// and each is answered for itself.

import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { call, failureOf } from '../bridge.ts';
import { Visible } from '../parts/verbatim.tsx';
import { ActionView } from './action-view.tsx';
import classes from './approvals.module.css';
import { matching, titleOf } from './inbox.ts';
import { itemsOf, take, useInboxPages } from './live.ts';

const MODAL = 'matching';

/** Offers the list when others that wait match this one. `now` in Unix seconds. */
export function ApplyToMatching({ item, now }: { item: ApprovalView; now: number }) {
  const open = useInboxPages('open');
  const others = matching(itemsOf(open.data), item, now);
  if (others.length === 0) return null;
  const list = () =>
    modals.open({
      modalId: MODAL,
      size: 'xl',
      title: `${others.length + 1} waiting requests that match`,
      children: <Matching items={[item, ...others]} />,
    });
  return (
    <Button variant="subtle" size="compact-sm" onClick={list} data-action="matching">
      Apply to {others.length + 1} waiting that match…
    </Button>
  );
}

type Press = 'approve' | 'deny';
type Outcome = { id: string; words: string };

/** Answers one after the other; what was answered elsewhere meanwhile is told, the rest goes on. */
async function answerAll(items: readonly ApprovalView[], decision: Press): Promise<Outcome[]> {
  const failed: Outcome[] = [];
  for (const { id } of items) {
    try {
      take(await call('approvals.decide', { id, decision, from: 'dashboard' }));
    } catch (error) {
      failed.push({ id, words: failureOf(error).message });
    }
  }
  return failed;
}

function Matching({ items }: { items: readonly ApprovalView[] }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = items.filter(item => !left.has(item.id));
  const answering = useMutation<Outcome[], Error, Press>({
    mutationFn: press => answerAll(chosen, press),
    onSuccess: failed => {
      if (failed.length === 0) modals.close(MODAL);
    },
  });
  const busy = answering.isPending;
  const toggle = (id: string, on: boolean) => {
    const next = new Set(left);
    if (on) next.delete(id);
    else next.add(id);
    setLeft(next);
  };
  return (
    <Stack gap="lg">
      <Text c="dimmed">Same agent, same kind of action. Read each; leave out what is to wait.</Text>
      <ul className={classes.matching}>
        {items.map(item => {
          const failure = answering.data?.find(({ id }) => id === item.id);
          return (
            <li key={item.id} data-match={item.id}>
              <Checkbox
                label={<Visible text={titleOf(item)} />}
                checked={!left.has(item.id)}
                disabled={busy || answering.isSuccess}
                onChange={event => toggle(item.id, event.currentTarget.checked)}
              />
              {failure === undefined ? null : <p className={classes.trouble}>{failure.words}</p>}
              <ActionView item={item} />
            </li>
          );
        })}
      </ul>
      <Group gap="sm" className={classes.matchingFoot}>
        {answering.isSuccess ? (
          <Button variant="default" onClick={() => modals.close(MODAL)}>
            Close
          </Button>
        ) : (
          <>
            <Button disabled={busy || chosen.length === 0} onClick={() => answering.mutate('approve')}>
              {busy && answering.variables === 'approve'
                ? 'Approving'
                : `Approve these ${chosen.length} once`}
            </Button>
            <Button
              variant="default"
              disabled={busy || chosen.length === 0}
              onClick={() => answering.mutate('deny')}
            >
              {busy && answering.variables === 'deny' ? 'Denying' : `Deny these ${chosen.length}`}
            </Button>
            <Button variant="subtle" disabled={busy} onClick={() => modals.close(MODAL)}>
              Back
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}
