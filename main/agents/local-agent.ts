// One agent that runs here: its record, its supervised runner, what the runner says, its log. What its grant says is
// not known here.

import type { RunnerOrder, StatusLine } from '../../relay/protocol/runner-status.ts';
import { type Coalesced, coalesce } from '../coalesce.ts';
import type { Limits, LogLine } from '../contract/agents.ts';
import type { ProcessState } from '../contract/app.ts';
import { type AgentProcess, runnerLimits, startAgentProcess } from '../supervise/agent-process.ts';
import type { ChildParts } from '../supervise/child.ts';
import { type BackoffPolicy, Supervisor } from '../supervise/supervisor.ts';
import { AgentLog } from './agent-log.ts';
import { logWords } from './log-words.ts';
import { AgentPermissions } from './permissions.ts';
import { programPath } from './programs.ts';
import type { AgentFolder, AgentRecord } from './record.ts';
import { RunnerView } from './runner-view.ts';

/** Where agents' secret keys are kept: the vault. */
export type AgentKeys = {
  /** Null when there is none of that key. Throws when the vault is not open. */
  read(pubkey: string): Uint8Array | null;
  write(pubkey: string, secret: Uint8Array): void;
  remove(pubkey: string): void;
};

export type LocalAgentParts = ChildParts & {
  relay: string;
  /** Module that understands `agent …`. */
  entry: string;
  keys: AgentKeys;
  /** Anything of the agent changed. */
  changed(agent: LocalAgent): void;
  logged(agent: LocalAgent, line: LogLine): void;
  said(agent: LocalAgent, line: StatusLine): void;
  failed(error: unknown): void;
  /** How a runner that ends is started again; the usual policy unless given. */
  backoff?: Partial<BackoffPolicy>;
};

/** Why a handshake did not come about, with the program's last words. */
export class HandshakeFailure extends Error {}

const CANCEL_WITHIN_MS = 2_500;
const MOST_ROOMS = 32;
export const KEY_MISSING = 'Its key is not in the vault. Restore it from a backup; no new key was made';

export class LocalAgent {
  readonly folder: AgentFolder;
  readonly runner = new RunnerView();
  readonly log: AgentLog;
  readonly permissions: AgentPermissions;
  record: AgentRecord;
  readonly #parts: LocalAgentParts;
  readonly #supervisor: Supervisor;
  readonly #saveRuns: Coalesced;
  readonly #listeners = new Set<() => void>();
  #process: AgentProcess | null = null;
  /** The limits the process that runs now was started with. */
  #startedWith: Limits | null = null;
  #paused: string | null = null;
  /** It ends because it is told to. */
  #halting = false;
  /** It is to be started anew once nothing is under way. */
  #anew = false;

