// One supervised `tiny agent`: its key and orders over the private channel, its status lines from stderr
// (relay/protocol/runner-status.ts). What it says is parsed here; what it means is main/agents/status.ts.

import { type RunnerOrder, type StatusLine, statusLine } from '../../relay/protocol/runner-status.ts';
import type { Limits, LogLine, Program } from '../contract/agents.ts';
import { type ChildParts, exitWords, readLines, startChild } from './child.ts';
import type { Supervised } from './supervisor.ts';

export type AgentLaunch = {
  pubkey: string;
  name: string;
  relay: string;
  rooms: string[];
  program: Program;
  limits: Limits;
  /** The runner's queue journal. */
  stateFile: string;
  /** Entry module that understands `agent …`. */
  entry: string;
  env: Record<string, string>;
  /** Hex, read at the last moment and handed over the channel only. */
  secret(): Promise<string>;
};

export type AgentOutput = {
  line(line: StatusLine): void;
  log(line: LogLine): void;
};

export type AgentProcess = Supervised & {
  /** Hands an order to the runner; false when it is gone. */
  order(order: RunnerOrder): boolean;
};

/** Longest status line: a full queue of 32 prompts of 64 KiB. */
const LINE_LIMIT = 4 * 1024 * 1024;
const READY_WITHIN_MS = 20_000;
const PATIENCE_MS = 1_800;

/** Starts the runner once. Rejects when the process could not be started or its key could not be read. */
export async function startAgentProcess(
  parts: ChildParts,
  launch: AgentLaunch,
  output: AgentOutput,
): Promise<AgentProcess> {
  const secret = await launch.secret();
  const child = await startChild(parts, {
    what: `runner of ${launch.name}`,
    name: 'tiny agent',
    entry: launch.entry,
    args: runnerArguments(launch, parts.spawner.node),
    env: launch.env,
    channel: 'lines',
    patience: PATIENCE_MS,
  });
  const { spawned } = child;
  spawned.send(secret);
  let lastWords = '';
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  const late = setTimeout(() => {
    lastWords = `it did not say it was ready within ${READY_WITHIN_MS / 1000} s`;
    spawned.kill(true);
  }, READY_WITHIN_MS);
  readLines(spawned.stderr, LINE_LIMIT, text => {
    const line = parseStatus(text);
    if (line === null) {
      if (text.trim() !== '') lastWords = text.trim().slice(0, 500);
      output.log({ at: Date.now(), level: 'warn', source: 'runner', text: text.slice(0, 4000) });
      return;
    }
    if (line.type === 'ready') {
      clearTimeout(late);
      isReady();
    }
    if (line.type === 'stopping') lastWords = line.reason;
    if (line.type === 'log')
      output.log({ at: line.at, level: line.level, source: line.source, text: line.text });
    output.line(line);
  });
  readLines(spawned.stdout, 8_000, text => {
    output.log({ at: Date.now(), level: 'info', source: 'runner', text });
  });
  const ended = child.ended.then(exit => {
    clearTimeout(late);
    return lastWords === '' ? exitWords(exit) : `${exitWords(exit)}: ${lastWords}`;
  });
  const order = (what: RunnerOrder) => spawned.send(JSON.stringify(what));
  return { pid: spawned.pid, ready, ended, order, stop: () => child.stop(() => order({ order: 'stop' })) };
}

function runnerArguments(launch: AgentLaunch, node: string): string[] {
  const { program } = launch;
  const { timeoutMs, promptMs, onExpiry } = runnerLimits(launch.limits);
  return [
    'agent',
    '--json',
    '--key-fd=3',
    `--node=${node}`,
    `--relay=${launch.relay}`,
    ...launch.rooms.map(room => `--room=${room}`),
    `--protocol=${program.protocol}`,
    `--command=${program.command}`,
    ...program.args.map(arg => `--arg=${arg}`),
    `--cwd=${program.cwd}`,
    `--timeout=${timeoutMs}ms`,
    `--prompt-timeout=${promptMs}ms`,
    `--on-expiry=${onExpiry}`,
    ...budgetArguments(launch.limits),
    `--state=${launch.stateFile}`,
  ];
}

function budgetArguments({ budget = {} }: Limits): string[] {
  const flags = {
    'max-runs-per-hour': budget.runsPerHour,
    'max-runs-per-day': budget.runsPerDay,
    'max-minutes-per-day': budget.minutesPerDay,
    'max-cost-per-day': budget.costPerDay,
  };
  return Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
}

/** The limits as the runner takes them; to wait means that a question lasts as long as its job may. */
export function runnerLimits({ runMinutes, promptSeconds, onExpiry }: Limits) {
  const timeoutMs = runMinutes * 60_000;
  const promptMs = onExpiry === 'wait' ? timeoutMs : promptSeconds * 1_000;
  return { timeoutMs, promptMs, onExpiry: onExpiry === 'stop' ? ('stop' as const) : ('refuse' as const) };
}

/** A status line, or null for text that is none: newer kinds of line are passed over by the caller's log. */
function parseStatus(text: string): StatusLine | null {
  if (!text.startsWith('{')) return null;
  try {
    const parsed = statusLine.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    // Half a line of a runner that was killed, or something else's output.
    return null;
  }
}
