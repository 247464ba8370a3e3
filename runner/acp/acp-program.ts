// Drives a program that speaks ACP: one process, started for the handshake and again when it is needed, a session a
// thread, and an end to every turn (spec/mcp-acp.md C5, spec/decisions.md 13).

import { setTimeout as pause } from 'node:timers/promises';
import { endProcesses } from '../agent/process-tree.ts';
import type { Program, Turn, TurnResult } from '../program.ts';
import { troubleIn } from '../trouble.ts';
import { type HostContext, ProgramFailure, type Session, SessionHost } from './session-host.ts';

/** What each stop reason means for the run; reasons not named here are failures. */
const STOPPED: Record<string, string> = {
  max_tokens: 'the model reached its limit of tokens',
  max_turn_requests: 'the program reached its limit of requests in one turn',
  refusal: 'the model refused to go on',
};

export class AcpProgram implements Program {
  readonly #context: HostContext;
  #opening: Promise<SessionHost> | null = null;
  #host: SessionHost | null = null;
  #stopped = false;

  constructor(context: HostContext) {
    this.#context = context;
  }

  async start(): Promise<void> {
    await this.#open().catch(() => undefined); // Reported where it happened; the next turn tries again.
  }

  async turn(turn: Turn): Promise<TurnResult> {
    let host: SessionHost;
    let session: Session;
    try {
      host = await this.#open();
      session = await host.session(turn.thread);
    } catch (error) {
      return this.#early(error, turn.signal);
    }
    const background = session.fresh ? await turn.background() : '';
    if (turn.signal.aborted) return { ending: 'cancelled', text: '', reason: '', early: true };
    const prompt = background === '' ? turn.prompt : `${background}\n\n${turn.prompt}`;
    return this.#prompt(host, session, { ...turn, prompt });
  }

  async busy(): Promise<boolean> {
    return (await this.#host?.process.tree.busy()) ?? false;
  }

  lastWords(): string {
    return this.#host?.process.stderrTail.split('\n').at(-1) ?? '';
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const host = this.#host ?? (await this.#opening?.catch(() => null));
    await host?.end('the runner is stopping');
  }

  kill(): void {
    this.#host?.process.killNow();
  }

  async #prompt(host: SessionHost, session: Session, turn: Turn): Promise<TurnResult> {
    const before = new Set((await host.process.tree.members()).map(({ pid }) => pid));
    const answer = host.prompt(session, turn.prompt, turn.events);
    const settled = answer.then(
      () => true,
      () => true,
    );
    const watch = watchTree(host);
    const stop = () => void this.#cancel(host, session, settled);
    turn.signal.addEventListener('abort', stop, { once: true });
    if (turn.signal.aborted) stop();
    try {
      const { stopReason, answer: text } = await answer;
      if (turn.signal.aborted) await this.#sweep(host, before);
      return ended(String(stopReason), text);
    } catch (error) {
      if (turn.signal.aborted) {
        await (host.usable ? this.#sweep(host, before) : host.end());
        return { ending: 'cancelled', text: '', reason: '', early: false };
      }
      this.#reportTrouble(error);
      const reason = error instanceof Error ? error.message : String(error);
      if (!host.usable) await host.end();
      else host.forget(turn.thread);
      // Half an answer of a program that broke down would read like a whole one.
      return { ending: 'failed', text: '', reason: programWords(reason), early: false };
    } finally {
      clearInterval(watch);
      turn.signal.removeEventListener('abort', stop);
    }
  }

  /** Cancel, then terminate, then kill: the turn is over within the sum of the times. */
  async #cancel(host: SessionHost, session: Session, settled: Promise<boolean>): Promise<void> {
    host.cancel(session);
    const obeyed = await Promise.race([settled, pause(this.#context.times.cancel, false)]);
    if (!obeyed) await host.end('would not stop when asked and was ended');
  }

  /** What a cancelled turn started and left running is ended; the program itself obeyed and stays. */
  async #sweep(host: SessionHost, before: Set<number>): Promise<void> {
    // With another turn going on nobody can tell whose process is whose.
    if (!host.usable || host.activeTurns > 0) return;
    const { term, kill } = this.#context.times;
    const young = async () => (await host.process.tree.members()).filter(({ pid }) => !before.has(pid));
    await endProcesses(young, null, { termMs: term, killMs: kill });
  }

  async #open(): Promise<SessionHost> {
    if (this.#host?.usable) return this.#host;
    if (this.#stopped) throw new ProgramFailure('the runner is stopping');
    this.#opening ??= this.#replace().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #replace(): Promise<SessionHost> {
    // The old tree first: two of them would be one too many (case A3).
    await this.#host?.end();
    this.#host = await SessionHost.open(this.#context);
    return this.#host;
  }

  #early(error: unknown, signal: AbortSignal): TurnResult {
    this.#reportTrouble(error);
    if (signal.aborted) return { ending: 'cancelled', text: '', reason: '', early: true };
    const reason = error instanceof Error ? error.message : String(error);
    return { ending: 'failed', text: '', reason: programWords(reason), early: true };
  }

  /** Trying again makes a used-up quota and a missing sign-in no better: a person has to act. */
  #reportTrouble(error: unknown): void {
    const said = error instanceof Error ? error.message : String(error);
    const authentication = error instanceof ProgramFailure && error.authentication;
    const kind = authentication ? 'authentication' : troubleIn(said);
    if (kind === null) return;
    const reason = programWords(said);
    if (kind === 'authentication') {
      this.#context.report({ type: 'program', state: 'authentication-needed', reason });
    }
    this.#context.report({ type: 'suspended', kind, reason });
  }
}

function ended(stopReason: string, text: string): TurnResult {
  if (stopReason === 'end_turn') return { ending: 'done', text, reason: '', early: false };
  if (stopReason === 'cancelled') return { ending: 'cancelled', text, reason: '', early: false };
  const reason = STOPPED[stopReason] ?? `the program stopped for the reason "${stopReason}"`;
  return { ending: 'failed', text, reason, early: false };
}

/** A reason as a sentence: most leave out their subject, the program. */
function programWords(reason: string): string {
  return /^(the |")/.test(reason) ? reason : `the program ${reason}`;
}

/** Looks at the tree now and then, so that what leaves it later is still known. Only while a turn runs. */
function watchTree(host: SessionHost): NodeJS.Timeout {
  return setInterval(() => void host.process.tree.members(), 3_000);
}
