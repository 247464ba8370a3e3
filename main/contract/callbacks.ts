// Event callbacks: URLs the relay POSTs matching events to, who they belong to, and what came of them (seed
// "Callbacks", spec/callbacks.md).

import { z } from 'zod';
import { feature, hex64, nothing, seconds } from './contract.ts';

const id = z.string().regex(/^[0-9a-f]{32}$/);
const list = z.array(z.string()).optional();

export const callbackFilter = z.object({
  kinds: z.array(z.number().int()),
  authors: list,
  '#a': list,
  '#e': list,
  '#p': list,
  '#h': list,
});

export const callbackView = z.object({
  id,
  /** Whose it is: it hears what this key may read. */
  owner: hex64,
  /** Only of the person's own. */
  url: z.string().optional(),
  /** Name and port. */
  host: z.string(),
  filter: callbackFilter,
  created: seconds,
  /** 0 before the first POST. */
  lastDelivery: seconds,
  /** What came of the last POST, or why it is paused; '' before the first. */
  lastStatus: z.string(),
  /** Failures in a row. */
  failures: z.number().int().nonnegative(),
  paused: z.boolean(),
});
export type CallbackView = z.infer<typeof callbackView>;

export const callbackList = z.object({
  items: z.array(callbackView),
  /** How many one key may hold; the owner has no limit. */
  allowance: z.number().int().nonnegative(),
  /** `loopback` lets a POST go to this machine as well. */
  targets: z.enum(['public', 'loopback']),
});
export type CallbackList = z.infer<typeof callbackList>;

export const callbackLogEntry = z.object({
  event_id: hex64,
  attempt: z.number().int(),
  at: seconds,
  /** HTTP status, 0 without an answer. */
  status: z.number().int(),
  /** '' after a success. */
  outcome: z.string(),
  milliseconds: z.number().int().nonnegative(),
});
export type CallbackLogEntry = z.infer<typeof callbackLogEntry>;

export const callbackDraft = z.object({
  url: z.string().trim().min(1, 'Write the URL that is to be called').max(2048),
  /** Read by the relay, which names what is wrong with it. */
  filter: z.record(z.string(), z.unknown()),
  /** One is made when it is left out. */
  secret: z.string().max(128).optional(),
});
export type CallbackDraft = z.infer<typeof callbackDraft>;

const one = { args: z.object({ id }), result: callbackView };

export const callbacks = feature({
  calls: {
    list: { args: nothing, result: callbackList },
    /** Registers for the person's own key; the answer alone holds the secret. Failures name `url`, `filter`, `secret`. */
    add: { args: callbackDraft, result: callbackView.extend({ secret: z.string() }) },
    pause: one,
    /** Refused while its key may not be served. What was missed is not sent. */
    resume: one,
    remove: { args: z.object({ id }), result: nothing },
    /** The last 50 POSTs, newest first. */
    log: { args: z.object({ id }), result: z.array(callbackLogEntry) },
    /** Sends a stored event once more. */
    redeliver: { args: z.object({ id, event: hex64 }), result: nothing },
    setRules: {
      args: callbackList.pick({ allowance: true, targets: true }).partial(),
      result: callbackList,
    },
  },
  pushes: { changed: callbackList },
});
