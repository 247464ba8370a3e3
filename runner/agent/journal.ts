// What a runner must not forget: pending work, runs under way, open prompts, events to send, and what has been seen
// and answered. One JSON file, replaced whole (temporary file, fsync, rename) after every change, so that a crash at
// any moment leaves the last state (spec/tinyagent-connector.md B3, spec/decisions.md 12).

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const seconds = z.number().int().nonnegative();

const event = z.object({
  id: hex,
  pubkey: hex,
  created_at: seconds,
  kind: z.number().int(),
  tags: z.array(z.array(z.string())),
  content: z.string(),
  sig: z.string(),
});

/** One thing somebody asked: a mention in a room, or a job request that names the agent. */
const work = z.object({
  type: z.enum(['mention', 'request']),
  room: z.string(),
  event: hex,
  author: hex,
  prompt: z.string(),
  subject: z.string().optional(),
  /** The thread, as far as the event itself says. */
  root: hex,
  /** A request that hangs on a thread: its answer goes there as well. */
  threaded: z.boolean(),
  kind: z.number().int(),
  created_at: seconds,
  expires: seconds.optional(),
  /** ms since 1970 when it was taken in. */
  since: z.number(),
});
export type Work = z.infer<typeof work>;

/** A run under way. `run` is the id of the 43001, ours for mentions and the person's for a request. */
const activeRun = z.object({
  run: hex,
  room: z.string(),
  root: hex,
  requester: hex,
  subject: z.string(),
  expires: seconds.optional(),
  attempt: z.number().int().positive(),
  startedAt: z.number(),
  items: z.array(work).min(1),
});
export type ActiveRun = z.infer<typeof activeRun>;

const openPrompt = z.object({
  request: hex,
  run: hex,
  room: z.string(),
  expires: seconds,
  title: z.string(),
});
export type OpenPrompt = z.infer<typeof openPrompt>;

const outgoing = z.object({
  event,
  run: hex.optional(),
  attempts: z.number().int().nonnegative(),
  lastError: z.string().optional(),
});
export type Outgoing = z.infer<typeof outgoing>;

const refusal = z.object({ event: hex, kind: z.number().int(), reason: z.string() });

const journalState = z.object({
  version: z.literal(1),
  /** Stands in the environment of every process this runner starts, to find what a crash left behind. */
  id: z.uuid(),
  /** The agent whose journal this is. */
  pubkey: hex,
  /** `created_at` of the newest request taken in, or when the journal began: where listening goes on. */
  watermark: seconds,
  pending: z.record(z.string(), z.array(work)),
  active: z.record(z.string(), activeRun),
  prompts: z.array(openPrompt),
  outbox: z.array(outgoing),
  refused: z.array(refusal),
  /** Ids of requests taken in, oldest first. */
  seen: z.array(hex),
  /** Ids of requests whose answer has been journalled, oldest first: never answered again (case I6). */
  answered: z.array(hex),
  /** Requests whose run failed before anything was done, with how often: free to be taken in again (case I11). */
  released: z.record(z.string(), z.number().int()),
  /** Sessions of the program by thread. */
  sessions: z.record(z.string(), z.string()),
  /** Runs of the last day for the budget; without `ms` it is under way. Times in ms since 1970. */
  spent: z
    .array(z.object({ run: hex, at: z.number(), ms: z.number().optional(), cost: z.number().default(0) }))
    .default([]),
  /** Runs in a row that agents asked for, by room, and when the last one began (Unix seconds). */
  exchanges: z.record(z.string(), z.object({ count: z.number().int(), at: seconds })).default({}),
});
export type JournalState = z.infer<typeof journalState>;

const MAX_FILE = 32 * 1024 * 1024;
const MAX_HISTORY = 10_000;
const MAX_REFUSED = 50;
const MAX_SESSIONS = 200;
const MAX_RELEASED = 200;

/** A journal that cannot be used; the message says what to do. */
export class JournalError extends Error {}

export class Journal {
  readonly #file: string;
  readonly state: JournalState;
  #seen: Set<string>;
  #answered: Set<string>;

