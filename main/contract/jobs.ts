// Long tasks (kinds 43001 to 43006) across rooms.

import { z } from 'zod';
import { feature, hex64, nostrEvent, roomId, seconds } from './contract.ts';

export const jobAnswer = z.object({
  id: hex64,
  kind: z.number().int(),
  provider: hex64,
  content: z.string(),
  created_at: seconds,
  artifacts: z.array(z.object({ type: z.enum(['e', 'a', 'r']), value: z.string() })).optional(),
});
export type JobAnswer = z.infer<typeof jobAnswer>;

export const jobView = z.object({
  id: hex64,
  room: z.string(),
  requester: hex64,
  /** Who asked, when the agent opened the job on a mention of theirs. */
  asker: hex64.optional(),
  assignees: z.array(hex64),
  subject: z.string().optional(),
  content: z.string(),
  created_at: seconds,
  expires: seconds.optional(),
  root: hex64.optional(),
  state: z.enum(['open', 'done', 'failed', 'cancelled']),
  status: z.enum(['queued', 'accepted', 'running', 'done', 'failed', 'cancelled']),
  progress: jobAnswer.optional(),
  result: jobAnswer.optional(),
  error: jobAnswer.optional(),
  cancelled_at: seconds.optional(),
  event: nostrEvent,
});
export type JobView = z.infer<typeof jobView>;

export const jobs = feature({
  calls: {
    list: {
      args: z.object({
        state: z.enum(['open', 'done', 'failed', 'cancelled', 'all']).default('all'),
        room: roomId.optional(),
        agent: hex64.optional(),
        cursor: z.string().optional(),
      }),
      result: z.object({ items: z.array(jobView), next_cursor: z.string() }),
    },
    get: { args: z.object({ id: hex64 }), result: z.object({ item: jobView, answers: z.array(jobAnswer) }) },
    /** Publishes a 43001 as the owner: "Ask an agent". */
    request: {
      args: z.object({
        room: roomId,
        assignees: z.array(hex64).min(1).max(16),
        subject: z.string().max(200),
        content: z.string().max(64_000),
        root: hex64.optional(),
      }),
      result: jobView,
    },
    /** Ends a job: 43005 when the person asked, else the local runner that serves it is told to stop. */
    cancel: { args: z.object({ id: hex64 }), result: jobView },
  },
  pushes: { changed: jobView },
});
