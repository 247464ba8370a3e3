// What holds a job up. Pure.

import type { ApprovalView } from '../../main/contract/approvals.ts';
import type { JobView } from '../../main/contract/jobs.ts';

/** The approval a job waits for: asked by one of its agents, in its room, about it or its thread. */
export function waitsFor(job: JobView, waiting: readonly ApprovalView[]): string | undefined {
  if (job.state !== 'open') return undefined;
  return waiting.find(
    item =>
      item.state === 'open' &&
      item.room === job.room &&
      job.assignees.includes(item.asker) &&
      (item.root === job.id ||
        (job.root !== undefined && item.root === job.root) ||
        item.about?.event === job.id),
  )?.id;
}