  constructor(parts: LocalAgentParts, folder: AgentFolder, record: AgentRecord) {
    this.#parts = parts;
    this.folder = folder;
    this.record = record;
    this.log = new AgentLog(folder.logFile);
    this.runner.resumeFrom(folder.loadRuns());
    this.permissions = new AgentPermissions(folder.path, () => {
      this.#order({ order: 'permissions', standing: this.permissions.standing });
      this.#tell();
    });
    this.#saveRuns = coalesce(2_000, () => folder.saveRuns(this.runner.runs), parts.failed);
    this.#supervisor = new Supervisor({
      start: () => this.#start(),
      onState: state => this.#stateChanged(state),
      policy: parts.backoff ?? {},
    });
  }

  get pubkey(): string {
    return this.record.pubkey;
  }

  get process(): ProcessState {
    return this.#supervisor.state;
  }

  save(patch: Partial<AgentRecord> = {}): void {
    this.record = { ...this.record, ...patch };
    this.folder.save(this.record);
    this.#tell();
  }

  /** Starts it as the person's wish; a runner that waits for a person is started anew. */
  async start(): Promise<void> {
    const waits = this.runner.suspended ?? (this.runner.program?.state === 'spawn-failed' ? true : null);
    const asks = this.runner.program?.state === 'authentication-needed';
    this.save({ wanted: true, suspended: null });
    if (this.runner.suspended?.kind === 'budget' && this.alive) {
      // The person knows and wants it to go on: what was used until now no longer counts.
      this.#order({ order: 'budget', budget: this.record.limits.budget ?? {}, forgive: true });
      return;
    }
    if (this.#parts.keys.read(this.pubkey) === null) {
      await this.#supervisor.suspend(KEY_MISSING);
      return;
    }
    if (waits || asks) await this.#halt();
    await this.#supervisor.start();
  }

  /** Starts it when the person left it running and nothing says to wait. */
  async begin(): Promise<void> {
    await this.log.load();
    if (this.record.wanted && !this.record.suspended) await this.start();
  }

  /** Stops it with its whole tree. `keep`: only the program ends, the person still wants it (quit). */
  async stop(reason?: string, keep = false): Promise<void> {
    if (!keep) this.save({ wanted: false });
    await this.#halt(reason);
    await this.#saveRuns.settle();
    await this.log.settle();
  }

  /** Tells the runner to take no work; also told to a runner that starts later. Null: it may work again. */
  hold(reason: string | null): void {
    if (reason === this.#paused) return;
    this.#paused = reason;
    this.#order(reason === null ? { order: 'resume' } : { order: 'pause', reason });
  }

  /** Keeps other limits and tells a runner that lives. */
  setLimits(limits: Limits): void {
    this.save({ limits });
    this.#order({ order: 'limits', ...runnerLimits(limits) });
    this.#order({ order: 'budget', budget: limits.budget ?? {} });
  }

  /** Serves the rooms of its grant from now on: a runner starts anew for them, once its run has ended. */
  setRooms(rooms: readonly string[]): void {
    const served = [...new Set(rooms)].slice(0, MOST_ROOMS);
    // Without a room no runner could start; the grant itself says why nothing is taken.
    if (served.length === 0 || sameRooms(served, this.record.rooms)) return;
    this.save({ rooms: served });
    this.#anew = this.alive;
    this.#startAnew();
  }

  /** Ends a run. Resolves when it has ended; a runner that does not end it is ended itself (cases A9 I15). */
  async cancel(run: string): Promise<void> {
    const open = () => this.runner.runs.some(each => each.run === run && each.phase !== 'ended');
    if (!this.#order({ order: 'cancel', run })) {
      this.save({ cancelled: [...this.record.cancelled.filter(each => each !== run), run] });
      return;
    }
    if (!open()) return;
    if (await this.#until(() => !open(), CANCEL_WITHIN_MS)) return;
    await this.#halt();
    if (this.record.wanted) await this.#supervisor.start();
  }

  /** Waits until the program answered its handshake. Throws HandshakeFailure with why not. */
  async handshake(ms: number): Promise<void> {
    const ready = () => {
      const state = this.runner.program?.state;
      return this.process.state === 'running' && (state === 'ready' || state === 'authentication-needed');
    };
    const failure = () => this.#handshakeFailure();
    await this.#until(() => ready() || failure() !== null, ms);
    if (ready()) return;
    const seconds = Math.round(ms / 1000);
    throw new HandshakeFailure(
      failure() ?? `It gave no answer within ${seconds} seconds${this.#lastWords()}`,
    );
  }

  /** Takes its folder of this desktop away; files of its work are not touched. */
  remove(): void {
    this.#saveRuns.close();
    this.permissions.close();
    this.folder.remove();
  }

  /** True when a runner lives that would take an order. */
  get alive(): boolean {
    return this.#process !== null;
  }

  async #halt(reason?: string): Promise<void> {
    this.#halting = true;
    try {
      await this.#supervisor.stop(reason);
    } finally {
      this.#halting = false;
    }
  }

  #handshakeFailure(): string | null {
    const { program, suspended } = this.runner;
    if (program?.state === 'spawn-failed' || program?.state === 'exited') {
      return `${program.reason ?? 'It ended at once'}${this.#lastWords()}`;
    }
    if (suspended) return suspended.reason;
    const { state, reason } = this.process;
    if (state === 'backing-off' || state === 'suspended' || state === 'stopped') {
      return reason ?? 'Its runner ended at once';
    }
    return null;
  }

  #lastWords(): string {
    const tail = this.runner.program?.stderrTail?.trim();
    return tail ? `. It said: ${tail}` : '';
  }

  async #start(): Promise<AgentProcess> {
    const { relay, entry, keys } = this.#parts;
    const { pubkey, name, rooms, program, limits } = this.record;
    this.#startedWith = limits;
    const launch = {
      pubkey,
      name,
      relay,
      // A runner does not start without the rooms in which work waits.
      rooms: [...new Set([...rooms, ...this.runner.queue.map(work => work.room)])],
      program,
      limits,
      entry,
      stateFile: this.folder.stateFile,
      env: { PATH: await programPath() },
      secret: async () => {
        const secret = keys.read(pubkey);
        if (secret === null) throw new Error(KEY_MISSING);
        return Buffer.from(secret).toString('hex');
      },
    };
    const child = await startAgentProcess(this.#parts, launch, {
      line: line => this.#heard(line),
      log: line => this.#logged(line),
    });
    this.#process = child;
    const { standing } = this.permissions;
    // Before any work: it waits on the line until the runner listens.
    if (standing.rules.length > 0 || standing.bypass) this.#order({ order: 'permissions', standing });
    void child.ended.then(() => {
      if (this.#process === child) this.#process = null;
      this.runner.processEnded();
      // What waits for a person is not started again because its process went away (case B4).
      const { suspended } = this.record;
      if (suspended !== null && !this.#halting) void this.#supervisor.suspend(suspended.reason);
      this.#saveRuns.ask();
      this.#tell();
    });
    return child;
  }

  #heard(line: StatusLine): void {
    if (this.runner.apply(line)) {
      this.#saveRuns.ask();
      // That a run began or ended must outlive a kill in the next moment; its steps may be a little behind.
      if (line.type === 'run') void this.#saveRuns.settle();
    }
    if (line.type === 'run' && line.phase === 'ended' && line.ending !== 'interrupted') {
      this.permissions.jobEnded(line.run);
    }
    if (line.type === 'run' && line.phase === 'ended') this.#startAnew();
    if (line.type === 'ready') this.#greet();
    // A spent budget passes by itself, and the runner counts it across its own restarts.
    if (line.type === 'suspended' && line.kind !== 'budget') {
      this.save({ suspended: { reason: line.reason, since: line.at } });
    }
    const words = logWords(line);
    if (words) this.#logged(words);
    this.#parts.said(this, line);
    this.#tell();
  }

  /** What a runner has to know that was not there to hear it. */
  #greet(): void {
    const { limits } = this.record;
    if (limits !== this.#startedWith) {
      this.#order({ order: 'limits', ...runnerLimits(limits) });
      this.#order({ order: 'budget', budget: limits.budget ?? {} });
    }
    if (this.#paused !== null) this.#order({ order: 'pause', reason: this.#paused });
    for (const run of this.record.cancelled) this.#order({ order: 'cancel', run });
    if (this.record.cancelled.length > 0) this.save({ cancelled: [] });
  }

  #startAnew(): void {
    if (!this.#anew || this.runner.run !== null) return;
    this.#anew = false;
    const again = async () => {
      await this.#supervisor.stop('Its rooms have changed');
      if (this.record.wanted) await this.#supervisor.start();
    };
    again().catch(this.#parts.failed);
  }

  #order(order: RunnerOrder): boolean {
    return this.#process?.order(order) ?? false;
  }

  #logged(line: LogLine): void {
    this.#parts.logged(this, this.log.add(line));
  }

  #stateChanged(state: ProcessState): void {
    if (state.state === 'backing-off' || state.state === 'suspended') {
      const level = state.state === 'suspended' ? 'error' : 'warn';
      this.#logged({
        at: Date.now(),
        level,
        source: 'desktop',
        text: `${state.state}: ${state.reason ?? ''}`,
      });
    }
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
    this.#parts.changed(this);
  }

  /** True once the condition holds, looked at on every change; false when the time is over. */
  #until(condition: () => boolean, ms: number): Promise<boolean> {
    return new Promise(resolve => {
      const look = () => {
        if (!condition()) return;
        finish(true);
      };
      const finish = (held: boolean) => {
        clearTimeout(timer);
        this.#listeners.delete(look);
        resolve(held);
      };
      const timer = setTimeout(() => finish(condition()), ms);
      this.#listeners.add(look);
      look();
    });
  }
}

function sameRooms(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every(room => other.includes(room));
}
