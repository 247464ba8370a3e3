// What the relay does by itself, seldom: it lets go of expired events and looks after a database that was too large
// to be checked at the start.

import { Worker } from 'node:worker_threads';
import type { Logger } from './context.ts';
import type { OpenDatabase } from './store/database.ts';
import type { SqliteStore } from './store/store.ts';

const SWEEP_EVERY = 60_000;
const SWEEP_EVENTS = 500;
const DAY = 86_400;

export type UpkeepParts = {
  store: SqliteStore;
  database: OpenDatabase;
  log: Logger;
  now: () => number;
  /** Called when the database turns out to be damaged: the relay must not go on writing to it. */
  onDamage: (problem: string) => void;
};

/** Starts it; answers what stops it. */
export function startUpkeep({ store, database, log, now, onDamage }: UpkeepParts): () => void {
  const sweep = setInterval(() => {
    try {
      if (store.events.hasExpired()) store.transact(() => store.events.removeExpired(SWEEP_EVENTS));
      clearAged(store, now());
    } catch (error) {
      log.error({ error: String(error) }, 'Events whose time has passed could not be removed');
    }
  }, SWEEP_EVERY);
  sweep.unref();
  const check = database.checked ? undefined : checkBeside(database.path, log, onDamage);
  return () => {
    clearInterval(sweep);
    void check?.terminate();
  };
}

/** Removes events that are older than their kind is kept, some at a time, the newest of them first. */
export function clearAged(store: SqliteStore, now: number): void {
  for (const { kind, days } of store.retention.list()) {
    const due: string[] = [];
    for (const { id } of store.events.scan({ kinds: [kind], until: now - days * DAY })) {
      if (due.push(id) === SWEEP_EVENTS) break;
    }
    if (due.length === 0) continue;
    store.transact(() => {
      for (const id of due) store.events.remove(id);
    });
  }
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
