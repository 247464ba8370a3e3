// What the relay does by itself, seldom: it lets go of expired events and looks after a database that was too large
// to be checked at the start.

import { Worker } from 'node:worker_threads';
import type { Logger } from './context.ts';
import type { OpenDatabase } from './store/database.ts';
import type { SqliteStore } from './store/store.ts';

const SWEEP_EVERY = 60_000;
const SWEEP_EVENTS = 500;

export type UpkeepParts = {
  store: SqliteStore;
  database: OpenDatabase;
  log: Logger;
  /** Called when the database turns out to be damaged: the relay must not go on writing to it. */
  onDamage: (problem: string) => void;
};

/** Starts it; answers what stops it. */
export function startUpkeep({ store, database, log, onDamage }: UpkeepParts): () => void {
  const sweep = setInterval(() => {
    try {
      if (store.events.hasExpired()) store.transact(() => store.events.removeExpired(SWEEP_EVENTS));
    } catch (error) {
      log.error({ error: String(error) }, 'Expired events could not be removed');
    }
  }, SWEEP_EVERY);
  sweep.unref();
  const check = database.checked ? undefined : checkBeside(database.path, log, onDamage);
  return () => {
    clearInterval(sweep);
    void check?.terminate();
  };
}

function checkBeside(path: string, log: Logger, onDamage: (problem: string) => void): Worker {
  const worker = new Worker(new URL('./store/integrity-worker.ts', import.meta.url), {
    workerData: path,
    execArgv: [],
  });
  worker.unref();
  worker.on('message', problem => {
    if (problem !== 'ok') onDamage(String(problem));
  });
  worker.on('error', error => log.error({ error: String(error) }, 'The database could not be checked'));
  return worker;
}