  private constructor(file: string, state: JournalState) {
    this.#file = file;
    this.state = state;
    this.#seen = new Set(state.seen);
    this.#answered = new Set(state.answered);
  }

  /** Opens or begins the journal of this agent. Throws JournalError for a file that is not one, or another agent's. */
  static open(file: string, pubkey: string, now: number): Journal {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const journal = new Journal(file, read(file) ?? empty(pubkey, now));
    if (journal.state.pubkey !== pubkey) {
      throw new JournalError(`${file} is the journal of agent ${journal.state.pubkey}, not of ${pubkey}`);
    }
    journal.save();
    return journal;
  }

  /** Makes a change and writes it down; when this returns it is on the disk. */
  change<T>(edit: (state: JournalState) => T): T {
    const result = edit(this.state);
    this.save();
    return result;
  }

  hasSeen(id: string): boolean {
    return this.#seen.has(id);
  }

  hasAnswered(id: string): boolean {
    return this.#answered.has(id);
  }

  /** Marks a request as taken in; to be called inside change(). */
  see(id: string): void {
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    this.state.seen.push(id);
  }

  /** Lifts the mark again; to be called inside change(). */
  forget(id: string): void {
    if (this.#seen.delete(id)) this.state.seen = this.state.seen.filter(seen => seen !== id);
  }

  /** Marks requests as answered; to be called inside change(). */
  answer(ids: string[]): void {
    for (const id of ids) {
      if (this.#answered.has(id)) continue;
      this.#answered.add(id);
      this.state.answered.push(id);
    }
  }

  save(): void {
    this.#trim();
    const temporary = `${this.#file}.${process.pid}.tmp`;
    const descriptor = openSync(temporary, 'w', 0o600);
    try {
      writeSync(descriptor, JSON.stringify(this.state));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, this.#file);
    syncFolder(dirname(this.#file));
  }

  #trim(): void {
    const { state } = this;
    const kept = new Set<string>();
    for (const item of everything(state)) kept.add(item.event);
    state.seen = newest(state.seen, MAX_HISTORY, this.#seen, kept);
    state.answered = newest(state.answered, MAX_HISTORY, this.#answered, kept);
    state.refused = state.refused.slice(-MAX_REFUSED);
    for (const map of [state.sessions, state.released]) {
      const limit = map === state.sessions ? MAX_SESSIONS : MAX_RELEASED;
      for (const key of Object.keys(map).slice(0, -limit)) delete map[key];
    }
  }
}

/** Every piece of work that waits or is under way. */
export function everything(state: JournalState): Work[] {
  return [
    ...Object.values(state.pending).flat(),
    ...Object.values(state.active).flatMap(active => active.items),
  ];
}

function newest(ids: string[], limit: number, index: Set<string>, kept: Set<string>): string[] {
  if (ids.length <= limit) return ids;
  const surplus = ids.length - limit;
  return ids.filter((id, position) => {
    if (position >= surplus || kept.has(id)) return true;
    index.delete(id);
    return false;
  });
}

function read(file: string): JournalState | null {
  let text: string;
  try {
    const { size } = statSync(file);
    if (size > MAX_FILE) {
      throw new JournalError(`${file} has ${size} bytes, more than ${MAX_FILE}; move it away to begin anew`);
    }
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JournalError(`${file} is not a journal (no JSON); move it away to begin anew`);
  }
  const parsed = journalState.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
  throw new JournalError(
    `${file} is not a journal this version can read${where}; move it away to begin anew`,
  );
}

function empty(pubkey: string, now: number): JournalState {
  return {
    version: 1,
    id: randomUUID(),
    pubkey,
    watermark: now,
    pending: {},
    active: {},
    prompts: [],
    outbox: [],
    refused: [],
    seen: [],
    answered: [],
    released: {},
    sessions: {},
    spent: [],
    exchanges: {},
  };
}

/** The rename itself has to reach the disk; where folders cannot be synced (Windows) the system does it. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
