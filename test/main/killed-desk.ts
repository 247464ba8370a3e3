// The other end of desk-child.ts: a desktop that can be killed at any moment.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CallInput, CallName, CallResult, PushName, PushValue } from '../../main/contract/features.ts';
import { Pushes } from './desk.ts';

type Answer = { id?: number; value?: unknown; error?: string; push?: PushName; ready?: true };

export class KillableDesk {
  readonly pushes = new Pushes();
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #calls = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message: Answer) => {
      if (message.push) this.pushes.add(message.push, message.value);
      if (message.id === undefined) return;
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error === undefined) waiting?.resolve(message.value);
      else waiting?.reject(new Error(message.error));
    });
  }

  static async start(home: string): Promise<KillableDesk> {
    const child = fork(join(import.meta.dirname, 'desk-child.ts'), [home], { execArgv: [] });
    const desk = new KillableDesk(child);
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message: Answer) => message.ready && resolve());
      child.once('exit', code => reject(new Error(`the desktop ended with ${code} before it was ready`)));
    });
    return desk;
  }

  call<N extends CallName>(name: N, args: CallInput<N>): Promise<CallResult<N>> {
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: value => resolve(value as never), reject });
      this.#child.send({ id, name, args });
    });
  }

  until<N extends PushName>(name: N, fits: (value: PushValue<N>) => boolean): Promise<PushValue<N>> {
    return this.pushes.until(name, fits);
  }

  /** Pids of main and of everything it started. */
  async pids(): Promise<number[]> {
    return (await this.call('health.processes', {})).map(row => row.pid);
  }

  async kill(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}
