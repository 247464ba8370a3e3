// The private line from a supervisor: first the secret key, then orders, and its end means the supervisor is gone.
// A descriptor on plain Node (`--key-fd N`), the parent port under Electron. The key never stands in argv or the
// environment.

import { createReadStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { type RunnerOrder, runnerOrder } from '../relay/protocol/runner-status.ts';
import { LineSplitter } from './text.ts';

export type LineHandlers = { order(order: RunnerOrder): void; gone(): void; problem(text: string): void };

export type SupervisorLine = {
  /** The first line. Rejects when the line ends without one. */
  secret: Promise<string>;
  /** Orders that came before are given at once. */
  listen(handlers: LineHandlers): void;
  /** Lets go of the line, so that it does not keep the process up. */
  close(): void;
};

/** What Electron gives a utility process (its `process.parentPort`); typed here so that nothing imports electron. */
type ParentPort = { on(event: 'message', listener: (message: { data: unknown }) => void): void };

const MAX_LINE = 64 * 1024;

/** Listens on an inherited descriptor. Throws when it is not open. */
export function lineFromDescriptor(descriptor: number): SupervisorLine {
  const kind = fstatSync(descriptor);
  // A file ends because it was read, not because somebody went away.
  const supervised = !kind.isFile();
  const stream =
    kind.isFIFO() || kind.isSocket()
      ? new Socket({ fd: descriptor, readable: true, writable: false })
      : createReadStream('', { fd: descriptor });
  const line = new Line(() => stream.destroy());
  const splitter = new LineSplitter(MAX_LINE, text => line.receive(text));
  stream.on('data', chunk => splitter.push(Buffer.from(chunk)));
  const ended = () => {
    splitter.end();
    line.end(supervised);
  };
  stream.on('end', ended);
  stream.on('error', ended);
  return line;
}

/** The parent port of an Electron utility process; null anywhere else. */
export function lineFromParentPort(): SupervisorLine | null {
  const { parentPort } = process as unknown as { parentPort?: ParentPort };
  if (parentPort === undefined) return null;
  const line = new Line(() => undefined);
  parentPort.on('message', ({ data }) =>
    line.receive(typeof data === 'string' ? data : JSON.stringify(data)),
  );
  return line;
}

class Line implements SupervisorLine {
  readonly #secret = Promise.withResolvers<string>();
  #haveSecret = false;
  #gone = false;
  #waiting: string[] = [];
  #handlers: LineHandlers | null = null;

  readonly #close: () => void;

  constructor(close: () => void) {
    this.#close = close;
    // Whoever needs the key asks for it; a line that ends unasked is no fault.
    this.secret.catch(() => undefined);
  }

  close(): void {
    this.#gone = true;
    this.#close();
  }

  get secret(): Promise<string> {
    return this.#secret.promise;
  }

  listen(handlers: LineHandlers): void {
    this.#handlers = handlers;
    for (const text of this.#waiting.splice(0)) this.#order(text);
    if (this.#gone) handlers.gone();
  }

  receive(text: string): void {
    if (!this.#haveSecret) {
      this.#haveSecret = true;
      this.#secret.resolve(text.trim());
    } else if (this.#handlers === null) this.#waiting.push(text);
    else this.#order(text);
  }

  end(supervised: boolean): void {
    this.#secret.reject(new Error('it ended before the key came'));
    if (!supervised || this.#gone) return;
    this.#gone = true;
    this.#handlers?.gone();
  }

  #order(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // The text may be anything, a key included: it is not repeated.
      this.#handlers?.problem('an order that is not JSON was passed over');
      return;
    }
    const parsed = runnerOrder.safeParse(value);
    if (parsed.success) this.#handlers?.order(parsed.data);
    else this.#handlers?.problem('an order this version does not know was passed over');
  }
}
