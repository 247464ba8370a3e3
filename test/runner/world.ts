// What the runner's tests share: a real relay with a room, a person, and agents that run in this process or in their
// own, with everything they said. After each test no process of theirs may be left.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect } from 'vitest';
import { RelayConnection } from '../../relay/client/connection.ts';
import { generateSecret, type Signer, signerFrom } from '../../relay/client/signer.ts';
import type { EventTemplate, Filter, NostrEvent } from '../../relay/protocol/event.ts';
import { type RunnerOrder, type StatusLine, statusLine } from '../../relay/protocol/runner-status.ts';
import { type Relay, startRelay } from '../../relay/relay.ts';
import { Agent, type AgentOptions } from '../../runner/agent/agent.ts';
import { markedProcesses } from '../../runner/agent/process-tree.ts';

export const FIXTURES = resolve(import.meta.dirname, '../fixtures/agents');
const ENTRY = resolve(import.meta.dirname, 'agent-entry.ts');

/** Path of a fixture program. */
export const fixture = (name: string) => join(FIXTURES, `${name}.mjs`);

export const seconds = () => Math.floor(Date.now() / 1000);

const cleanups: (() => Promise<unknown> | unknown)[] = [];

/** Runs after the test, last first. */
export function cleanup(action: () => Promise<unknown> | unknown): void {
  cleanups.push(action);
}

