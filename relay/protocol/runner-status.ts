// What `tiny agent --json` says on stderr, one JSON object a line, and what a supervisor may say to it over
// the key descriptor. Unknown kinds of line are to be passed over by readers: newer runners may say more.

import { z } from 'zod';
import { standingPermissions } from './permission-rule.ts';

const ms = z.number().int().nonnegative();
const hex = z.string().regex(/^[0-9a-f]{64}$/);

/** What an agent may use up; a field left out is no limit. Cost is in whatever currency the program reports. */
export const budgetLimits = z.object({
  runsPerHour: z.number().int().positive().optional(),
  runsPerDay: z.number().int().positive().optional(),
  minutesPerDay: z.number().positive().optional(),
  costPerDay: z.number().positive().optional(),
});
export type BudgetLimits = z.infer<typeof budgetLimits>;

/** The one ending of a run (spec/decisions.md 12). */
export const runEnding = z.enum(['done', 'failed', 'cancelled', 'timed-out', 'interrupted']);
export type RunEnding = z.infer<typeof runEnding>;

/** The one ending of a permission prompt (spec/decisions.md 11). */
export const permissionEnding = z.enum(['allowed', 'denied', 'expired', 'withdrawn', 'refused']);
export type PermissionEnding = z.infer<typeof permissionEnding>;

const at = { at: ms };

export const statusLine = z.discriminatedUnion('type', [
  /** First line: the runner has its key and its journal. */
  z.object({ type: z.literal('ready'), ...at, pubkey: hex, pid: z.number().int() }),
  z.object({
    type: z.literal('connection'),
    ...at,
    state: z.enum(['connecting', 'online', 'offline']),
    reason: z.string().optional(),
    retryAt: ms.optional(),
  }),
  /** The agent's own program. `startTime` with the pid tells one process from a later one with its pid. */
  z.object({
    type: z.literal('program'),
    ...at,
    state: z.enum(['starting', 'ready', 'exited', 'spawn-failed', 'authentication-needed']),
    pid: z.number().int().optional(),
    startTime: z.string().optional(),
    code: z.number().int().nullable().optional(),
    signal: z.string().nullable().optional(),
    reason: z.string().optional(),
    stderrTail: z.string().optional(),
  }),
  z.object({
    type: z.literal('queue'),
    ...at,
    waiting: z.array(z.object({ room: z.string(), event: hex, author: hex, since: ms, prompt: z.string() })),
  }),
  z.object({
    type: z.literal('run'),
    ...at,
    /** Id of the 43001 the run answers; stable from accepted to ended. */
    run: hex,
    room: z.string(),
    root: hex,
    subject: z.string(),
    requester: hex,
    /** Who asked for it first; for a mention the requester is the agent itself. */
    asker: hex.optional(),
    phase: z.enum(['accepted', 'running', 'waiting', 'ended']),
    ending: runEnding.optional(),
    reason: z.string().optional(),
    deadline: ms.optional(),
  }),
  /** A step of the run, as verb, object and outcome. The same `id` again updates it. */
  z.object({
    type: z.literal('activity'),
    ...at,
    run: hex,
    id: z.string(),
    kind: z.string(),
    verb: z.string(),
    object: z.string(),
    outcome: z.enum(['pending', 'running', 'done', 'failed']).optional(),
    detail: z.string().optional(),
  }),
  z.object({ type: z.literal('output'), ...at, run: hex, bytes: z.number().int() }),
  z.object({
    type: z.literal('permission'),
    ...at,
    run: hex,
    request: hex,
    title: z.string(),
    expires: ms,
    ending: permissionEnding.optional(),
    by: hex.optional(),
    /** What allowed it beforehand: the id of a remembered permission, or `bypass`. */
    rule: z.string().optional(),
  }),
  z.object({
    type: z.literal('reply'),
    ...at,
    run: hex,
    event: hex,
    delivered: z.boolean(),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal('outbox'),
    ...at,
    undelivered: z.number().int().nonnegative(),
    refused: z.array(z.object({ event: hex, kind: z.number().int(), reason: z.string() })),
  }),
  /** The relay says the grant does not hold now: paused, revoked, expired; or it holds again. */
  z.object({
    type: z.literal('grant'),
    ...at,
    state: z.enum(['active', 'paused', 'revoked', 'expired', 'none']),
    reason: z.string().optional(),
  }),
  /** How the budget stands; `spent` holds the next run, until then at the latest when time alone mends it. */
  z.object({
    type: z.literal('budget'),
    ...at,
    state: z.enum(['within', 'near', 'spent']),
    reason: z.string().optional(),
    until: ms.optional(),
  }),
  /** Agents have answered each other too often without a person: what agents ask in that room waits for one. */
  z.object({
    type: z.literal('loop'),
    ...at,
    room: z.string(),
    held: z.boolean(),
    exchanges: z.number().int().nonnegative(),
    reason: z.string().optional(),
  }),
  /** Why a runner suspended itself: a person must act. One of kind `budget` ends with the next `budget` line that is not `spent`. */
  z.object({
    type: z.literal('suspended'),
    ...at,
    reason: z.string(),
    kind: z.enum(['quota', 'authentication', 'budget']),
  }),
  z.object({
    type: z.literal('log'),
    ...at,
    level: z.enum(['debug', 'info', 'warn', 'error']),
    source: z.enum(['runner', 'program']),
    text: z.string(),
  }),
  z.object({ type: z.literal('stopping'), ...at, reason: z.string() }),
]);
export type StatusLine = z.infer<typeof statusLine>;

/**
 * Lines to the runner on `--key-fd N`: the first is the secret key in hex, each later one a JSON object of this
 * shape. The descriptor closing means the supervisor is gone: the runner stops in order.
 */
export const runnerOrder = z.discriminatedUnion('order', [
  z.object({ order: z.literal('stop') }),
  z.object({ order: z.literal('pause'), reason: z.string() }),
  z.object({ order: z.literal('resume') }),
  /** Cancels the run with that 43001 id at once. */
  z.object({ order: z.literal('cancel'), run: hex }),
  /** From now on: `--timeout`, `--prompt-timeout` (ms) and `--on-expiry`. A run under way keeps its deadline. */
  z.object({
    order: z.literal('limits'),
    timeoutMs: ms.positive(),
    promptMs: ms.positive(),
    onExpiry: z.enum(['refuse', 'stop']),
  }),
  /** Another budget from now on; `forgive`: what was used until now no longer counts. */
  z.object({ order: z.literal('budget'), budget: budgetLimits, forgive: z.boolean().optional() }),
  /** All that is allowed beforehand, in place of what was; without this order nothing is. */
  z.object({ order: z.literal('permissions'), standing: standingPermissions }),
]);
export type RunnerOrder = z.infer<typeof runnerOrder>;
