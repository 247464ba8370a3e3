// The outline of a thing that is on its way, shown only when it takes longer than 300 ms.

import { Group, Skeleton, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';

/** Shows its children after 300 ms. */
export function AfterAMoment({ children }: { children: ReactNode }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return late ? children : null;
}

/** Rows of a list that is being fetched. */
export function RowSkeletons({ rows = 6, height = 40 }: { rows?: number; height?: number }) {
  return (
    <AfterAMoment>
      <Stack gap="sm" role="status" aria-busy="true" aria-label="Loading">
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike
          <Skeleton key={row} height={height} width={`${100 - ((row * 7) % 30)}%`} />
        ))}
      </Stack>
    </AfterAMoment>
  );
}

/** Messages of a conversation that is being fetched. */
export function MessageSkeletons({ messages = 5 }: { messages?: number }) {
  return (
    <AfterAMoment>
      <Stack gap="xl" role="status" aria-busy="true" aria-label="Loading">
        {Array.from({ length: messages }, (_, message) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike
          <Group key={message} gap="md" align="flex-start" wrap="nowrap">
            <Skeleton circle height={32} style={{ flex: 'none' }} />
            <Stack gap="sm" flex={1}>
              <Skeleton height={12} width={120} />
              <Skeleton height={12} width={`${88 - ((message * 17) % 45)}%`} />
            </Stack>
          </Group>
        ))}
      </Stack>
    </AfterAMoment>
  );
}
