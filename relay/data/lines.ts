// Lines of a file as bytes come in, with their number and where the next one starts. A line that is too long is named,
// not kept.

import { createReadStream } from 'node:fs';

/** `text` is null for a line longer than the limit; `end` is the offset of the byte after its line break. */
export type Line = { number: number; text: string | null; end: number };

/** Where reading starts: at the beginning of a line. */
export type LinePlace = { offset: number; number: number };

/** Lines of a file or of standard input; `maxBytes` bounds what is held of one. */
export async function* linesOf(
  source: string | NodeJS.ReadableStream,
  start: LinePlace,
  maxBytes: number,
): AsyncGenerator<Line, void, void> {
  const chunks =
    typeof source === 'string'
      ? createReadStream(source, { start: start.offset, highWaterMark: 1 << 18 })
      : source;
  let { offset, number } = start;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const take = (part: Buffer, lineBreak: number): Line => {
    number += 1;
    offset += part.length + lineBreak;
    const tooLong = heldBytes + part.length > maxBytes;
    const text = tooLong ? null : Buffer.concat([...held, part]).toString('utf8');
    held = [];
    heldBytes = 0;
    return { number, text, end: offset };
  };
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      yield take(chunk.subarray(from, at), 1);
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    heldBytes += rest.length;
    offset += rest.length;
    if (heldBytes <= maxBytes) held.push(rest);
    else held = [];
  }
  if (heldBytes > 0) yield take(Buffer.alloc(0), 0);
}
