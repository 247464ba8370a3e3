// Lines of bytes from a stream, as the JSON-lines protocols of the connector read them.

import type { Readable } from 'node:stream';

/** Bytes of the longest line. */
export const MAX_LINE = 48 * 1024 * 1024;

/** Lines of at most 48 MiB; of a longer one only the fact. */
export async function* linesOf(input: Readable): AsyncGenerator<Buffer | 'too long'> {
  let parts: Buffer[] = [];
  let size = 0;
  const take = (): Buffer | 'too long' => {
    const line = size > MAX_LINE ? 'too long' : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line;
  };
  for await (const piece of input) {
    const chunk = Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      const part = chunk.subarray(start, end < 0 ? undefined : end);
      size += part.length;
      if (size <= MAX_LINE) parts.push(part);
      else parts = [];
      if (end < 0) break;
      yield take();
      start = end + 1;
    }
  }
  if (size > 0) yield take();
}
