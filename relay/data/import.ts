// `tiny relay import`: events from JSON lines, through the same admission as everyone's (Origin `import`). Many are under
// way at once; admission judges them in the order of the lines.

import type { Origin, Outcome } from '../context.ts';
import { type ImportCount, type ImportNote, type ImportState, START } from './import-note.ts';
import { type Line, linesOf } from './lines.ts';

export type ImportOptions = {
  publish(event: unknown, origin: Origin): Promise<Outcome>;
  /** Where progress is kept; without it (standard input) the import starts at the beginning. */
  note?: ImportNote;
  /** Called in order for each line that was not stored, with its number (from 1) and the reason (`prefix: text`). */
  onRefused(line: number, reason: string): void;
  onProgress?(count: ImportCount): void;
  /** Stops after the lines in work; the note says where to go on. */
  signal?: AbortSignal;
};

const ORIGIN: Origin = { via: 'import', keys: [] };
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const IN_FLIGHT = 256;
/** Lines between two notes. */
const NOTE_LINES = 2000;

/** Imports a file or standard input to its end, or until the signal. */
export async function importEvents(
  source: string | NodeJS.ReadableStream,
  options: ImportOptions,
): Promise<ImportCount & { finished: boolean }> {
  const run = new ImportRun(options);
  const finished = await run.read(source);
  return { ...run.count, finished };
}

class ImportRun {
  readonly #options: ImportOptions;
  #state: ImportState;
  #waiting: Promise<void>[] = [];
  #refusals: { line: number; reason: string }[] = [];
  #sinceNote = 0;

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#state = { ...(options.note?.read() ?? START) };
  }

  get count(): ImportCount {
    const { offset: _, ...count } = this.#state;
    return count;
  }

  async read(source: string | NodeJS.ReadableStream): Promise<boolean> {
    const start = { offset: this.#state.offset, number: this.#state.lines };
    let last: Line | undefined;
    for await (const line of linesOf(source, start, MAX_LINE_BYTES)) {
      last = line;
      this.#take(line);
      if (this.#waiting.length >= IN_FLIGHT) await this.#settle(line);
      if (this.#options.signal?.aborted === true) {
        await this.#settle(line);
        this.#options.note?.write(this.#state);
        return false;
      }
    }
    await this.#settle(last);
    this.#options.note?.remove();
    return true;
  }

  #take(line: Line): void {
    this.#sinceNote += 1;
    if (line.text === null) {
      this.#refuse(line, `invalid: line is longer than ${MAX_LINE_BYTES} bytes`);
      return;
    }
    const text = line.text.trim();
    if (text === '') return;
    const event = parsed(text);
    if (event === undefined) {
      this.#refuse(line, 'invalid: line is not JSON');
      return;
    }
    this.#waiting.push(this.#publish(line, event));
  }

  async #publish(line: Line, event: unknown): Promise<void> {
    const { accepted, message } = await this.#options.publish(event, ORIGIN);
    if (!accepted) this.#refuse(line, message);
    else if (message.startsWith('duplicate:')) this.#state.duplicates += 1;
    else this.#state.stored += 1;
  }

  #refuse(line: Line, reason: string): void {
    this.#state.refused += 1;
    this.#refusals.push({ line: line.number, reason });
  }

  /** Waits for everything in work; after a line, all lines up to it are settled. */
  async #settle(line?: Line): Promise<void> {
    await Promise.all(this.#waiting.splice(0));
    const refusals = this.#refusals.splice(0).sort((a, b) => a.line - b.line);
    for (const { line: number, reason } of refusals) this.#options.onRefused(number, reason);
    if (line !== undefined) {
      this.#state.offset = line.end;
      this.#state.lines = line.number;
      if (this.#sinceNote >= NOTE_LINES) {
        this.#sinceNote = 0;
        this.#options.note?.write(this.#state);
      }
    }
    this.#options.onProgress?.(this.count);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused by its line number.
    return undefined;
  }
}
