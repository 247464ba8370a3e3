// What is known of one agent's runner from its status lines: program, queue, runs, replies. Nothing here says
// "running" unless a line said so and the process that said it still lives (cases A11 A14 C1).

import type { StatusLine } from '../../relay/protocol/runner-status.ts';
import type { AgentView, RunView } from '../contract/agents.ts';

const KEPT_RUNS = 100;
const KEPT_ACTIVITY = 300;
/** Steps kept of a run that has ended: its last ones. */
const KEPT_AFTER_END = 50;
const KEPT_REFUSED = 50;

type Line<T extends StatusLine['type']> = Extract<StatusLine, { type: T }>;

export class RunnerView {
  connection: Line<'connection'> | null = null;
  program: Line<'program'> | null = null;
  grant: Line<'grant'> | null = null;
  suspended: Line<'suspended'> | null = null;
  budget: Line<'budget'> | null = null;
  /** Why what agents ask in a room waits for a person, by room. */
  readonly loops = new Map<string, string>();
  queue: AgentView['queue'] = [];
  lastOutputAt: number | null = null;
  lastReply: AgentView['lastReply'] = null;
  undelivered = 0;
  refused: AgentView['refused'] = [];
  /** Newest first. */
  runs: RunView[] = [];

  /** Takes up the runs of an earlier start. What was open then was interrupted, when it was last heard of (A11). */
  resumeFrom(runs: RunView[]): void {
    this.runs = runs.slice(0, KEPT_RUNS).map(run => (run.phase === 'ended' ? run : interrupted(run)));
  }

  /** The run in progress, or null. */
  get run(): RunView | null {
    return this.runs.find(run => run.phase !== 'ended') ?? null;
  }

  /** Takes in a line. Answers whether the history of runs changed. */
  apply(line: StatusLine): boolean {
    switch (line.type) {
      case 'ready':
        this.#forgetProcess();
        return false;
      case 'connection':
        this.connection = line;
        return false;
      case 'program':
        this.program = line;
        return false;
      case 'grant':
        this.grant = line;
        return false;
      case 'suspended':
        this.suspended = line;
        return false;
      case 'budget':
        this.budget = line;
        if (line.state !== 'spent' && this.suspended?.kind === 'budget') this.suspended = null;
        return false;
      case 'loop':
        if (line.held) this.loops.set(line.room, line.reason ?? 'agents answer each other');
        else this.loops.delete(line.room);
        return false;
      case 'queue':
        this.queue = line.waiting;
        return false;
      case 'run':
        this.#applyRun(line);
        return true;
      case 'activity':
        return this.#applyActivity(line);
      case 'output':
        this.lastOutputAt = line.at;
        return false;
      case 'reply': {
        const { event, at, delivered, reason } = line;
        this.lastReply = { event, at, delivered, ...(reason === undefined ? {} : { reason }) };
        return false;
      }
      case 'outbox':
        this.undelivered = line.undelivered;
        this.refused = line.refused.slice(-KEPT_REFUSED);
        return false;
      default:
        return false;
    }
  }

  /** The process is gone: nothing runs any more, whatever was said last. */
  processEnded(): void {
    this.#forgetProcess();
    this.runs = this.runs.map(run => (run.phase === 'ended' ? run : interrupted(run)));
  }

  #forgetProcess(): void {
    this.connection = null;
    this.program = null;
    this.suspended = null;
    this.budget = null;
    this.loops.clear();
  }

  #applyRun(line: Line<'run'>): void {
    const known = this.runs.find(run => run.run === line.run);
    const { run, room, root, subject, requester, asker, phase, ending, reason, deadline, at } = line;
    const startedAt = known && known.phase !== 'ended' ? known.startedAt : at;
    const next: RunView = {
      run,
      room,
      root,
      subject,
      requester,
      phase,
      startedAt,
      activity: phase === 'ended' ? (known?.activity.slice(-KEPT_AFTER_END) ?? []) : (known?.activity ?? []),
      ...(asker === undefined || asker === requester ? {} : { asker }),
      ...(ending === undefined ? {} : { ending }),
      ...(reason === undefined ? {} : { reason }),
      ...(deadline === undefined ? {} : { deadline }),
      ...(phase === 'ended' ? { endedAt: at } : {}),
    };
    this.runs = [next, ...this.runs.filter(each => each.run !== run)].slice(0, KEPT_RUNS);
  }

  #applyActivity(line: Line<'activity'>): boolean {
    const run = this.runs.find(each => each.run === line.run);
    if (!run) return false;
    const { id, at, kind, verb, object, outcome, detail } = line;
    const step = {
      id,
      at,
      kind,
      verb,
      object,
      ...(outcome === undefined ? {} : { outcome }),
      ...(detail === undefined ? {} : { detail }),
    };
    const index = run.activity.findIndex(each => each.id === id);
    if (index >= 0) run.activity[index] = { ...step, at: run.activity[index]?.at ?? at };
    else run.activity.push(step);
    if (run.activity.length > KEPT_ACTIVITY) run.activity.shift();
    this.lastOutputAt = at;
    return true;
  }
}

/** An open run whose process went away. It ended when it was last heard of, not when that was noticed. */
function interrupted(run: RunView): RunView {
  const lastHeard = Math.max(run.startedAt, ...run.activity.map(step => step.at));
  const reason = 'The agent was stopped or went away while it worked';
  return { ...run, phase: 'ended', ending: 'interrupted', reason, endedAt: lastHeard };
}
