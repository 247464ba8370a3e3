// Long tasks are for members and agents, and an answer or cancel belongs to a request held here (spec/jobs.md 2).

import { isJobKind, isJobReply, JOBS_OUTSIDER, jobReplyRefusal, jobRequestId } from '../../protocol/job.ts';
import type { Rule } from '../rule.ts';

export const jobReply: Rule = ({ event, origin }, { store, roles, visibility }) => {
  if (!isJobKind(event.kind)) return null;
  if (origin.via !== 'import' && !roles.isMember(event.pubkey)) return JOBS_OUTSIDER;
  if (!isJobReply(event.kind)) return null;
  const request = store.events.get(jobRequestId(event) ?? '');
  const readable = request !== null && visibility.canRead({ keys: [event.pubkey] }, request);
  return jobReplyRefusal(event, readable ? request : null);
};
