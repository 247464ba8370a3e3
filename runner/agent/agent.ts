// `tiny agent`: one key, one relay, one program. This file puts the parts together and is their order of life:
// lock, journal, connection, past, work, stop.

import { basename, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RelayConnection } from '../../relay/client/connection.ts';
import { RelayRpc } from '../../relay/client/rpc.ts';
import { signerFrom } from '../../relay/client/signer.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import type { BudgetLimits, RunnerOrder } from '../../relay/protocol/runner-status.ts';
import { tagValue } from '../../relay/protocol/tags.ts';
import type { Bridge } from '../bridge/bridge.ts';
import { PROGRAM_TIMES, type Program } from '../program.ts';
import { type Status, throttled } from '../status.ts';
import { Budget } from './budget.ts';
import { Dispatcher, turnedAway } from './dispatcher.ts';
import { type GrantState, GrantWatch } from './grant.ts';
import { presence } from './job.ts';
import { Journal, JournalError, type Work } from './journal.ts';
import type { RunLimits } from './limits.ts';
import { takeLock } from './lock.ts';
import { LoopGuard } from './loop-guard.ts';
import { isStopWord, type Listener, MENTION_KINDS, readWork, takenBefore } from './mention.ts';
import type { AgentOptions } from './options.ts';
import { Outbox } from './outbox.ts';
import { Permissions } from './permission.ts';
import { endProcesses, killNow, markedProcesses } from './process-tree.ts';
import { bridgeOf, programOf } from './program-of.ts';
import { Queue } from './queue.ts';
import type { RunContext } from './run.ts';
import { Watch } from './watch.ts';

export type { AgentOptions } from './options.ts';

/** The runner cannot start; the message is one line for a person. */
export class StartFailure extends Error {}

const MAX_WAITING = 32;
const FLUSH_MS = 500;
const SILENCE_MS = 900_000;
const EXCHANGES = 6;
const RECHECK_MS = 30_000;
/** How long runs may take to obey when the runner itself stops. */
const OBEY_MS = 300;
/** Everything a runner publishes, to be told early what the grant lacks. */
const NEEDED_KINDS = [
  KIND.deletion,
  KIND.chat,
  KIND.presence,
  KIND.jobRequest,
  KIND.jobAccepted,
  KIND.jobProgress,
  KIND.jobResult,
  KIND.jobCancel,
  KIND.jobError,
];

export class Agent {
  readonly #options: AgentOptions;
  readonly #listener: Listener;
  readonly #journal: Journal;
  readonly #connection: RelayConnection;
  readonly #outbox: Outbox;
  readonly #grant: GrantWatch;
  readonly #permissions: Permissions;
  readonly #program: Program;
  readonly #bridge: Bridge;
  readonly #queue: Queue;
  readonly #dispatcher: Dispatcher;
  readonly #context: RunContext;
  readonly #budget: Budget;
  readonly #guard: LoopGuard;
  readonly #marks: string[];
  readonly #release: () => void;
  #limits: RunLimits;
  #watch: Watch | null = null;
  #caughtUp = false;
  /** A quota is used up or a sign-in is missing: no work until a person starts the runner anew. */
  #suspended = false;
  #stopping: Promise<void> | null = null;

