// One run: from the accepted batch to exactly one ending (spec/decisions.md 12). The hard limit is set once, at the
// start, and nothing moves it (case C2). What it publishes at the end and what the journal forgets are one change.

import type { Signer } from '../../relay/client/signer.ts';
import type { Filter, NostrEvent } from '../../relay/protocol/event.ts';
import type { RunEnding } from '../../relay/protocol/runner-status.ts';
import type { PermissionAsk, PermissionOutcome, Program, TurnResult } from '../program.ts';
import type { Report } from '../status.ts';
import { cut } from '../text.ts';
import type { Budget } from './budget.ts';
import { jobAccepted, jobCancel, jobError, jobProgress, jobResult, presence, reply } from './job.ts';
import type { ActiveRun, Journal } from './journal.ts';
import type { RunLimits } from './limits.ts';
import type { LoopGuard } from './loop-guard.ts';
import { Outbox } from './outbox.ts';
import type { Permissions } from './permission.ts';
import { Feed, Progress } from './progress.ts';
import { Silence } from './silence.ts';
import { backgroundOf, promptOf } from './thread.ts';

export type RunContext = {
  signer: Signer;
  journal: Journal;
  outbox: Outbox;
  permissions: Permissions;
  program: Program;
  report: Report;
  query(filters: Filter[], options: { timeoutMs: number }): Promise<NostrEvent[]>;
  /** Sends an ephemeral event; nobody waits for it. */
  whisper(event: NostrEvent): void;
  limits(): RunLimits;
  budget: Budget;
  guard: LoopGuard;
  silenceMs: number;
  progressMs: number;
  presenceMs: number;
};

/** Why a run is stopped from outside. `told`: the requester ended the job on the relay already. */
export type Stop = { ending: Exclude<RunEnding, 'done'>; reason: string; told?: boolean };

/** A run that is tried again stops being tried after this many times. */
export const MAX_ATTEMPTS = 2;
const LONGEST_TIMER = 2 ** 31 - 1;

type Ending = { ending: RunEnding; reason: string; text: string; early: boolean; told: boolean };

export class Run {
  readonly active: ActiveRun;
  readonly #context: RunContext;
  readonly #controller = new AbortController();
  readonly #feed: Feed;
  readonly #progress: Progress;
  readonly #limits: RunLimits;
  readonly #deadline: number;
  #silence: Silence | null = null;
  /** Titles of actions that were needed and not allowed, by call (case D17). */
  readonly #unmet = new Map<string, string>();
  #stop: Stop | null = null;
  #begun = false;

