// "Approve for this job" and "Always…": whether they mean something for a request, and the scope of "always" in words
// before it is given.

import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { toolWords } from '../../relay/protocol/permission-rule.ts';
import { alwaysWords } from '../agents/permission-words.ts';
import { useAgents } from '../parts/live.ts';

export type Rememberable = { tool: string; name: string; job: boolean };

/** What may be remembered beside this one yes; null where only once has a plain meaning. */
export function useRememberable(item: ApprovalView): Rememberable | null {
  const agent = useAgents().find(other => other.pubkey === item.asker);
  const tool = item.action?.tool;
  if (agent === undefined || agent.permissions === null || tool === undefined) return null;
  return toolWords(tool) === null ? null : { tool, name: agent.name, job: item.job !== undefined };
}

/** Spells out what "always" allows; `approve` is called when the person wants that. */
export function confirmAlways({ tool, name }: Rememberable, approve: () => void): void {
  modals.openConfirmModal({
    title: `Always let ${name} ${toolWords(tool)}?`,
    children: (
      <ul style={{ margin: 0, paddingLeft: 16 }}>
        {alwaysWords(tool).map(sentence => (
          <li key={sentence}>
            <Text>{sentence}</Text>
          </li>
        ))}
      </ul>
    ),
    labels: { confirm: `Approve and always let it ${toolWords(tool)}`, cancel: 'Back' },
    closeButtonProps: { 'aria-label': 'Close' },
    onConfirm: approve,
  });
}
