// `tiny agent`: options, checked one by one, the key from where it may come, and the life of the process.

import { statSync } from 'node:fs';
import { inspect } from 'node:util';
import { Command, CommanderError, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { parseSecret } from '../relay/client/signer.ts';
import type { BudgetLimits } from '../relay/protocol/runner-status.ts';
import { isRoomId } from '../relay/protocol/tags.ts';
import { Agent, type AgentOptions, StartFailure } from './agent/agent.ts';
import { type Report, reportTo } from './status.ts';
import { lineFromDescriptor, lineFromParentPort, type SupervisorLine } from './supervisor-line.ts';

type Flags = {
  relay: string;
  room: string[];
  command: string;
  arg: string[];
  cwd: string;
  state: string;
  protocol: 'acp' | 'command';
  keyEnv?: string;
  keyFd?: number;
  timeout: number;
  promptTimeout: number;
  onExpiry: 'refuse' | 'stop';
  silenceTimeout: number;
  maxRunsPerHour?: number;
  maxRunsPerDay?: number;
  maxMinutesPerDay?: number;
  maxCostPerDay?: number;
  maxExchanges?: number;
  node?: string;
  json: boolean;
};

const DEFAULT_KEY = 'TINY_AGENT_KEY';
const MAX_ROOMS = 32;

/** Runs one runner until it is told to stop; answers the exit code. */
export async function agentCommand(argv: string[]): Promise<number> {
  const flags = parse(argv);
  if (typeof flags === 'number') return flags;
  const report = reportTo(process.stderr, flags.json);
  // The protocol library talks on the console; a supervisor reads lines of ours there.
  console.error = (...words) => {
    const text = words.map(word => (typeof word === 'string' ? word : inspect(word))).join(' ');
    report({ type: 'log', level: 'debug', source: 'runner', text });
  };
  let line: SupervisorLine | null = null;
  try {
    line = openLine(flags);
    const secret = await readKey(flags, line);
    return await live({ ...optionsOf(flags, report), secret }, line);
  } catch (error) {
    if (error instanceof UsageError || error instanceof StartFailure) return fail(error.message);
    throw error;
  } finally {
    line?.close();
  }
}

async function live(options: AgentOptions, line: SupervisorLine | null): Promise<number> {
  const stopped = Promise.withResolvers<number>();
  let agent: Agent | null = null;
  let reason: string | null = null;
  const stop = (why: string) => {
    reason ??= why;
    void agent?.stop(reason).then(() => stopped.resolve(0));
  };
  const signalled = (signal: string) => {
    // The second one does not wait for anything.
    if (reason !== null) {
      agent?.killNow();
      process.exit(1);
    }
    stop(`received ${signal}`);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, signalled);
  const running = await Agent.start(options);
  agent = running;
  line?.listen({
    order: order => (order.order === 'stop' ? stop('told to stop') : running.order(order)),
    gone: () => stop('the supervisor is gone'),
    problem: text => options.report({ type: 'log', level: 'warn', source: 'runner', text }),
  });
  if (reason !== null) stop(reason);
  const code = await stopped.promise;
  for (const signal of signals) process.off(signal, signalled);
  // Whatever else is still open must not keep a stopped runner up.
  setTimeout(() => process.exit(code), 200).unref();
  return code;
}

/** The supervisor's line, where there is one. */
function openLine(flags: Flags): SupervisorLine | null {
  if (flags.keyFd === undefined) return flags.keyEnv === undefined ? lineFromParentPort() : null;
  try {
    return lineFromDescriptor(flags.keyFd);
  } catch (error) {
    throw new UsageError(`--key-fd ${flags.keyFd}: ${(error as Error).message}`);
  }
}

async function readKey(flags: Flags, line: SupervisorLine | null): Promise<Uint8Array> {
  if (line !== null) {
    const source = flags.keyFd === undefined ? 'the parent port' : `--key-fd ${flags.keyFd}`;
    const text = await line.secret.catch((error: Error) => {
      throw new UsageError(`${source}: ${error.message}`);
    });
    return secretFrom(text, source);
  }
  const name = flags.keyEnv ?? DEFAULT_KEY;
  const text = process.env[name];
  if (text === undefined || text === '') throw new UsageError(`${name} is not set`);
  return secretFrom(text, name);
}

/** The value itself is never part of the message. */
function secretFrom(text: string, source: string): Uint8Array {
  const secret = parseSecret(text);
  if (secret === null) throw new UsageError(`${source} holds no secret key (64 hex digits or nsec1...)`);
  return secret;
}

function optionsOf(flags: Flags, report: Report): Omit<AgentOptions, 'secret'> {
  return {
    relay: flags.relay,
    rooms: [...new Set(flags.room)],
    command: flags.command,
    args: flags.arg,
    cwd: flags.cwd,
    state: flags.state,
    protocol: flags.protocol,
    timeoutMs: flags.timeout,
    promptMs: flags.promptTimeout,
    onExpiry: flags.onExpiry,
    silenceMs: flags.silenceTimeout,
    budget: budgetOf(flags),
    ...(flags.maxExchanges === undefined ? {} : { exchanges: flags.maxExchanges }),
    hiddenEnv: [flags.keyEnv ?? DEFAULT_KEY],
    ...(flags.node === undefined ? {} : { node: flags.node }),
    report,
  };
}

function budgetOf(flags: Flags): BudgetLimits {
  const { maxRunsPerHour, maxRunsPerDay, maxMinutesPerDay, maxCostPerDay } = flags;
  return {
    ...(maxRunsPerHour === undefined ? {} : { runsPerHour: maxRunsPerHour }),
    ...(maxRunsPerDay === undefined ? {} : { runsPerDay: maxRunsPerDay }),
    ...(maxMinutesPerDay === undefined ? {} : { minutesPerDay: maxMinutesPerDay }),
    ...(maxCostPerDay === undefined ? {} : { costPerDay: maxCostPerDay }),
  };
}

class UsageError extends Error {}

function parse(argv: string[]): Flags | number {
  const command = new Command('tiny agent')
    .description('Connects one agent key to a relay and runs a program for what it is asked in its rooms.')
    .version(packageJson.version)
    .requiredOption('--relay <URL>', 'the relay, ws:// or wss://', relayUrl)
    .requiredOption('--room <ID>', 'a room the agent serves; repeat for up to 32', room, [])
    .requiredOption('--command <EXE>', 'the program to run')
    .option(
      '--arg <A>',
      'an argument of the program; repeat for each',
      (value, before: string[]) => [...before, value],
      [],
    )
    .option('--cwd <DIR>', 'its working folder', folder, '.')
    .requiredOption('--state <FILE>', 'where the queue and what must not be forgotten are kept')
    .addOption(
      new Option('--protocol <NAME>', 'how to talk to the program')
        .choices(['acp', 'command'])
        .default('acp'),
    )
    .option('--key-env <NAME>', `variable that holds the secret key, hex or nsec (default ${DEFAULT_KEY})`)
    .addOption(
      new Option('--key-fd <N>', 'descriptor whose first line is the secret key; its end stops the runner')
        .argParser(descriptor)
        .conflicts('keyEnv'),
    )
    .option(
      '--timeout <D>',
      'hard limit of a task, such as 90s, 30m or 1h30m',
      duration('--timeout'),
      1_800_000,
    )
    .option(
      '--prompt-timeout <D>',
      'how long a permission prompt waits',
      duration('--prompt-timeout'),
      600_000,
    )
    .addOption(
      new Option('--on-expiry <WHAT>', 'what an unanswered prompt means: refuse the action, or stop the task')
        .choices(['refuse', 'stop'])
        .default('refuse'),
    )
    .option(
      '--silence-timeout <D>',
      'how long a task may neither say nor do anything',
      duration('--silence-timeout'),
      900_000,
    )
    .option('--max-runs-per-hour <N>', 'tasks in any hour', positive('--max-runs-per-hour'))
    .option('--max-runs-per-day <N>', 'tasks in any day', positive('--max-runs-per-day'))
    .option('--max-minutes-per-day <N>', 'minutes of work in any day', positive('--max-minutes-per-day'))
    .option(
      '--max-cost-per-day <N>',
      'cost the program reports, in any day',
      positive('--max-cost-per-day', true),
    )
    .option(
      '--max-exchanges <N>',
      'tasks in a row that agents may ask for without a person',
      positive('--max-exchanges'),
    )
    .option(
      '--node <EXE>',
      "Node for the program's link to the relay's tools; the one that runs this without it",
    )
    .option('--json', 'say every change of state as one JSON line on stderr', false)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeErr: text => process.stderr.write(`tiny agent: ${firstLine(text)}\n`) });
  try {
    command.parse(argv, { from: 'user' });
    folder(command.opts<Flags>().cwd);
  } catch (error) {
    if (error instanceof UsageError) return fail(error.message);
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    throw error;
  }
  const flags = command.opts<Flags>();
  if (flags.room.length === 0) return fail('--room is missing: name at least one room');
  return flags.room.length > MAX_ROOMS
    ? fail(`--room: ${flags.room.length} rooms, at most ${MAX_ROOMS}`)
    : flags;
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/^error: /, '');
}

