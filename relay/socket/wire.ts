// Writing to one client. Frames are made here rather than by the WebSocket library, so that one event is encoded once
// for all its readers, and what is written in one turn leaves in one system call. A client that does not read is cut
// off before its unread bytes add up (case F-15).

import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { LIMITS } from '../limits.ts';

/** Unread bytes above which stored events wait for the client to catch up. */
const EASY = 512 * 1024;
/** Frames of one turn that together are no larger are written as one. */
const COPIED = 128 * 1024;

export class Wire {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  /** Frames of this turn. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Who waits for the client to read. */
  readonly #readers: (() => void)[] = [];

  constructor(ws: WebSocket, socket: Socket) {
    this.#ws = ws;
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN && !this.#socket.destroyed;
  }

  /** Is there more unread than a client that keeps up would leave? */
  get isBehind(): boolean {
    return this.#unread > EASY;
  }

  send(message: readonly unknown[]): void {
    this.write(textFrame(JSON.stringify(message)));
  }

  /** Writes a whole frame, made with textFrame. */
  write(frame: Buffer): void {
    if (!this.isOpen) return;
    if (this.#pending.length === 0) process.nextTick(() => this.#flush());
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
    if (this.#unread > LIMITS.bufferedBytes) this.#ws.terminate();
  }

  get #unread(): number {
    return this.#socket.writableLength + this.#pendingBytes;
  }

  #flush(): void {
    const frames = this.#pending;
    const bytes = this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (!this.isOpen) return;
    // Small frames are cheaper copied together than handed to the system one by one.
    if (bytes <= COPIED || frames.length === 1) {
      this.#socket.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames, bytes));
      return;
    }
    this.#socket.cork();
    for (const frame of frames) this.#socket.write(frame);
    this.#socket.uncork();
  }

  /** Calls back once the client has read what was sent, or is gone. */
  whenRead(tell: () => void): void {
    this.#readers.push(tell);
    if (this.#readers.length > 1) return;
    const once = () => {
      this.#socket.off('drain', once);
      this.#socket.off('close', once);
      for (const go of this.#readers.splice(0)) go();
    };
    this.#socket.on('drain', once);
    this.#socket.on('close', once);
  }
}

/** A text message as one unmasked, unfragmented frame (RFC 6455). */
export function textFrame(text: string): Buffer {
  const size = Buffer.byteLength(text);
  const head = size < 126 ? 2 : size < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + size);
  frame[0] = 0x81;
  if (head === 2) frame[1] = size;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(size, 2);
  } else {
    frame[1] = 127;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(size, 6);
  }
  frame.write(text, head);
  return frame;
}
