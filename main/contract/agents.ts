// Agents: who they are, what they may do, what they are doing, and the buttons that change that.

import { z } from 'zod';
import { standingPermissions } from '../../relay/protocol/permission-rule.ts';
import { budgetLimits } from '../../relay/protocol/runner-status.ts';
import { processState } from './app.ts';
import { feature, hex64, millis, nostrEvent, nothing, roomId, seconds } from './contract.ts';

/**
 * stopped: nobody wants it to run. starting: the process is there, its handshake is not. idle, running, waiting
 * (for a person). backing-off: it ended and will be started at `retryAt`. suspended: it will not be started until a
 * person acts. paused: its grant is. revoked and expired: its grant is. elsewhere: it does not run on this machine.
 */
export const agentState = z.enum([
  'stopped',
  'starting',
  'idle',
  'running',
  'waiting',
  'backing-off',
  'suspended',
  'paused',
  'revoked',
  'expired',
  'elsewhere',
]);
export type AgentState = z.infer<typeof agentState>;

export const repoScope = z.object({
  owner: hex64,
  identifier: z.string(),
  level: z.enum(['propose', 'read', 'maintain']),
});
export const siteScope = z.object({
  label: z.string(),
  ttl: z.number().int().optional(),
  encrypted: z.boolean().optional(),
});

/** What a grant allows, as spec/browse-queries.md section 1 calls it. */
export const grantScope = z.object({
  kinds: z.array(z.number().int()),
  rooms: z.array(z.string()),
  repos: z.array(repoScope),
  wiki: z.enum(['propose', 'edit']).optional(),
  jobs: z.enum(['request', 'serve', 'both']).optional(),
  sites: z.array(siteScope).optional(),
  rate: z.number().int(),
});
export type GrantScope = z.infer<typeof grantScope>;

export const grantView = z.object({
  event: hex64,
  owner: hex64,
  name: z.string(),
  expires: seconds,
  paused: z.boolean(),
  /** Unix seconds of the revocation, or 0. */
  revoked: seconds,
  scope: grantScope,
  /** The grant as sentences a person can check, one each. */
  words: z.array(z.string()),
});
export type GrantView = z.infer<typeof grantView>;

export const protocol = z.enum(['acp', 'command']);

export const program = z.object({
  command: z.string().trim().min(1, 'Name the program to run').max(4096),
  args: z.array(z.string().max(32_768)).max(256),
  /** Where it works: an absolute path. One below the home folder's `work/` is made when it is not there. */
  cwd: z.string().trim().min(1, 'Name a folder').max(4096),
  protocol,
});
export type Program = z.infer<typeof program>;

/**
 * How long its work and its questions may take, and what becomes of the work when nobody answers (case D16): `refuse`
 * the action and go on, `stop` the job, or `wait` for as long as the job may take.
 */
export const limits = z.object({
  /** Minutes a job may take. */
  runMinutes: z.number().int().min(1, 'At least a minute').max(1440, 'At most 1440 minutes').default(30),
  /** Seconds a question waits; of no weight with `wait`. */
  promptSeconds: z.number().int().min(5, 'At least 5 seconds').max(600, 'At most 600 seconds').default(600),
  onExpiry: z.enum(['refuse', 'stop', 'wait']).default('refuse'),
  /** What it may use up before the next job is held; nothing is limited without it. */
  budget: budgetLimits.optional(),
});
export type Limits = z.infer<typeof limits>;

/** A program found on this machine that can be an agent. */
export const foundProgram = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  protocol,
  /** Where it was found: `shipped`, or the folder. */
  source: z.string(),
});
export type FoundProgram = z.infer<typeof foundProgram>;

