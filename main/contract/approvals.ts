// Approvals: every request that asks the person, and what came of it.

import { z } from 'zod';
import { grantView } from './agents.ts';
import { feature, hex64, nostrEvent, seconds } from './contract.ts';

export const approvalState = z.enum(['open', 'answered', 'expired', 'withdrawn']);

export const approvalView = z.object({
  id: hex64,
  kind: z.number().int(),
  type: z.enum(['approve', 'decide', 'question', 'grant', 'wiki-proposal', 'wiki-merge']),
  asker: hex64,
  asked: z.array(hex64),
  subject: z.string(),
  content: z.string(),
  created_at: seconds,
  expires: seconds.optional(),
  state: approvalState,
  /** Why it is expired or withdrawn, in words. */
  reason: z.string().optional(),
  room: z.string().optional(),
  /** The thread it belongs to. */
  root: hex64.optional(),
  about: z
    .object({
      coordinate: z.string().optional(),
      event: z.string().optional(),
      kind: z.string().optional(),
      url: z.string().optional(),
    })
    .optional(),
  /** False when what would be approved is not wholly there: no Approve button then. */
  complete: z.boolean(),
  answer: z
    .object({
      id: hex64,
      author: hex64,
      decision: z.enum(['approved', 'denied', 'replied']),
      content: z.string(),
      created_at: seconds,
      /** Where it was given, when it was given through this desktop. */
      /** `rule`: it was allowed beforehand. */
      from: z.enum(['dashboard', 'banner', 'tray', 'rule']).optional(),
      /** What allowed it beforehand, in words. */
      rule: z.string().optional(),
    })
    .optional(),
  /** The job (43001) it was asked for, when it says so. */
  job: hex64.optional(),
  /** What "Ask again" published: the job anew, or a message to the agent. */
  again: z.object({ event: hex64, job: z.boolean() }).optional(),
  /** What the agent did after the answer, once known. */
  outcome: z.string().optional(),
  /** Parts of the runner's prompt, when it is one: shown apart so that nothing is cut. */
  action: z
    .object({
      why: z.string(),
      text: z.string(),
      folder: z.string().optional(),
      /** Kind of tool, as the Agent Client Protocol names it. */
      tool: z.string().optional(),
      diff: z.object({ path: z.string(), before: z.string(), after: z.string() }).optional(),
    })
    .optional(),
  options: z.array(z.object({ id: z.string(), label: z.string() })).optional(),
  selection: z.enum(['single', 'multiple', 'text']).optional(),
  freeform: z.boolean().optional(),
  interaction: z.enum(['question', 'approval', 'confirmation']).optional(),
  grant: z
    .object({
      before: grantView,
      after: grantView,
      unsigned: z.object({
        kind: z.number(),
        created_at: z.number(),
        tags: z.array(z.array(z.string())),
        content: z.string(),
      }),
    })
    .optional(),
  grantError: z.string().optional(),
  event: nostrEvent,
});
export type ApprovalView = z.infer<typeof approvalView>;

export const approvalPage = z.object({
  items: z.array(approvalView),
  next_cursor: z.string(),
  counts: z.object({ open: z.number().int(), answered: z.number().int(), expired: z.number().int() }),
});

export const approvals = feature({
  calls: {
    list: {
      args: z.object({
        state: z.enum(['open', 'answered', 'expired', 'all']).default('all'),
        cursor: z.string().optional(),
      }),
      result: approvalPage,
    },
    get: {
      args: z.object({ id: hex64 }),
      result: z.object({ item: approvalView, answers: z.array(nostrEvent) }),
    },
    /**
     * Approves or denies. `conflict` when somebody answered first: the message says who and when. The first press is
     * final: a second call for the same request never changes the answer.
     */
    decide: {
      args: z.object({
        id: hex64,
        decision: z.enum(['approve', 'deny']),
        from: z.enum(['dashboard', 'banner', 'tray']),
        /** Approving: also what the agent asks later, for the same kind of tool in this job, or always. */
        remember: z.enum(['job', 'always']).optional(),
      }),
      result: approvalView,
    },
    /** Has the work of an expired or withdrawn request done again, once (cases D12 D16). */
    askAgain: { args: z.object({ id: hex64 }), result: approvalView },
    /** A reply in words (kind 1111). */
    reply: {
      args: z.object({ id: hex64, content: z.string().trim().min(1, 'Write something').max(8000) }),
      result: approvalView,
    },
    /** The answer to a native card: chosen option ids and, where allowed, words. */
    answer: {
      args: z.object({ id: hex64, choices: z.array(z.string()).max(12), text: z.string().max(8000) }),
      result: approvalView,
    },
  },
  pushes: {
    changed: approvalView,
    counts: z.object({ open: z.number().int() }),
  },
});
