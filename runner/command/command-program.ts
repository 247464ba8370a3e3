// Drives a plain program: the prompt on stdin, the answer on stdout, one process a run (seed, Run a local agent).

import { StringDecoder } from 'node:string_decoder';
import {
  MAX_REPLY,
  type Program,
  type ProgramSpec,
  type ProgramTimes,
  type Turn,
  type TurnResult,
} from '../program.ts';
import { exitWords, missingProgram, type ProgramExit, ProgramProcess } from '../program-process.ts';
import type { Report } from '../status.ts';
import { Collector, cut } from '../text.ts';
import { troubleIn } from '../trouble.ts';

const MAX_WORDS = 300;

export type CommandContext = { spec: ProgramSpec; times: ProgramTimes; report: Report };

export class CommandProgram implements Program {
  readonly #context: CommandContext;
  readonly #running = new Set<ProgramProcess>();
  #stopped = false;

  constructor(context: CommandContext) {
    this.#context = context;
  }

  /** Nothing runs between turns; whether it could is looked at (case C7). */
  async start(): Promise<void> {
    const reason = missingProgram(this.#context.spec);
    if (reason === null) this.#context.report({ type: 'program', state: 'ready' });
    else this.#context.report({ type: 'program', state: 'spawn-failed', reason });
  }

  async turn(turn: Turn): Promise<TurnResult> {
    const background = await turn.background();
    if (turn.signal.aborted || this.#stopped) return cancelled(true);
    const started = await ProgramProcess.start(this.#context.spec, this.#context.report);
    if (!started.ok) {
      this.#context.report({ type: 'program', state: 'spawn-failed', reason: started.reason });
      return { ending: 'failed', text: '', reason: started.reason, early: true };
    }
    const { process } = started;
    this.#running.add(process);
    this.#context.report({ type: 'program', state: 'ready', ...process.id });
    try {
      const prompt = background === '' ? turn.prompt : `${background}\n\n${turn.prompt}`;
      return await this.#run(process, { ...turn, prompt });
    } finally {
      // Whatever it left behind goes with the run (cases A4, F-50).
      await process.end(this.#context.times);
      this.#running.delete(process);
    }
  }

  async busy(): Promise<boolean> {
    const each = await Promise.all([...this.#running].map(process => process.tree.busy()));
    return each.includes(true);
  }

  lastWords(): string {
    const [one] = this.#running;
    return one?.stderrTail.split('\n').at(-1) ?? '';
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#running].map(process => process.end(this.#context.times)));
  }

  kill(): void {
    for (const process of this.#running) process.killNow();
  }

  async #run(process: ProgramProcess, turn: Turn): Promise<TurnResult> {
    const answer = new Collector(MAX_REPLY);
    const decoder = new StringDecoder('utf8');
    process.child.stdout.on('data', (chunk: Buffer) => {
      turn.events.output(chunk.length);
      answer.add(decoder.write(chunk));
    });
    const stop = () => void process.end(this.#context.times);
    turn.signal.addEventListener('abort', stop, { once: true });
    if (turn.signal.aborted) stop();
    const watch = setInterval(() => void process.tree.members(), 3_000);
    process.child.stdin.end(turn.prompt);
    const exit = await process.exited;
    clearInterval(watch);
    turn.signal.removeEventListener('abort', stop);
    this.#reportExit(exit);
    if (turn.signal.aborted) return cancelled(false);
    if (exit.code === 0) return { ending: 'done', text: answer.text(), reason: '', early: false };
    const reason = exitWords(this.#context.spec.command, exit);
    const trouble = troubleIn(exit.stderrTail);
    if (trouble !== null) {
      const words = `the program says: ${cut(exit.stderrTail, MAX_WORDS)}`;
      this.#context.report({ type: 'suspended', kind: trouble, reason: words });
    }
    return { ending: 'failed', text: '', reason, early: false };
  }

  /** An ordinary end is no news: the next run starts it again. */
  #reportExit(exit: ProgramExit): void {
    const { code, signal, stderrTail } = exit;
    const tail = stderrTail === '' ? {} : { stderrTail };
    if (code === 0) {
      this.#context.report({ type: 'program', state: 'ready', ...tail });
      return;
    }
    const reason = exitWords(this.#context.spec.command, exit);
    this.#context.report({ type: 'program', state: 'exited', code, signal, reason, ...tail });
  }
}

function cancelled(early: boolean): TurnResult {
  return { ending: 'cancelled', text: '', reason: '', early };
}