afterEach(async () => {
  for (const action of cleanups.splice(0).reverse()) await action();
});

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tiny-runner-'));
  cleanup(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A list that can be waited on: for an entry that is there, or for the next that fits. */
export class Heard<T> {
  readonly all: T[] = [];
  readonly #waiting: { fits: (entry: T) => boolean; resolve: (entry: T) => void }[] = [];

  add(entry: T): void {
    this.all.push(entry);
    for (const waiter of this.#waiting.filter(({ fits }) => fits(entry))) {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.resolve(entry);
    }
  }

  /** The first entry that fits, from `from` on. */
  until(fits: (entry: T) => boolean, from = 0): Promise<T> {
    const known = this.all.slice(from).find(fits);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise(resolve => this.#waiting.push({ fits, resolve }));
  }
}

/** A key with a connection of its own that hears everything in the room. */
export class Person {
  readonly signer: Signer;
  readonly connection: RelayConnection;
  readonly events = new Heard<NostrEvent>();

  constructor(url: string, signer: Signer) {
    this.signer = signer;
    this.connection = new RelayConnection({ url, signer, minBackoff: 50 });
    cleanup(() => this.connection.close());
  }

  async join(): Promise<this> {
    this.connection.connect();
    const ready = Promise.withResolvers<void>();
    this.connection.subscribe('ears', () => [{ '#h': ['general', 'other'], limit: 0 }], {
      event: event => {
        if (!this.events.all.some(({ id }) => id === event.id)) this.events.add(event);
      },
      eose: () => ready.resolve(),
    });
    await ready.promise;
    return this;
  }

  async publish(template: Partial<EventTemplate> & { kind: number }): Promise<NostrEvent> {
    const event = this.signer.sign({ created_at: seconds(), tags: [], content: '', ...template });
    const { ok, reason } = await this.connection.publish(event);
    if (!ok) throw new Error(`refused: ${reason}`);
    return event;
  }

  /** A message that mentions the agent. */
  mention(agent: string, content: string, more: { room?: string; root?: string } = {}): Promise<NostrEvent> {
    const root = more.root === undefined ? [] : [['e', more.root, '', 'root']];
    return this.publish({ kind: 9, content, tags: [['h', more.room ?? 'general'], ['p', agent], ...root] });
  }

  request(agent: string, content: string, tags: string[][] = []): Promise<NostrEvent> {
    return this.publish({ kind: 43001, content, tags: [['h', 'general'], ['p', agent], ...tags] });
  }

  /** Answers a request for a decision. */
  react(request: NostrEvent, content: string): Promise<NostrEvent> {
    const tags = [
      ['e', request.id],
      ['p', request.pubkey],
      ['k', String(request.kind)],
      ['h', request.tags.find(([name]) => name === 'h')?.[1] ?? ''],
    ];
    return this.publish({ kind: 7, content, tags });
  }

  /** The next event of that kind by that author. */
  hears(kind: number, author: string, from = 0): Promise<NostrEvent> {
    return this.events.until(event => event.kind === kind && event.pubkey === author, from);
  }

  /** The next permission prompt. */
  prompt(author: string, fits: (event: NostrEvent) => boolean = () => true): Promise<NostrEvent> {
    return this.events.until(event => event.pubkey === author && isPrompt(event) && fits(event));
  }

  /** The next reply in the room that is no prompt. */
  reply(author: string, fits: (event: NostrEvent) => boolean = () => true): Promise<NostrEvent> {
    return this.events.until(
      event => event.kind === 9 && event.pubkey === author && !isPrompt(event) && fits(event),
    );
  }

  query(...filters: Filter[]): Promise<NostrEvent[]> {
    return this.connection.query(filters);
  }
}

export const isPrompt = (event: NostrEvent) => event.tags.some(([name]) => name === 'request');

export type World = { relay: Relay; owner: Person; data: string };

/** A relay with the rooms `general` and `other` and its owner listening in them. */
export async function makeWorld(): Promise<World> {
  const data = folder();
  const owner = signerFrom(generateSecret());
  const relay = await startRelay({ data, owner: owner.pubkey, reads: 'members', writes: 'allowlist' });
  cleanup(() => relay.close());
  const person = new Person(relay.url, owner);
  person.connection.connect();
  for (const room of ['general', 'other']) await person.publish({ kind: 9007, tags: [['h', room]] });
  await person.join();
  return { relay, owner: person, data };
}

/** Grants an agent key what the desktop grants: its rooms, kinds 9, 20001 and 5, jobs both. */
export async function grant(
  world: World,
  pubkey: string,
  { more = [], rate = 600 }: { more?: string[][]; rate?: number } = {},
): Promise<void> {
  await world.owner.publish({
    kind: 30392,
    tags: [
      ['d', pubkey],
      ['p', pubkey],
      ['name', 'tester'],
      ['expiration', String(seconds() + 86_400)],
      ['room', 'general'],
      ['room', 'other'],
      ['k', '9'],
      ['k', '20001'],
      ['k', '5'],
      ['jobs', 'both'],
      ['rate', String(rate)],
      ...more,
    ],
  });
}

export type AgentSetup = Partial<Omit<AgentOptions, 'secret' | 'report'>> & {
  secret?: Uint8Array;
  program?: string;
  programArgs?: string[];
  granted?: boolean;
};

/** A runner in this process. */
export class Runner {
  readonly pubkey: string;
  readonly secret: Uint8Array;
  readonly options: AgentOptions;
  readonly said = new Heard<StatusLine>();
  #agent: Agent | null = null;

  constructor(options: Omit<AgentOptions, 'report'>) {
    this.secret = options.secret;
    this.pubkey = signerFrom(options.secret).pubkey;
    const report: AgentOptions['report'] = status => {
      // Every line must be one a supervisor understands.
      this.said.add(statusLine.parse({ ...status, at: Date.now() }));
    };
    this.options = { ...options, report };
  }

  async start(): Promise<this> {
    this.#agent = await Agent.start(this.options);
    cleanup(() => this.stop());
    return this;
  }

  async stop(): Promise<void> {
    await this.#agent?.stop('the test is over');
    expect(this.processes()).toEqual([]);
  }

  order(order: RunnerOrder): void {
    this.#agent?.order(order);
  }

  /** Living processes of its program. */
  processes(): number[] {
    return markedProcesses([`TINY_AGENT=${this.pubkey}`]).map(({ pid }) => pid);
  }

  status<T extends StatusLine['type']>(
    type: T,
    fits: (line: Extract<StatusLine, { type: T }>) => boolean = () => true,
    from = 0,
  ): Promise<Extract<StatusLine, { type: T }>> {
    type Line = Extract<StatusLine, { type: T }>;
    return this.said.until(line => line.type === type && fits(line as Line), from) as Promise<Line>;
  }

  /** The ending of the next run (from a place in what was said). */
  ended(from = 0): Promise<Extract<StatusLine, { type: 'run' }>> {
    return this.status('run', line => line.phase === 'ended', from);
  }

  /** A runner with the same key and journal. */
  again(changes: Partial<AgentOptions> = {}): Runner {
    return new Runner({ ...this.options, ...changes });
  }
}

/** Options of a runner for a fixture program, with a granted key. */
export async function agentOptions(world: World, setup: AgentSetup): Promise<Omit<AgentOptions, 'report'>> {
  const { program, programArgs = [], granted = true, secret = generateSecret(), times, ...rest } = setup;
  if (granted) await grant(world, signerFrom(secret).pubkey);
  const cwd = join(folder(), 'work');
  mkdirSync(cwd);
  return {
    relay: world.relay.url,
    rooms: ['general', 'other'],
    command: program === undefined ? 'true' : process.execPath,
    args: program === undefined ? [] : [program, ...programArgs],
    cwd,
    state: join(folder(), 'state', 'queue.json'),
    protocol: 'acp',
    timeoutMs: 60_000,
    promptMs: 30_000,
    hiddenEnv: ['TINY_AGENT_KEY'],
    secret,
    times: { cancel: 200, term: 300, kill: 1_000, progress: 50, backoff: 50, ...times },
    ...rest,
  };
}

export async function startRunner(world: World, setup: AgentSetup): Promise<Runner> {
  return new Runner(await agentOptions(world, setup)).start();
}

/** A runner in a process of its own, with its key on a descriptor, as a supervisor starts it. */
export class RunnerProcess {
  readonly child: ChildProcess;
  readonly said = new Heard<StatusLine>();
  readonly stderr: string[] = [];
  readonly exit: Promise<{ code: number | null; signal: string | null }>;

  constructor(options: Omit<AgentOptions, 'report'>, more: string[] = []) {
    const flags = [
      ...[
        '--relay',
        options.relay,
        '--state',
        options.state,
        '--cwd',
        options.cwd,
        '--command',
        options.command,
      ],
      ...['--protocol', options.protocol, '--timeout', `${options.timeoutMs}ms`, '--json', '--key-fd', '3'],
      ...options.rooms.flatMap(room => ['--room', room]),
      ...options.args.map(arg => `--arg=${arg}`),
      ...more,
    ];
    this.child = spawn(process.execPath, [ENTRY, ...flags], { stdio: ['ignore', 'inherit', 'pipe', 'pipe'] });
    this.exit = new Promise(done => this.child.once('exit', (code, signal) => done({ code, signal })));
    this.line?.on('error', () => undefined);
    this.line?.write(`${Buffer.from(options.secret).toString('hex')}\n`);
    if (this.child.stderr === null) throw new Error('no stderr');
    createInterface({ input: this.child.stderr }).on('line', line => {
      this.stderr.push(line);
      if (line.startsWith('{')) this.said.add(statusLine.parse(JSON.parse(line)));
    });
    cleanup(() => this.kill());
  }

  get line() {
    return this.child.stdio[3] as import('node:stream').Writable | null;
  }

  status<T extends StatusLine['type']>(
    type: T,
    fits: (line: Extract<StatusLine, { type: T }>) => boolean = () => true,
  ): Promise<Extract<StatusLine, { type: T }>> {
    type Line = Extract<StatusLine, { type: T }>;
    return this.said.until(line => line.type === type && fits(line as Line)) as Promise<Line>;
  }

  order(order: RunnerOrder): void {
    this.line?.write(`${JSON.stringify(order)}\n`);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exit;
  }
}
