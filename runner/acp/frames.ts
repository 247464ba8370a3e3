// The wire of ACP: one JSON object a line (spec/mcp-acp.md C). Reads only as fast as the messages are taken, holds at
// most one frame, and keeps `session/update` away from the SDK, which drops variants it does not know.

import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';

export const MAX_FRAME = 1024 * 1024;

export class FrameTooLong extends Error {
  constructor() {
    super(`sent a message of more than ${MAX_FRAME} bytes`);
    this.name = 'FrameTooLong';
  }
}

export type FrameHandlers = {
  /** Params of a `session/update`, in the order they came and before any later answer. */
  update(params: unknown): void;
  /** A line that is no message. */
  garbage(line: string): void;
  /** Bytes that came in. */
  bytes(count: number): void;
};

/** The two streams the SDK connects to, over a child's stdout and stdin. */
export function acpStream(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  handlers: FrameHandlers,
): Stream {
  const lines = readLines(input, handlers);
  const readable = new ReadableStream<AnyMessage>(
    {
      async pull(controller) {
        try {
          for (;;) {
            const { value, done } = await lines.next();
            if (done) return controller.close();
            const message = readMessage(value, handlers);
            if (message === null) continue;
            if (!isUpdate(message)) return controller.enqueue(message);
            handlers.update(message.params);
          }
        } catch (error) {
          controller.error(error);
        }
      },
      async cancel() {
        await lines.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<AnyMessage>({
    write: message =>
      new Promise((resolve, reject) => {
        output.write(`${JSON.stringify(message)}\n`, error => (error ? reject(error) : resolve()));
      }),
  });
  return { readable, writable };
}

async function* readLines(
  input: NodeJS.ReadableStream,
  handlers: FrameHandlers,
): AsyncGenerator<Buffer, undefined, undefined> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const piece of input) {
    const chunk = Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
    handlers.bytes(chunk.length);
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      const part = chunk.subarray(start, end < 0 ? undefined : end);
      size += part.length;
      if (size > MAX_FRAME) throw new FrameTooLong();
      if (part.length > 0) parts.push(part);
      if (end < 0) break;
      if (size > 0) yield parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      parts = [];
      size = 0;
      start = end + 1;
    }
  }
  if (size > 0) handlers.garbage(Buffer.concat(parts).toString('utf8'));
  return undefined;
}

function readMessage(line: Buffer, handlers: FrameHandlers): AnyMessage | null {
  const text = line.toString('utf8').trim();
  if (text === '') return null;
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
      return message as AnyMessage;
    }
  } catch {
    // Not JSON: shown in the log below like every other line that is no message.
  }
  handlers.garbage(text);
  return null;
}

function isUpdate(message: AnyMessage): message is AnyMessage & { params: unknown } {
  return 'method' in message && message.method === 'session/update' && !('id' in message);
}
