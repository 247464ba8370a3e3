// Which open approval holds a job up, if one does.

import type { ApprovalView } from '../../main/contract/approvals.ts';
import type { JobView } from '../../main/contract/jobs.ts';
import { useCall } from '../bridge.ts';
import { waitsFor } from './waits.ts';

const none: ApprovalView[] = [];

/** Open approvals that wait for the person, newest first. */
export function useWaiting(): ApprovalView[] {
  return useCall('approvals.list', { state: 'open' }).data?.items ?? none;
}

/** Id of the approval that holds the job up, or undefined. */
export function useJobWaits(job: JobView): string | undefined {
  return waitsFor(job, useWaiting());
}