function fail(message: string): number {
  process.stderr.write(`tiny agent: ${firstLine(message)}\n`);
  return 1;
}

function relayUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (
    url === null ||
    !/^wss?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.hash !== ''
  ) {
    throw new UsageError(`--relay takes a ws:// or wss:// address without user or fragment, not "${value}"`);
  }
  return value;
}

function room(value: string, before: string[]): string[] {
  if (!isRoomId(value)) {
    throw new UsageError(`--room takes 1 to 64 of a-z, 0-9, _ and -, not "${value}"`);
  }
  return [...before, value];
}

function folder(value: string): string {
  if (!statSync(value, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--cwd takes a folder that is there, not "${value}"`);
  }
  return value;
}

function descriptor(value: string): number {
  const number = Number(value);
  if (!/^\d{1,4}$/.test(value) || number < 3)
    throw new UsageError(`--key-fd takes a descriptor from 3 on, not "${value}"`);
  return number;
}

function positive(name: string, fraction = false): (value: string) => number {
  return value => {
    const number = Number(value);
    const fits = fraction ? /^\d+(\.\d+)?$/ : /^\d{1,9}$/;
    if (!fits.test(value) || number <= 0)
      throw new UsageError(`${name} takes a number above 0, not "${value}"`);
    return number;
  };
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function duration(name: string): (value: string) => number {
  return value => {
    const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
    const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
    if (parts.map(([text]) => text).join('') !== value || !(ms > 0)) {
      throw new UsageError(`${name} takes a length of time such as 90s, 30m or 1h30m, not "${value}"`);
    }
    return Math.round(ms);
  };
}
