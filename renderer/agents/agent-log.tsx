// The log of one agent: the last lines of its file, and each new one as it is written.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentView, LogLine } from '../../main/contract/agents.ts';
import { call, usePush } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { Section } from '../parts/page.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { joinLines, MOST_LINES } from './log-lines.ts';
import { LogView } from './log-view.tsx';

export function AgentLog({ agent: { pubkey } }: { agent: AgentView }) {
  const [pushed, setPushed] = useState<LogLine[]>([]);
  // Lines written while the page was away were not heard: nothing is kept, the file is asked each time.
  const asked = useQuery({
    queryKey: ['agents.log', { pubkey }],
    queryFn: () => call('agents.log', { pubkey }),
    gcTime: 0,
  });
  usePush('agents.log', heard => {
    if (heard.pubkey === pubkey) setPushed(lines => [...lines.slice(-MOST_LINES), heard.line]);
  });
  return (
    <Section title="Log">
      {asked.isPending ? <RowSkeletons rows={4} height={20} /> : null}
      <FailureNote error={asked.error} onRetry={() => void asked.refetch()} />
      {asked.data === undefined ? null : <LogView lines={joinLines(asked.data, pushed)} />}
    </Section>
  );
}
