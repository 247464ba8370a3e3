// "Ask again" on a request nobody answered in time, or that its agent took back: the work is asked for once more
// (cases D12 D16). Afterwards the card says so and leads to the new job.

import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { call } from '../bridge.ts';
import { address } from '../frame/router.ts';
import { FailureNote } from '../parts/failure.tsx';
import classes from './approvals.module.css';
import { mayAskAgain, stateAt } from './inbox.ts';
import { take } from './live.ts';

/** `now` in Unix seconds. */
export function AskAgain({ item, now }: { item: ApprovalView; now: number }) {
  const asking = useMutation<ApprovalView, Error, void>({
    mutationFn: () => call('approvals.askAgain', { id: item.id }),
    onSuccess: take,
  });
  if (item.again !== undefined) {
    return (
      <p className={classes.again}>
        Asked again.{' '}
        {item.again.job ? <a href={address('jobs', item.again.event)}>Open the new job</a> : 'See the room.'}
      </p>
    );
  }
  if (!mayAskAgain(item, stateAt(item, now))) return null;
  return (
    <div className={classes.again}>
      <FailureNote error={asking.error} />
      <Button
        variant="default"
        disabled={asking.isPending}
        onClick={({ currentTarget }) => {
          // The button goes with the press: the card keeps the focus.
          currentTarget.closest<HTMLElement>('[data-approval]')?.focus({ preventScroll: true });
          asking.mutate();
        }}
        data-action="ask-again"
      >
        {asking.isPending ? 'Asking again' : 'Ask again'}
      </Button>
    </div>
  );
}
