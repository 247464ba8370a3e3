// Pause, resume and remove, the same on every page.

import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { CallbackView } from '../../main/contract/callbacks.ts';
import type { CallbackActs } from './use-callbacks.ts';

export function CallbackButtons({ callback, acts }: { callback: CallbackView; acts: CallbackActs }) {
  const busy = acts.pending !== null;
  const look = { size: 'xs', variant: 'default', disabled: busy } as const;
  return (
    <>
      {callback.paused ? (
        <Button {...look} onClick={() => acts.act('resume')}>
          Resume
        </Button>
      ) : (
        <Button {...look} onClick={() => acts.act('pause')}>
          Pause
        </Button>
      )}
      <Button {...look} onClick={() => confirmRemove(callback, () => acts.remove())}>
        Remove
      </Button>
    </>
  );
}

function confirmRemove({ host }: CallbackView, act: () => void): void {
  modals.openConfirmModal({
    title: `Remove the callback to ${host}?`,
    children: (
      <Text>
        Nothing more is sent to it, what waits is dropped, and its log is deleted. Having it back takes a new
        registration with a new secret.
      </Text>
    ),
    labels: { confirm: 'Remove', cancel: 'Keep it' },
    confirmProps: { color: 'red.9' },
    closeButtonProps: { 'aria-label': 'Close' },
    onConfirm: act,
  });
}
