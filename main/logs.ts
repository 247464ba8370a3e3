// The program's own log: to a file under logs/ that is rotated, and a ring for the dashboard. Lines are scrubbed on
// the way in, so that no key reaches either.

import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import type { LogLine } from './contract/agents.ts';
import type { Home } from './home.ts';

export type { Logger } from 'pino';

export type Logs = {
  /** The logger of one part of the program; its name is each line's `source`. */
  source(name: string): Logger;
  /** The newest lines, oldest first. */
  tail(limit: number): LogLine[];
  onLine(listener: (line: LogLine) => void): () => void;
  /** Lets no line from now on carry this secret, in hex. */
  hide(secret: Uint8Array): void;
  close(): void;
};

export type LogOptions = { level?: string; maxBytes?: number; files?: number; ring?: number };

/** Opens logs/desktop.log in the home. A log that cannot be written never stops the program. */
export function openLogs(home: Home, options: LogOptions = {}): Logs {
  const { level = 'info', maxBytes = 4 * 1024 * 1024, files = 5, ring: size = 2000 } = options;
  const file = rotated(join(home.folder('logs'), 'desktop.log'), maxBytes, files);
  const ring: LogLine[] = [];
  const listeners = new Set<(line: LogLine) => void>();
  const hidden = new Set<string>();
  const root = pino(
    { level, base: null, messageKey: 'text', serializers: { err: pino.stdSerializers.err } },
    {
      write(raw) {
        const clean = scrub(raw, hidden);
        file.write(clean);
        const line = asLine(clean);
        if (ring.push(line) > size) ring.shift();
        for (const listener of listeners) listener(line);
      },
    },
  );
  return {
    source: name => root.child({ source: name }),
    tail: limit => ring.slice(-limit),
    onLine(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hide: secret => void hidden.add(digest(Buffer.from(secret).toString('hex'))),
    close: () => file.close(),
  };
}

const secretWords = /\b(?:nsec1|ncryptsec1)[0-9a-z]{20,}|([?&]token=)[\w-]+/gi;
const hexWords = /[0-9a-f]{64}/gi;

/** The text without secret keys (as nsec always, as hex when hidden) and without dashboard tokens. */
export function scrub(text: string, hidden: ReadonlySet<string>): string {
  const plain = text.replace(secretWords, (_whole, before?: string) => `${before ?? ''}[hidden]`);
  if (hidden.size === 0) return plain;
  return plain.replace(hexWords, word => (hidden.has(digest(word.toLowerCase())) ? '[hidden]' : word));
}

// Secrets are known by their hashes only: the log is not one more place that holds them.
function digest(hex: string): string {
  return createHash('sha256').update(hex).digest('base64');
}

type Raw = { time: number; level: number; source?: string; text?: string; err?: { message?: string } };

function asLine(raw: string): LogLine {
  const { time, level, source = 'desktop', text = '', err } = JSON.parse(raw) as Raw;
  const words = [text, err?.message].filter(Boolean).join(': ');
  return { at: time, level: levelName(level), source, text: words };
}

function levelName(level: number): LogLine['level'] {
  if (level >= 50) return 'error';
  if (level >= 40) return 'warn';
  return level >= 30 ? 'info' : 'debug';
}

/** A file that is renamed to .1, .2 and so on when it is full. Written at once: the last line before a crash counts. */
function rotated(path: string, maxBytes: number, files: number) {
  let descriptor: number | null = openSync(path, 'a', 0o600);
  let bytes = fstatSync(descriptor).size;

  function rotate(): void {
    if (descriptor !== null) closeSync(descriptor);
    for (let n = files - 1; n >= 1; n--) {
      const from = n === 1 ? path : `${path}.${n - 1}`;
      if (existsSync(from)) renameSync(from, `${path}.${n}`);
    }
    descriptor = openSync(path, 'a', 0o600);
    bytes = 0;
  }

  return {
    write(text: string): void {
      if (descriptor === null) return;
      try {
        if (bytes > 0 && bytes + text.length > maxBytes) rotate();
        bytes += writeSync(descriptor, text);
      } catch {
        // A full disk must not take the program down with the log; the ring still has the line.
      }
    },
    close(): void {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}