  private constructor(options: AgentOptions, journal: Journal, release: () => void) {
    const { report, times = {} } = options;
    const signer = signerFrom(options.secret);
    this.#options = options;
    const { timeoutMs, promptMs, onExpiry = 'refuse' } = options;
    this.#limits = { timeoutMs, promptMs, onExpiry };
    const limits = () => this.#limits;
    this.#journal = journal;
    this.#release = release;
    this.#listener = { pubkey: signer.pubkey, rooms: options.rooms };
    const backoff = times.backoff === undefined ? {} : { minBackoff: times.backoff };
    this.#connection = new RelayConnection({ url: options.relay, signer, ...backoff });
    const needs = { rooms: options.rooms, kinds: NEEDED_KINDS };
    const rpc = new RelayRpc({ url: options.relay, signer });
    this.#grant = new GrantWatch(rpc, needs, report, state => void this.#grantChanged(state));
    const hooks = {
      grantRefused: async () => this.#afterGrantRefusal(),
      settled: (event: NostrEvent, run: string | undefined, delivery: { ok: boolean; reason?: string }) =>
        this.#settled(event, run, delivery),
    };
    const outbox = new Outbox(journal, this.#connection, hooks, report);
    this.#outbox = outbox;
    const marks = { TINY_AGENT: signer.pubkey, TINY_JOURNAL: journal.state.id };
    this.#marks = Object.entries(marks).map(([name, value]) => `${name}=${value}`);
    this.#bridge = bridgeOf(options, signer, {
      scope: () => this.#grant.scope,
      held: () => (this.#grant.state === 'active' ? null : `the grant is ${this.#grant.state}`),
      isOwnRun: job => this.#dispatcher.runOf(job) !== undefined,
    });
    const heard = (status: Status) => this.#heardOf(status);
    this.#program = programOf({ options, journal, marks, bridge: this.#bridge, report: heard });
    const cwd = resolve(options.cwd);
    const name = () => this.#grant.name || basename(options.command);
    this.#permissions = new Permissions({ signer, journal, outbox, report, cwd, name, limits });
    this.#queue = new Queue(journal, MAX_WAITING, report);
    const query: RunContext['query'] = (filters, times) => this.#connection.query(filters, times);
    this.#budget = new Budget(journal, options.budget ?? {}, report);
    this.#guard = new LoopGuard({
      ...{ journal, rpc, query, report, limit: options.exchanges ?? EXCHANGES },
      recheckMs: times.recheck ?? RECHECK_MS,
      released: () => this.#dispatcher.dispatch(),
    });
    this.#context = {
      signer,
      journal,
      outbox,
      permissions: this.#permissions,
      program: this.#program,
      report,
      query,
      budget: this.#budget,
      guard: this.#guard,
      silenceMs: options.silenceMs ?? SILENCE_MS,
      whisper: event => void this.#connection.publish(event),
      limits,
      progressMs: times.progress ?? 2_000,
      presenceMs: times.presence ?? 30_000,
    };
    this.#dispatcher = new Dispatcher(this.#context, this.#queue);
  }

  /** Starts a runner. Rejects with StartFailure when its journal is taken or cannot be read. */
  static async start(asked: AgentOptions): Promise<Agent> {
    const options = { ...asked, report: throttled(asked.report) };
    const file = resolve(options.state);
    const taken = takeLock(`${file}.lock`);
    if (!taken.ok) {
      throw new StartFailure(`--state ${options.state} is in use by the runner with pid ${taken.pid}`);
    }
    try {
      const { pubkey } = signerFrom(options.secret);
      const journal = Journal.open(file, pubkey, Math.floor(Date.now() / 1000));
      const agent = new Agent(options, journal, taken.lock.release);
      await agent.#begin();
      return agent;
    } catch (error) {
      taken.lock.release();
      if (error instanceof JournalError) throw new StartFailure(`--state: ${error.message}`);
      throw error;
    }
  }

  get pubkey(): string {
    return this.#listener.pubkey;
  }

  /** What a supervisor may tell a runner. */
  order(order: RunnerOrder): void {
    if (order.order === 'stop') void this.stop('told to stop');
    else if (order.order === 'pause') this.#grant.told('paused', order.reason);
    else if (order.order === 'resume') void this.#grant.check();
    else if (order.order === 'limits') this.#limits = order;
    else if (order.order === 'budget') this.#rebudget(order.budget, order.forgive);
    else if (order.order === 'permissions') this.#permissions.standing = order.standing;
    else this.#cancelRun(order.run);
  }

  /** Stops in order: no new work, runs interrupted, every process gone, journal written. Resolves when all is done. */
  stop(reason: string): Promise<void> {
    this.#stopping ??= this.#stop(reason);
    return this.#stopping;
  }

  /** For an exit that cannot wait: kills what runs, writes nothing more. */
  killNow(): void {
    this.#program.kill();
    killNow(markedProcesses(this.#marks));
    this.#release();
  }

  async #begin(): Promise<void> {
    const { report } = this.#options;
    this.#checkRooms();
    report({ type: 'ready', pubkey: this.pubkey, pid: process.pid });
    this.#connection.onState(state => report({ type: 'connection', ...state }));
    await this.#endLeftovers();
    this.#permissions.withdrawLeftovers();
    this.#queue.report();
    this.#outbox.report();
    this.#connection.onState(({ state }) => {
      if (state === 'online') void this.#grant.check();
    });
    const handlers = {
      own: (event: NostrEvent) => this.#own(event),
      asked: (event: NostrEvent) => this.#asked(event),
      reaction: (event: NostrEvent) => this.#permissions.answered(event),
      jobCancelled: (event: NostrEvent) => this.#jobCancelled(event),
      caughtUp: () => this.#workMayBegin(),
      refused: (reason: string) => {
        this.#log('warn', `the relay does not let the agent listen: ${reason}`);
        void this.#grant.check();
      },
    };
    const watermark = () => this.#journal.state.watermark;
    this.#watch = new Watch(this.#connection, this.#listener, watermark, handlers);
    this.#connection.connect();
    if (this.#options.protocol === 'acp') await this.#bridge.open();
    void this.#program.start();
  }

  /** Processes that a runner of this journal left behind when it was killed; nobody else's. */
  async #endLeftovers(): Promise<void> {
    const found = markedProcesses(this.#marks);
    if (found.length === 0) return;
    const text = `ending ${found.length} processes an earlier start left behind: ${found.map(({ pid }) => pid).join(', ')}`;
    this.#options.report({ type: 'log', level: 'warn', source: 'runner', text });
    const { term, kill } = { ...PROGRAM_TIMES, ...this.#options.times };
    await endProcesses(() => markedProcesses(this.#marks), null, { termMs: term, killMs: kill });
  }

  #checkRooms(): void {
    const { pending, active } = this.#journal.state;
    const used = [...Object.keys(pending).filter(room => pending[room]?.length), ...Object.keys(active)];
    const foreign = used.find(room => !this.#options.rooms.includes(room));
    if (foreign !== undefined) {
      throw new JournalError(
        `work waits for room ${foreign}, which no --room names; add it or move the file away`,
      );
    }
  }

  #workMayBegin(): void {
    this.#caughtUp = true;
    this.#open();
    this.#dispatcher.dispatch();
  }

  /** Lets work begin if nothing speaks against it. */
  #open(): void {
    const may = this.#caughtUp && this.#stopping === null && !this.#suspended;
    if (may && this.#grant.state === 'active') this.#dispatcher.open();
  }

  /** What the program's side reports; after trouble no run begins any more, those under way end by themselves (B4). */
  #heardOf(status: Status): void {
    if (status.type === 'suspended') {
      this.#suspended = true;
      this.#dispatcher.shut();
    }
    this.#options.report(status);
  }

  #rebudget(budget: BudgetLimits, forgive?: boolean): void {
    this.#budget.change(budget, forgive);
    this.#dispatcher.dispatch();
  }

  #own(event: NostrEvent): void {
    const taken = takenBefore(event).filter(id => !(id in this.#journal.state.released));
    this.#queue.markTaken(taken);
  }

  #asked(event: NostrEvent): void {
    if (this.#stopping !== null) return;
    const read = readWork(event, this.#listener, Math.floor(Date.now() / 1000));
    if (!read.ok) {
      this.#log('debug', `event ${event.id} passed over: ${read.reason}`);
      return;
    }
    if (MENTION_KINDS.includes(event.kind) && isStopWord(event.content, this.#grant.name)) {
      this.#stopWord(read.work);
      return;
    }
    const offer = this.#queue.offer(read.work);
    if (offer === 'full') this.#full(read.work);
    // What was asked in the past may have been cancelled in the past as well: read all of it first.
    if (offer === 'queued' && !this.#watch?.catchingUp) this.#dispatcher.dispatch();
  }

  #full(work: Work): void {
    const text = `queue full: ${MAX_WAITING} already wait in ${work.room}`;
    this.#log('warn', `${text}; ${work.event} turned away`);
    if (work.type === 'request') this.#publish(turnedAway(work, `Not taken: ${text}`), work.event);
  }

  /** `/cancel` or `/stop`: everything of that person in that room, waiting or under way, asked before it. */
  #stopWord(word: Work): void {
    if (this.#journal.hasSeen(word.event)) return;
    this.#queue.markTaken([word.event]);
    const theirs = (work: Work) => work.author === word.author && work.created_at <= word.created_at;
    for (const work of this.#queue.drop(word.room, theirs)) {
      if (work.type === 'request') this.#publish(turnedAway(work, 'Canceled'), work.event);
    }
    const active = this.#dispatcher.runIn(word.room)?.active ?? this.#journal.state.active[word.room];
    if (active?.items.some(theirs)) {
      this.#dispatcher.stop(active.run, { ending: 'cancelled', reason: 'a person cancelled it' });
    }
  }

  /** A 43005: the requester ended the job on the relay. */
  #jobCancelled(event: NostrEvent): void {
    const run = tagValue(event, 'e') ?? '';
    const ofRequester = (work: Work) => work.event === run && work.author === event.pubkey;
    for (const room of this.#options.rooms) this.#queue.drop(room, ofRequester);
    const active = Object.values(this.#journal.state.active).find(entry => entry.run === run);
    if (active === undefined || active.requester !== event.pubkey) return;
    this.#dispatcher.stop(run, { ending: 'cancelled', reason: 'the requester cancelled it', told: true });
  }

  #cancelRun(run: string): void {
    const reason = 'cancelled from the dashboard';
    if (this.#dispatcher.stop(run, { ending: 'cancelled', reason })) return;
    for (const room of this.#options.rooms) {
      for (const work of this.#queue.drop(room, ({ event }) => event === run)) {
        if (work.type === 'request') this.#publish(turnedAway(work, 'Canceled'), run);
      }
    }
  }

  #settled(event: NostrEvent, run: string | undefined, delivery: { ok: boolean; reason?: string }): void {
    const reason = delivery.ok ? {} : { reason: delivery.reason ?? '' };
    // What the person reads: the message in the room, or for a request of theirs the result on its card.
    const message = event.kind === KIND.chat && tagValue(event, 'request') === undefined;
    const result = event.kind === KIND.jobResult && tagValue(event, 'p') !== this.pubkey;
    if (run !== undefined && (message || result)) {
      this.#options.report({ type: 'reply', run, event: event.id, delivered: delivery.ok, ...reason });
    }
    if (delivery.ok && tagValue(event, 'rule') !== undefined) this.#permissions.delivered(event.id);
    if (delivery.ok || run === undefined) return;
    if (tagValue(event, 'request') === 'approve')
      this.#permissions.notDelivered(event.id, delivery.reason ?? '');
    const carries = [KIND.jobRequest, KIND.jobAccepted, KIND.jobProgress].some(kind => kind === event.kind);
    if (carries) this.#dispatcher.runOf(run)?.refused(delivery.reason ?? '');
  }

  async #afterGrantRefusal(): Promise<'later' | 'never'> {
    return (await this.#grant.check()) === 'paused' ? 'later' : 'never';
  }

  async #grantChanged(state: GrantState): Promise<void> {
    this.#outbox.hold(state === 'paused');
    if (state !== 'active')
      await this.#dispatcher.hold(`the grant is ${state === 'none' ? 'missing' : state}`);
    else this.#open();
  }

  async #stop(reason: string): Promise<void> {
    const { report, rooms } = this.#options;
    report({ type: 'stopping', reason });
    this.#watch?.close();
    this.#grant.close();
    this.#guard.close();
    const held = this.#dispatcher.hold('the runner is stopping');
    // A turn that obeys ends by itself; one that does not is ended with the program.
    await Promise.race([held, pause(OBEY_MS)]);
    await this.#program.stop();
    await this.#bridge.close();
    await held;
    if (this.#connection.state.state === 'online') {
      for (const room of rooms) this.#context.whisper(this.#context.signer.sign(presence(room, 'offline')));
      await this.#outbox.flush(FLUSH_MS);
    }
    this.#outbox.close();
    await this.#connection.close();
    this.#release();
  }

  #publish(template: Parameters<RunContext['signer']['sign']>[0], run: string): void {
    this.#outbox.send([this.#context.signer.sign(template)], run);
  }

  #log(level: 'debug' | 'warn', text: string): void {
    this.#options.report({ type: 'log', level, source: 'runner', text });
  }
}
