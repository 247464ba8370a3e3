// One child of main with everything it starts: recorded in the ledger, its output read in bounded lines, its end
// told only when its whole tree is gone (cases A3 F-50).

import type { Readable } from 'node:stream';
import { childEnvironment } from './child-environment.ts';
import type { Ledger } from './ledger.ts';
import type { Exit, ModuleSpec, Spawned, Spawner } from './spawner.ts';

export type ChildParts = { ledger: Ledger; spawner: Spawner };

export type ChildSpec = Omit<ModuleSpec, 'env'> & {
  /** As the ledger and the health page call it. */
  what: string;
  env?: Record<string, string>;
  /**
   * Milliseconds it has after being asked. Then what it started is killed, so that it can still settle its own
   * matters, and a little later the process itself.
   */
  patience: number;
};

export type Child = {
  readonly spawned: Spawned;
  /** Resolves once the process and its whole tree are gone. */
  readonly ended: Promise<Exit>;
  /** Asks it to stop (`ask`, then the closed channel), and kills what is left when patience is over. */
  stop(ask: () => void): Promise<void>;
};

/** What a process gets to write down once nothing it started is left. */
const LAST_WORDS_MS = 700;

/** Starts a child. Rejects with the system's reason when it could not be started at all. */
export async function startChild(parts: ChildParts, spec: ChildSpec): Promise<Child> {
  const { ledger, spawner } = parts;
  const mark = ledger.newMark();
  const { what, patience, env, ...module } = spec;
  const spawned = await spawner.spawn({ ...module, env: childEnvironment(mark, env) });
  const exited = new Promise<Exit>(resolve => spawned.onExit(resolve));
  if (spawned.pid === undefined) {
    const exit = await exited;
    throw new Error(`Could not start ${what}: ${exit.error?.message ?? 'no process'}`);
  }
  await ledger.record(spawned.pid, what, mark);
  const ended = exited.then(async exit => {
    await ledger.end(mark, 0);
    ledger.forget(mark);
    return exit;
  });
  return {
    spawned,
    ended,
    async stop(ask) {
      const before = await ledger.tree(mark);
      ask();
      const others = () => ledger.end(mark, 0, before, spawned.pid);
      const timers = [
        setTimeout(() => void others(), patience),
        setTimeout(() => spawned.kill(true), patience + LAST_WORDS_MS),
      ];
      spawned.disconnect();
      await exited;
      for (const timer of timers) clearTimeout(timer);
      await ledger.end(mark, 0, before);
      await ended;
    },
  };
}

/** Hands `stream` on line by line; of a line over `limit` characters only its start comes, once. */
export function readLines(stream: Readable | null, limit: number, line: (text: string) => void): void {
  if (!stream) return;
  let held = '';
  let skipping = false;
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', from)) {
      if (!skipping) line(held + chunk.slice(from, at).replace(/\r$/, ''));
      held = '';
      skipping = false;
      from = at + 1;
    }
    if (skipping) return;
    held += chunk.slice(from);
    if (held.length <= limit) return;
    line(`${held.slice(0, limit)} [cut]`);
    held = '';
    skipping = true;
  });
  stream.on('end', () => {
    if (held !== '') line(held);
    held = '';
  });
  // A pipe that breaks is a child that ended: its exit tells more.
  stream.on('error', () => {});
}

/** How a process ended, in words. */
export function exitWords(exit: Exit): string {
  if (exit.error) return exit.error.message;
  if (exit.signal) return `ended by ${exit.signal}`;
  return exit.code === 0 ? 'ended' : `ended with code ${exit.code}`;
}
