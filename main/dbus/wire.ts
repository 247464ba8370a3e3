// D-Bus messages as bytes, little end first (D-Bus specification, "Message Protocol"): method calls out, replies in,
// for the few types the Secret Service's look-ups use.

import type { Socket } from 'node:net';

export type Call = {
  serial: number;
  destination: string;
  path: string;
  interface: string;
  member: string;
  /** '' or any of s, a{ss} in a row. */
  signature: string;
  body: unknown[];
};

/** A reply to the call of that serial; `error` is the error's name when it is one. */
export type Reply = { serial: number; error?: string; body: unknown[] };

const longest = 1024 * 1024;

/** A method call that may start the service it is for. */
export function encodeCall(call: Call): Buffer {
  const body = new Writer();
  let at = 0;
  for (const type of call.signature.match(/a\{ss\}|s/g) ?? []) {
    if (type === 's') body.string(call.body[at++] as string);
    else body.dictionary(call.body[at++] as Record<string, string>);
  }
  const fields: [code: number, type: string, value: string][] = [
    [1, 'o', call.path],
    [2, 's', call.interface],
    [3, 's', call.member],
    [6, 's', call.destination],
  ];
  if (call.signature) fields.push([8, 'g', call.signature]);
  const head = new Writer();
  head.bytes(0x6c, 1, 0, 1);
  head.uint(body.length);
  head.uint(call.serial);
  head.array(8, () => {
    for (const [code, type, value] of fields) {
      head.align(8);
      head.bytes(code);
      head.signature(type);
      if (type === 'g') head.signature(value);
      else head.string(value);
    }
  });
  head.align(8);
  return Buffer.concat([head.take(), body.take()]);
}

/** Hands on each reply that arrives; signals and the like are passed over. A message too long ends the connection. */
export function readReplies(socket: Socket, heard: (reply: Reply) => void): void {
  let held = Buffer.alloc(0);
  socket.on('data', chunk => {
    held = Buffer.concat([held, chunk as Buffer]);
    while (held.length >= 16) {
      const bodyLength = held.readUInt32LE(4);
      const fieldsLength = held.readUInt32LE(12);
      const headLength = Math.ceil((16 + fieldsLength) / 8) * 8;
      if (held[0] !== 0x6c || headLength + bodyLength > longest) {
        socket.destroy(new Error('it sent what is no D-Bus message'));
        return;
      }
      if (held.length < headLength + bodyLength) return;
      const reply = decode(held.subarray(0, headLength + bodyLength), headLength);
      held = held.subarray(headLength + bodyLength);
      if (reply) heard(reply);
    }
  });
}

function decode(message: Buffer, headLength: number): Reply | null {
  const type = message[1];
  if (type !== 2 && type !== 3) return null;
  const head = new Reader(message, 12);
  const fields = new Map<number, unknown>();
  head.array(8, () => {
    head.align(8);
    const code = head.byte();
    fields.set(code, head.value(head.signature()));
  });
  const signature = fields.get(8);
  const body: unknown[] = [];
  // Bodies are aligned from their own start, which is a multiple of eight anyway.
  const reader = new Reader(message.subarray(headLength), 0);
  for (const part of String(signature ?? '').match(/a[os]|[sogbuv]/g) ?? []) body.push(reader.value(part));
  const error = fields.get(4);
  return { serial: Number(fields.get(5)), body, ...(type === 3 ? { error: String(error) } : {}) };
}

class Writer {
  #parts: number[] = [];
  get length(): number {
    return this.#parts.length;
  }
  take(): Buffer {
    return Buffer.from(this.#parts);
  }
  bytes(...values: number[]): void {
    this.#parts.push(...values);
  }
  align(to: number): void {
    while (this.#parts.length % to !== 0) this.#parts.push(0);
  }
  uint(value: number): void {
    this.align(4);
    for (let shift = 0; shift < 32; shift += 8) this.#parts.push((value >>> shift) & 0xff);
  }
  string(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    this.uint(bytes.length);
    this.#parts.push(...bytes, 0);
  }
  signature(text: string): void {
    this.#parts.push(text.length, ...Buffer.from(text, 'latin1'), 0);
  }
  /** Counts from after the padding to the first element, as D-Bus wants it. */
  array(alignment: number, elements: () => void): void {
    this.uint(0);
    const lengthAt = this.#parts.length - 4;
    this.align(alignment);
    const from = this.#parts.length;
    elements();
    const length = this.#parts.length - from;
    for (let n = 0; n < 4; n++) this.#parts[lengthAt + n] = (length >>> (8 * n)) & 0xff;
  }
  dictionary(entries: Record<string, string>): void {
    this.array(8, () => {
      for (const [key, value] of Object.entries(entries)) {
        this.align(8);
        this.string(key);
        this.string(value);
      }
    });
  }
}

class Reader {
  readonly #bytes: Buffer;
  #at: number;
  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }
  align(to: number): void {
    this.#at = Math.ceil(this.#at / to) * to;
  }
  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }
  uint(): number {
    this.align(4);
    const value = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return value;
  }
  #text(length: number): string {
    const text = this.#bytes.toString('utf8', this.#at, this.#at + length);
    this.#at += length + 1;
    return text;
  }
  signature(): string {
    return this.#text(this.byte());
  }
  array(alignment: number, element: () => void): void {
    const length = this.uint();
    this.align(alignment);
    const end = this.#at + length;
    while (this.#at < end) element();
  }
  value(type: string): unknown {
    switch (type) {
      case 's':
      case 'o':
        return this.#text(this.uint());
      case 'g':
        return this.signature();
      case 'u':
        return this.uint();
      case 'b':
        return this.uint() === 1;
      case 'v':
        return this.value(this.signature());
      case 'ao':
      case 'as': {
        const items: unknown[] = [];
        this.array(4, () => items.push(this.#text(this.uint())));
        return items;
      }
      default:
        throw new Error(`it sent a value of type ${type}`);
    }
  }
}