  constructor(active: ActiveRun, context: RunContext) {
    this.active = active;
    this.#context = context;
    this.#limits = context.limits();
    const limit = Date.now() + this.#limits.timeoutMs;
    this.#deadline = active.expires === undefined ? limit : Math.min(limit, active.expires * 1000 - 2_000);
    this.#feed = new Feed(active.run, context.report);
    const acceptedAt = Math.floor(Date.now() / 1000);
    this.#progress = new Progress(context.progressMs, line => {
      context.outbox.send([context.signer.sign(jobProgress(active, line, acceptedAt))], active.run);
    });
  }

  /** Stops the run; the first reason stands. It is over when go() resolves, within a few seconds. */
  stop(stop: Stop): void {
    if (this.#stop !== null) return;
    this.#stop = stop;
    this.#context.permissions.withdraw(this.active.run, stop.reason);
    this.#controller.abort();
  }

  /** Runs to the end; `announce` are the events the relay must have taken before the program may start. */
  async go(announce: NostrEvent[]): Promise<RunEnding> {
    const { report } = this.#context;
    this.#phase('accepted');
    const limit = Math.min(LONGEST_TIMER, Math.max(0, this.#deadline - Date.now()));
    const words = `timed out after ${duration(this.#limits.timeoutMs)}`;
    const timer = setTimeout(() => this.stop({ ending: 'timed-out', reason: words }), limit);
    try {
      const refused = await this.#announced(announce);
      const ending =
        refused === null
          ? this.#endingOf(await this.#turn())
          : failed(`the relay refused the job: ${refused}`);
      this.#finish(ending);
      return ending.ending;
    } catch (error) {
      // A fault of ours must not leave a run open for ever.
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      report({ type: 'log', level: 'error', source: 'runner', text });
      this.#finish(
        failed(`a fault in the runner: ${error instanceof Error ? error.message : String(error)}`),
      );
      return 'failed';
    } finally {
      clearTimeout(timer);
    }
  }

  /** The relay refused something of this run for good: going on would be for nobody. */
  refused(reason: string): void {
    this.stop({ ending: 'failed', reason: `the relay refused to go on: ${reason}` });
  }

  async #announced(events: NostrEvent[]): Promise<string | null> {
    const aborted = new Promise<null>(resolve => {
      this.#controller.signal.addEventListener('abort', () => resolve(null), { once: true });
      if (this.#controller.signal.aborted) resolve(null);
    });
    for (const event of events) {
      const delivery = await Promise.race([this.#context.outbox.settled(event.id), aborted]);
      if (delivery === null) return null;
      if (!delivery.ok) return delivery.reason;
    }
    return null;
  }

  async #turn(): Promise<TurnResult> {
    const { budget, program, query, presenceMs } = this.#context;
    const { run } = this.active;
    if (this.#controller.signal.aborted) return { ending: 'cancelled', text: '', reason: '', early: true };
    this.#begun = true;
    this.#phase('running');
    this.#say('working');
    const alive = setInterval(() => this.#say('working'), presenceMs);
    this.#silence = this.#listen();
    try {
      return await program.turn({
        thread: `${this.active.room}/${this.active.root}`,
        prompt: promptOf(this.active),
        background: () => backgroundOf(this.active, query).catch(() => ''), // Without the past the answer is poorer, not wrong.
        signal: this.#controller.signal,
        events: {
          output: bytes => {
            this.#silence?.heard();
            this.#feed.output(bytes);
          },
          activity: activity => this.#feed.step(activity),
          progress: line => this.#progress.say(line),
          cost: amount => budget.cost(run, amount),
          ask: ask => this.#ask(ask),
        },
      });
    } finally {
      clearInterval(alive);
      this.#silence.end();
      this.#progress.end();
      this.#feed.flush();
    }
  }

  async #ask(ask: PermissionAsk): Promise<PermissionOutcome> {
    if (this.#stop !== null) return { ending: 'withdrawn', reason: this.#stop.reason };
    const outcome = await this.#context.permissions.ask(ask, {
      active: this.active,
      deadline: this.#deadline,
      changed: waiting => {
        this.#silence?.waiting(waiting);
        if (this.#stop === null) this.#phase(waiting > 0 ? 'waiting' : 'running');
      },
    });
    const key = JSON.stringify([ask.tool, ask.title]);
    if (outcome.ending === 'allowed') this.#unmet.delete(key);
    else if (outcome.ending !== 'denied') this.#unmet.set(key, `"${cut(ask.title, 150)}" ${outcome.ending}`);
    if (outcome.ending === 'expired' && this.#context.limits().onExpiry === 'stop') {
      const reason = `nobody answered "${cut(ask.title, 150)}" in time, and then the job was to be stopped`;
      this.stop({ ending: 'failed', reason });
    }
    return outcome;
  }

  /** Stops a program that neither says nor does anything; shown long before (case C2). */
  #listen(): Silence {
    const { program, silenceMs } = this.#context;
    const length = duration(silenceMs);
    return new Silence({
      limitMs: silenceMs,
      busy: () => program.busy(),
      changed: silent => {
        if (this.#stop !== null) return;
        if (silent === null) return this.#phase('running');
        const now = Date.now();
        const [quiet, left] = [now - silent.since, Math.max(0, silent.until - now)].map(duration);
        const words = program.lastWords();
        const said = words === '' ? '' : `; it last said: ${cut(words, 300)}`;
        const reason = `it has said and done nothing for ${quiet} and is stopped in ${left} unless it does${said}`;
        this.#phase('running', { reason });
      },
      strike: () => this.stop({ ending: 'timed-out', reason: `said and did nothing for ${length}` }),
    });
  }

  #endingOf(result: TurnResult): Ending {
    const { text, early } = result;
    if (this.#stop !== null) {
      const { ending, reason, told = false } = this.#stop;
      return { ending, reason, text: '', early: false, told };
    }
    if (result.ending === 'cancelled') {
      return { ending: 'cancelled', reason: 'the program cancelled it', text: '', early, told: false };
    }
    if (result.ending === 'done' && this.#unmet.size > 0) {
      const reason = `an approval it needed was not given: ${[...this.#unmet.values()].join(', ')}`;
      return { ...failed(reason), text };
    }
    return { ending: result.ending, reason: result.reason, text, early, told: false };
  }

  #finish(ending: Ending): void {
    const { journal, outbox, permissions, report, signer } = this.#context;
    const { active } = this;
    permissions.withdraw(active.run, ending.reason || 'the run is over');
    const ids = active.items.map(item => item.event);
    const fenced = ids.every(id => journal.hasAnswered(id));
    const events = fenced ? [] : this.#endingEvents(ending).map(template => signer.sign(template));
    journal.change(state => {
      Outbox.add(state, events, active.run);
      if (ending.ending === 'interrupted') return;
      delete state.active[active.room];
      for (const id of ids) {
        if (ending.early) state.released[id] = (state.released[id] ?? 0) + 1;
        else delete state.released[id];
      }
      if (!ending.early) journal.answer(ids);
    });
    const reason = ending.reason === '' ? {} : { reason: ending.reason };
    this.#phase('ended', { ending: ending.ending, ...reason });
    const answer = events.at(-1);
    if (answer !== undefined && ending.text !== '') {
      report({ type: 'reply', run: active.run, event: answer.id, delivered: false });
    }
    outbox.wake();
    if (this.#begun) this.#say(ending.early ? 'offline' : 'idle');
  }

  #endingEvents({ ending, reason, text, told }: Ending) {
    const { active } = this;
    const own = active.requester === this.#context.signer.pubkey;
    // A request that hangs on no thread is answered on its card alone.
    const answer = text !== '' && active.items.some(item => item.type === 'mention' || item.threaded);
    const room = answer ? [reply(active, text)] : [];
    if (ending === 'done') return [jobResult(active, text), ...room];
    if (ending === 'cancelled') {
      if (told) return [];
      return own ? [jobCancel(active)] : [jobError(active, 'Canceled')];
    }
    if (ending === 'interrupted')
      return this.#begun ? [jobProgress(active, `Interrupted: ${reason}`, 0)] : [];
    return [jobError(active, `Agent stopped: ${reason}`), ...room];
  }

  #phase(
    phase: 'accepted' | 'running' | 'waiting' | 'ended',
    more: { ending?: RunEnding; reason?: string } = {},
  ): void {
    const { run, room, root, subject, requester, items } = this.active;
    const deadline = this.#deadline;
    const asker = items[0]?.author;
    const asked = { requester, ...(asker === undefined ? {} : { asker }) };
    this.#context.report({ type: 'run', run, room, root, subject, ...asked, phase, deadline, ...more });
  }

  #say(word: 'working' | 'idle' | 'offline'): void {
    this.#context.whisper(this.#context.signer.sign(presence(this.active.room, word)));
  }
}

/** The first event of a run: that the request is taken. */
export function accepted(active: ActiveRun, signer: Signer): NostrEvent {
  return signer.sign(jobAccepted(active));
}

function failed(reason: string): Ending {
  return { ending: 'failed', reason, text: '', early: false, told: false };
}

/** A length of time in the largest unit that fits it. */
function duration(ms: number): string {
  if (ms >= 3_600_000 && ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  if (ms >= 60_000 && ms % 60_000 === 0) return `${ms / 60_000} min`;
  if (ms >= 60_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 100) / 10} s`;
}
