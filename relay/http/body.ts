// Reading a request's body as bytes, up to a limit (cases F-12 and F-13).

import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../context.ts';

/** The bytes of the body, or why it is not read. A compressed body is refused: its size would not be what it says. */
export async function readBody(
  incoming: IncomingMessage,
  limit: number,
): Promise<{ body: Buffer } | { refusal: Refusal }> {
  const encoding = incoming.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return { refusal: 'invalid: compressed bodies are not accepted' };
  }
  const tooLarge = { refusal: `invalid: the body is larger than ${limit} bytes` };
  if (Number(incoming.headers['content-length'] ?? 0) > limit) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  // Not `for await`: leaving that early destroys the socket, and the refusal with it.
  const end = await new Promise<'complete' | 'too large' | 'gone'>(resolve => {
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        incoming.pause();
        resolve('too large');
      }
    });
    incoming.once('end', () => resolve('complete'));
    incoming.once('error', () => resolve('gone'));
    incoming.once('close', () => resolve('gone'));
  });
  if (end === 'gone') return { refusal: 'error: the client went away' };
  return end === 'complete' ? { body: Buffer.concat(chunks) } : tooLarge;
}

/** SHA-256 in hex of a body that is not empty; null for an empty one. */
export function bodyHash(body: Buffer): string | null {
  return body.length === 0 ? null : hash('sha256', body, 'hex');
}

/** The JSON of a body, or undefined when it is none. */
export function bodyJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // The caller says what it wanted instead.
    return undefined;
  }
}
