// An error: what happened, why, what to do; the relay's own words folded under "details".

import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { failureOf } from '../bridge.ts';
import classes from './failure.module.css';
import { Verbatim } from './verbatim.tsx';

export type FailureNoteProps = {
  /** Anything thrown; null shows nothing. */
  error: unknown;
  /** Offers to try again. */
  onRetry?: (() => void) | undefined;
  /** A button of the page's own, when trying again is not what helps. */
  children?: ReactNode;
};

/** The error in the place where it happened. */
export function FailureNote({ error, onRetry, children }: FailureNoteProps) {
  if (error === null || error === undefined) return null;
  const failure = failureOf(error);
  return (
    <div className={classes.failure} role="alert">
      <IconAlertTriangle size={18} className={classes.icon} />
      <div className={classes.body}>
        <Text>{failure.message}</Text>
        {failure.fields ? (
          <ul className={classes.fields}>
            {Object.entries(failure.fields).map(([field, problem]) => (
              <li key={field}>{problem}</li>
            ))}
          </ul>
        ) : null}
        {failure.details ? (
          <details>
            <summary>Details</summary>
            <Verbatim text={failure.details} />
          </details>
        ) : null}
        {onRetry || children ? (
          <Group gap="sm" mt="sm">
            {onRetry ? (
              <Button size="xs" variant="default" onClick={onRetry}>
                Try again
              </Button>
            ) : null}
            {children}
          </Group>
        ) : null}
      </div>
    </div>
  );
}

/** The error of something done in passing, where the page has no place for it. */
export function tellFailure(error: unknown, what?: string): void {
  const failure = failureOf(error);
  notifications.show({
    title: what ?? null,
    message: failure.message,
    color: 'red',
    autoClose: 8000,
    withBorder: true,
  });
}

/** A short word that something was done, where nothing on screen shows it. */
export function tell(message: string): void {
  notifications.show({ message, autoClose: 4000, withBorder: true });
}
