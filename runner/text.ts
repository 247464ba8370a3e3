// Cutting text without breaking characters, and collecting output without growing.

import { StringDecoder } from 'node:string_decoder';

/** At most `limit` Unicode code points of a text, with a mark at the end when something is missing. */
export function cut(text: string, limit: number, mark = '…'): string {
  if (text.length <= limit) return text;
  const points = [...text.slice(0, limit * 2 + 2)];
  if (points.length <= limit) return text;
  return points.slice(0, limit - [...mark].length).join('') + mark;
}

/** Keeps the first `limit` characters of a stream of text and counts the rest. */
export class Collector {
  readonly #limit: number;
  #text = '';
  #whole = true;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    if (!this.#whole) return;
    // Two UTF-16 units a character at most: enough to cut exactly at the end.
    const room = this.#limit * 2 + 4 - this.#text.length;
    this.#text += text.slice(0, room);
    if (text.length > room) this.#whole = false;
  }

  /** What arrived, trimmed; cut with a line that says so when it was longer than the limit. */
  text(): string {
    const text = this.#text.trim();
    if (this.#whole && text.length <= this.#limit) return text;
    const points = [...text];
    if (this.#whole && points.length <= this.#limit) return text;
    const mark = `\n\n[cut here: longer than ${this.#limit} characters]`;
    return points.slice(0, this.#limit - mark.length).join('') + mark;
  }
}

/** Splits bytes into lines of bounded length; the rest of a longer line is dropped with a mark. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #limit: number;
  readonly #line: (line: string) => void;
  #rest = '';
  #skipping = false;

  constructor(limit: number, line: (line: string) => void) {
    this.#limit = limit;
    this.#line = line;
  }

  push(chunk: Buffer): void {
    const parts = this.#decoder.write(chunk).split('\n');
    parts.forEach((part, index) => {
      this.#add(part);
      if (index < parts.length - 1) this.#flush();
    });
  }

  end(): void {
    this.#add(this.#decoder.end());
    if (this.#rest !== '') this.#flush();
  }

  #add(part: string): void {
    if (this.#skipping) return;
    this.#rest += part;
    if (this.#rest.length <= this.#limit) return;
    this.#skipping = true;
    this.#rest = `${this.#rest.slice(0, this.#limit)}…`;
  }

  #flush(): void {
    const line = this.#rest.replace(/\r$/, '');
    this.#rest = '';
    this.#skipping = false;
    if (line !== '') this.#line(line);
  }
}
