// `tiny relay backup|restore|check|export|import`: the words around the functions beside this file. Results go to
// standard output as one JSON line, progress and problems to standard error.

import type { Command } from 'commander';
import type { Origin, Outcome } from '../context.ts';
import { StoreRefusal } from '../store/refusal.ts';
import { backup } from './backup.ts';
import { check } from './check.ts';
import { exportEvents, exportTo } from './export.ts';
import { importEvents } from './import.ts';
import { type ImportCount, ImportNote } from './import-note.ts';
import { restore } from './restore.ts';

/** A relay on a data folder that nobody can connect to, only to take events in. */
export type OpenRelay = (data: string) => Promise<{
  publish(event: unknown, origin: Origin): Promise<Outcome>;
  close(): Promise<void>;
}>;

type Options = { data?: string; resume?: boolean };

/**
 * Adds the commands. `--data` may stand before or after the word, so the parent must not demand it itself. `setCode`
 * is told an exit code other than 0.
 */
export function dataCommands(program: Command, openRelay: OpenRelay, setCode: (code: number) => void): void {
  const add = (
    words: string,
    summary: string,
    run: (path: string, data: string, options: Options) => Promise<object | null>,
  ) => {
    const command = program
      .command(words)
      .description(summary)
      .option('--data <dir>', 'data folder of the relay');
    command.action(async (...given: unknown[]) => {
      const path = typeof given[0] === 'string' ? given[0] : '';
      const options = command.optsWithGlobals<Options>();
      try {
        if (options.data === undefined) throw new StoreRefusal(`${command.name()} needs --data DIR`);
        const report = await run(path, options.data, options);
        if (report !== null) write(process.stdout, JSON.stringify(report));
      } catch (error) {
        if (!(error instanceof StoreRefusal)) throw error;
        write(process.stderr, `error: ${error.message}`);
        setCode(1);
      }
    });
    return command;
  };
  add('backup <dir>', 'copy everything into a new folder, also while the relay runs', (to, data) =>
    backup(data, to),
  );
  add('restore <dir>', 'make the data folder from a backup', (from, data) => restore(from, data));
  add('check', 'check the database, every event and every grant', async (_, data) => {
    const report = await checkAloud(data);
    if (report.problems > 0) setCode(1);
    return report;
  });
  add('export <file>', 'write every event as a line of JSON; - is standard output', (to, data, { resume }) =>
    exportAloud(to, data, resume ?? false),
  ).option('--resume', 'go on with a file that an interrupted export left');
  add('import <file>', 'take events in from lines of JSON; - is standard input', async (from, data) => {
    const report = await importAloud(from, data, openRelay);
    if (!report.finished) setCode(1);
    return report;
  });
}

function checkAloud(data: string): ReturnType<typeof check> {
  const progress = seldom();
  return check(data, {
    onProblem: problem => write(process.stderr, problem),
    onProgress: (checked, total) => progress(`checked ${checked} of ${total} events`),
  });
}

async function exportAloud(to: string, data: string, resume: boolean): Promise<object | null> {
  const progress = seldom();
  if (to !== '-') return exportEvents(data, to, { resume, onProgress: lines => progress(`${lines} events`) });
  // Standard output is taken by the events: the report goes beside them.
  const lines = await exportTo(data, text => written(process.stdout, text));
  write(process.stderr, `${lines} events`);
  return null;
}

async function importAloud(from: string, data: string, openRelay: OpenRelay) {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  const note = from === '-' ? undefined : new ImportNote(data, from);
  const relay = await openRelay(data);
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const progress = seldom();
  try {
    return await importEvents(from === '-' ? process.stdin : from, {
      publish: (event, origin) => relay.publish(event, origin),
      ...(note === undefined ? {} : { note }),
      onRefused: (line, reason) => write(process.stderr, `line ${line}: ${reason}`),
      onProgress: count => progress(countText(count)),
      signal: stop.signal,
    });
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await relay.close();
  }
}

function countText({ lines, stored, duplicates, refused }: ImportCount): string {
  return `${lines} lines: ${stored} stored, ${duplicates} known, ${refused} refused`;
}

/** Passes a text on at most once a second, so that progress can be told at every step. */
function seldom(): (text: string) => void {
  let last = performance.now();
  return text => {
    if (performance.now() - last < 1000) return;
    last = performance.now();
    write(process.stderr, text);
  };
}

function write(stream: NodeJS.WritableStream, line: string): void {
  stream.write(`${line}\n`);
}

/** Waits for a slow reader instead of holding the whole export in memory. */
function written(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, error => (error ? reject(error) : resolve()));
  });
}
