// Which open approval holds a job up, if one does.

import type { ApprovalView } from '../../main/contract/approvals.ts';
import type { JobView } from '../../main/contract/jobs.ts';
import { useCall } from '../bridge.ts';

const none: ApprovalView[] = [];

/** Open approvals that wait for the person, newest first. */
export function useWaiting(): ApprovalView[] {
  return useCall('approvals.list', { state: 'open' }).data?.items ?? none;
}

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

/** Id of the approval that holds the job up, or undefined. */
export function useJobWaits(job: JobView): string | undefined {
  return waitsFor(job, useWaiting());
}