export const runView = z.object({
  run: hex64,
  room: z.string(),
  root: hex64,
  subject: z.string(),
  requester: hex64,
  /** Who asked, when it began with a mention. */
  asker: hex64.optional(),
  phase: z.enum(['accepted', 'running', 'waiting', 'ended']),
  ending: z.enum(['done', 'failed', 'cancelled', 'timed-out', 'interrupted']).optional(),
  reason: z.string().optional(),
  startedAt: millis,
  endedAt: millis.optional(),
  deadline: millis.optional(),
  activity: z.array(
    z.object({
      id: z.string(),
      at: millis,
      kind: z.string(),
      verb: z.string(),
      object: z.string(),
      outcome: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
});
export type RunView = z.infer<typeof runView>;

export const agentView = z.object({
  pubkey: hex64,
  npub: z.string(),
  name: z.string(),
  /** True when this desktop holds its key and runs it. */
  local: z.boolean(),
  state: agentState,
  reason: z.string().optional(),
  since: millis,
  retryAt: millis.optional(),
  process: processState.nullable(),
  program: program.nullable(),
  /** Null for an agent of another machine. */
  limits: limits.nullable(),
  /** What it may do without asking; null for an agent of another machine. */
  permissions: standingPermissions.nullable(),
  /** The agent's own program, one level below the runner. */
  child: z
    .object({
      pid: z.number().int().optional(),
      state: z.string(),
      reason: z.string().optional(),
      stderrTail: z.string().optional(),
    })
    .nullable(),
  grant: grantView.nullable(),
  run: runView.nullable(),
  recent: z.array(runView),
  queue: z.array(
    z.object({ room: z.string(), event: hex64, author: hex64, since: millis, prompt: z.string() }),
  ),
  /** When its program last said anything during a run. */
  lastOutputAt: millis.nullable(),
  lastReply: z
    .object({ event: hex64, at: millis, delivered: z.boolean(), reason: z.string().optional() })
    .nullable(),
  undelivered: z.number().int().nonnegative(),
  /** Refused for good by the relay, newest last. */
  refused: z.array(z.object({ event: hex64, kind: z.number().int(), reason: z.string() })),
  /** Unix seconds of its newest stored event, or 0. */
  lastEvent: seconds,
});
export type AgentView = z.infer<typeof agentView>;

/** What the New agent form holds. */
export const agentDraft = z.object({
  name: z.string().trim().min(1, 'Give it a name').max(64, 'At most 64 characters'),
  program,
  rooms: z.array(roomId).min(1, 'Choose at least one room').max(32, 'At most 32 rooms'),
  jobs: z.enum(['none', 'request', 'serve', 'both']),
  /** Kinds beyond those a runner needs. */
  kinds: z.array(z.number().int().min(0).max(65535)).max(240),
  rate: z.number().int().min(1, 'At least 1 a minute').max(600, 'At most 600 a minute'),
  /** Days from now. */
  days: z.number().int().min(1, 'At least a day').max(365, 'At most 365 days'),
  limits: limits.prefault({}),
});
export type AgentDraft = z.infer<typeof agentDraft>;

/** The whole grant form: any scope, for an agent that runs anywhere, and for a replacement. */
export const grantDraft = z.object({
  name: z.string().trim().min(1, 'Give it a name').max(64, 'At most 64 characters'),
  rooms: z.array(z.string().trim().min(1)).max(256, 'At most 256 rooms'),
  kinds: z.array(z.number().int().min(0).max(65535)).max(256, 'At most 256 kinds'),
  repos: z.array(repoScope).max(256, 'At most 256 repositories'),
  sites: z.array(siteScope).max(256, 'At most 256 sites'),
  wiki: z.enum(['none', 'propose', 'edit']),
  jobs: z.enum(['none', 'request', 'serve', 'both']),
  rate: z.number().int().min(1, 'At least 1 a minute').max(600, 'At most 600 a minute'),
  /** Unix seconds. */
  expires: seconds,
});
export type GrantDraft = z.infer<typeof grantDraft>;

export const grantPreview = z.object({
  words: z.array(z.string()),
  tags: z.array(z.array(z.string())),
  /** Path of a field (`rooms.0`, `program.cwd`) to what the relay or this machine would say against it. */
  problems: z.record(z.string(), z.string()),
});
export type GrantPreview = z.infer<typeof grantPreview>;

export const logLine = z.object({
  at: millis,
  level: z.enum(['debug', 'info', 'warn', 'error']),
  source: z.string(),
  text: z.string(),
});
export type LogLine = z.infer<typeof logLine>;

const one = z.object({ pubkey: hex64 });

export const agents = feature({
  calls: {
    list: { args: nothing, result: z.array(agentView) },
    get: { args: one, result: agentView },
    /** ACP programs found through the login shell's PATH, and the one that ships. */
    programs: {
      args: nothing,
      result: z.object({ found: z.array(foundProgram), searched: z.array(z.string()) }),
    },
    preview: { args: agentDraft, result: grantPreview },
    /** Key, grant, rooms and start as one action: all of it, or nothing is left behind. */
    create: { args: agentDraft, result: agentView },
    /** `pubkey` hex or npub; empty while its key is not made yet. For a replacement `base` is the grant it replaces. */
    previewGrant: {
      args: z.object({ grant: grantDraft, pubkey: z.string().max(200), base: hex64.optional() }),
      result: grantPreview,
    },
    /** Grants an agent that runs elsewhere: a public key, or a new one whose secret (`nsec`) is in this answer only. */
    grant: {
      args: z.object({ grant: grantDraft, pubkey: z.string().max(200).nullable() }),
      result: z.object({ pubkey: hex64, nsec: z.string().nullable() }),
    },
    /** Signs a replacement; `conflict` when the grant changed since `base` was shown. */
    editGrant: { args: z.object({ pubkey: hex64, grant: grantDraft, base: hex64 }), result: agentView },
    /** Holds for the job under way as far as it has not asked or ended yet, and for all to come. */
    setLimits: { args: z.object({ pubkey: hex64, limits }), result: agentView },
    /** Takes a remembered permission back. */
    forget: { args: z.object({ pubkey: hex64, rule: z.string() }), result: agentView },
    /** Asks nothing for so many minutes; 0 asks again from now on. It ends with the program too. */
    bypass: {
      args: z.object({ pubkey: hex64, minutes: z.number().int().min(0).max(480) }),
      result: agentView,
    },
    start: { args: one, result: agentView },
    stop: { args: one, result: agentView },
    /** Pauses the grant on the relay; the runner is told and waits. */
    pause: { args: one, result: agentView },
    resume: { args: one, result: agentView },
    revoke: { args: one, result: agentView },
    /** Ends the run in progress. */
    cancel: { args: z.object({ pubkey: hex64, run: hex64 }), result: nothing },
    /** Stops and revokes it, then takes its key and folder away. */
    remove: { args: one, result: nothing },
    log: {
      args: z.object({ pubkey: hex64, limit: z.number().int().min(1).max(2000).default(500) }),
      result: z.array(logLine),
    },
    /** Its newest events on the relay. */
    events: { args: one, result: z.array(nostrEvent) },
    pauseAll: { args: nothing, result: z.object({ changed: z.number().int() }) },
    resumeAll: { args: nothing, result: z.object({ changed: z.number().int() }) },
  },
  pushes: {
    changed: agentView,
    removed: one,
    log: z.object({ pubkey: hex64, line: logLine }),
  },
});
