// The log of one agent: a ring for the dashboard, and a file that starts over when it is full, so that the lines
// before a crash are there after it.

import { appendFile, readFile, rename, stat } from 'node:fs/promises';
import type { z } from 'zod';
import { type LogLine, logLine } from '../contract/agents.ts';

const RING = 2_000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_TEXT = 4_000;

export class AgentLog {
  readonly #file: string;
  readonly #lines: LogLine[] = [];
  #unwritten: LogLine[] = [];
  #writing: Promise<void> | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Reads the newest lines of earlier starts. */
  async load(): Promise<void> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    const earlier = text
      .split('\n')
      .slice(-RING)
      .flatMap(line => parseLine(line) ?? []);
    this.#lines.unshift(...earlier);
    this.#trim();
  }

  /** Adds a line; its text is cut to 4,000 characters. Answers it as it was kept. */
  add(line: LogLine): LogLine {
    const kept = { ...line, text: line.text.slice(0, MAX_TEXT) };
    this.#lines.push(kept);
    this.#trim();
    this.#unwritten.push(kept);
    if (this.#unwritten.length > RING) this.#unwritten.shift();
    this.#writing ??= this.#write();
    return kept;
  }

  /** The newest lines, oldest first. */
  tail(limit: number): LogLine[] {
    return this.#lines.slice(-limit);
  }

  /** Resolves when everything said so far is in the file. */
  async settle(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #write(): Promise<void> {
    try {
      while (this.#unwritten.length > 0) {
        const lines = this.#unwritten;
        this.#unwritten = [];
        const size = await stat(this.#file).then(
          found => found.size,
          () => 0,
        );
        if (size > MAX_BYTES) await rename(this.#file, `${this.#file}.1`);
        const text = lines.map(line => `${JSON.stringify(line)}\n`).join('');
        await appendFile(this.#file, text, { mode: 0o600 });
      }
    } catch {
      // A full disk, or the folder was removed with its agent: the ring still has the lines.
    } finally {
      this.#writing = null;
    }
  }

  #trim(): void {
    if (this.#lines.length > RING) this.#lines.splice(0, this.#lines.length - RING);
  }
}

function parseLine(text: string): z.infer<typeof logLine> | null {
  try {
    return logLine.parse(JSON.parse(text));
  } catch {
    // The last line of a crash may be half a line.
    return null;
  }
}
