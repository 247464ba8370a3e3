// What the runner and the two ways of driving a program (acp/, command/) say to each other.

import type { PermissionEnding } from '../relay/protocol/runner-status.ts';

/** The program to run and where. `hiddenEnv` names variables it must not inherit. */
export type ProgramSpec = {
  command: string;
  args: string[];
  cwd: string;
  hiddenEnv: string[];
  /** `NAME: value` that mark every process of this runner in its environment. */
  marks: Record<string, string>;
};

/** How long the steps of starting and stopping may take, in ms. */
export type ProgramTimes = { handshake: number; cancel: number; term: number; kill: number };

export const PROGRAM_TIMES: ProgramTimes = { handshake: 30_000, cancel: 800, term: 900, kill: 1_000 };

export const MAX_REPLY = 64_000;

/** An action the program asks permission for, as it put it. */
export type PermissionAsk = {
  toolCallId: string;
  title: string;
  tool: string;
  rawInput?: unknown;
  details: string[];
  diffs: { path: string; before: string; after: string; isNew: boolean }[];
  places: string[];
  options: { id: string; name: string; kind: string }[];
};

/**
 * How a permission ended; `rule` names what allowed it beforehand. `optionId` is the option to choose: the allow-once one with `allowed`, the program's own
 * reject with `refused` when nobody could be asked because there is nothing to allow once.
 */
export type PermissionOutcome = {
  ending: PermissionEnding;
  reason: string;
  by?: string;
  rule?: string;
  optionId?: string;
};

/** A step of a run; the same `id` again updates it. */
export type Activity = {
  id: string;
  kind: string;
  verb: string;
  object: string;
  outcome?: 'pending' | 'running' | 'done' | 'failed';
  detail?: string;
};

/** What a turn tells the run while it goes on. */
export type TurnEvents = {
  output(bytes: number): void;
  activity(activity: Activity): void;
  /** A line for the room; the newest wins. */
  progress(line: string): void;
  /** What the turn cost more than was told before, in the program's own currency. */
  cost(amount: number): void;
  ask(ask: PermissionAsk): Promise<PermissionOutcome>;
};

export type Turn = {
  /** Turns of one thread share a session while the process lives. */
  thread: string;
  prompt: string;
  /** Said before the prompt when the program has no memory of the thread; asked for only then. */
  background(): Promise<string>;
  events: TurnEvents;
  /** Aborts when the run must stop; the turn then ends within a few seconds, whatever the program does. */
  signal: AbortSignal;
};

/**
 * How a turn ended. `early`: the program never got the prompt, so nothing has been done. `text` is whatever answer
 * arrived, whole or not.
 */
export type TurnResult = {
  ending: 'done' | 'failed' | 'cancelled';
  text: string;
  reason: string;
  early: boolean;
};

/** Ids of sessions by thread, kept beyond one process for programs that can load them again. */
export type SessionMemory = {
  get(thread: string): string | undefined;
  set(thread: string, id: string): void;
};

export type Program = {
  /** Starts what can be started before the first turn; never rejects, the outcome is reported. */
  start(): Promise<void>;
  turn(turn: Turn): Promise<TurnResult>;
  /** Whether anything of it worked since this was asked last, as far as the system tells. */
  busy(): Promise<boolean>;
  /** The last line it wrote on stderr; '' when it wrote none. */
  lastWords(): string;
  /** Ends every process of the program; resolves when they are gone. */
  stop(): Promise<void>;
  /** Kills without waiting, for an exit at once. */
  kill(): void;
};
