// Negentropy messages on the wire, protocol version 1 (NIP-77): bytes to ranges and back. Reading is strict: what is
// read writes back to the same bytes, and nothing is allocated for a count before the bytes are seen to be there.

import { type Bound, END, varint } from './negentropy-items.ts';

/** The first byte of a message of version 1. */
export const VERSION = 0x61;
const ID_BYTES = 32;
const FINGERPRINT_BYTES = 16;
const SKIP = 0;
const FINGERPRINT = 1;
const ID_LIST = 2;

/** A stretch of the order, from the end of the range before it to `upper`, and what the sender says of it. */
export type Range = { upper: Bound } & (
  | { mode: 'skip' }
  | { mode: 'fingerprint'; fingerprint: Uint8Array }
  /** `ids`: 32 bytes each, one after the other. */
  | { mode: 'ids'; ids: Uint8Array }
);

export type NegentropyFault = {
  code: 'hex' | 'version' | 'truncated' | 'number' | 'bound' | 'order' | 'mode';
  /** For a person, without prefix. */
  text: string;
};

export type Message =
  | { ok: true; ranges: Range[] }
  | {
      ok: false;
      fault: NegentropyFault /** The version asked for, when it is one we do not speak. */;
      version?: number;
    };

/** Reads a message whole. Never throws. */
export function readMessage(bytes: Uint8Array): Message {
  try {
    const reader = new Reader(bytes);
    const version = reader.byte();
    if (version < 0x60 || version > 0x6f)
      fail('version', `first byte 0x${version.toString(16)} is no version`);
    if (version !== VERSION) {
      return {
        ok: false,
        fault: { code: 'version', text: `version ${version - 0x60} is not spoken` },
        version,
      };
    }
    const ranges: Range[] = [];
    while (!reader.atEnd) ranges.push(reader.range());
    return { ok: true, ranges };
  } catch (error) {
    if (error instanceof WireError) return { ok: false, fault: error.fault };
    throw error;
  }
}

/** Leaves readMessage as a fault; nobody else sees it. */
class WireError extends Error {
  readonly fault: NegentropyFault;
  constructor(fault: NegentropyFault) {
    super(fault.text);
    this.fault = fault;
  }
}

function fail(code: NegentropyFault['code'], text: string): never {
  throw new WireError({ code, text });
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #previous = 0;
  #last: Bound = { timestamp: 0, prefix: new Uint8Array(0) };

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) fail('truncated', 'message ends early');
    this.#at += 1;
    return value;
  }

  range(): Range {
    const upper = this.#bound();
    const mode = this.#number();
    if (mode === SKIP) return { upper, mode: 'skip' };
    if (mode === FINGERPRINT)
      return { upper, mode: 'fingerprint', fingerprint: this.#take(FINGERPRINT_BYTES) };
    if (mode === ID_LIST) return { upper, mode: 'ids', ids: this.#take(this.#number() * ID_BYTES) };
    return fail('mode', `mode ${mode} is unknown`);
  }

  #take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) fail('truncated', 'message ends early');
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  /** A varint in its one shortest spelling, up to 2^53 - 1. */
  #number(): number {
    let value = 0;
    for (let length = 1; ; length += 1) {
      const byte = this.byte();
      if (length === 1 && byte === 128) fail('number', 'number with a leading zero');
      value = value * 128 + (byte & 127);
      if (value > Number.MAX_SAFE_INTEGER) fail('number', 'number too large');
      if (byte < 128) return value;
    }
  }

  #bound(): Bound {
    const encoded = this.#number();
    const timestamp = encoded === 0 ? Number.POSITIVE_INFINITY : this.#previous + encoded - 1;
    const length = this.#number();
    if (length > ID_BYTES) fail('bound', `prefix of ${length} bytes`);
    const bound = { timestamp, prefix: this.#take(length) };
    if (encoded === 0 && length !== 0) fail('bound', 'prefix after the end of time');
    if (encoded !== 0 && !Number.isSafeInteger(timestamp)) fail('bound', 'timestamp too large');
    if (isBefore(bound, this.#last)) fail('order', 'ranges are not in order');
    this.#previous = timestamp;
    this.#last = bound;
    return bound;
  }
}

function isBefore(a: Bound, b: Bound): boolean {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp;
  const length = Math.max(a.prefix.length, b.prefix.length);
  for (let i = 0; i < length; i += 1) {
    const difference = (a.prefix[i] ?? 0) - (b.prefix[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Where a writer stood, to go back to. */
export type Mark = { length: number; previous: number };

/** Writes one message, range by range in ascending order. */
export class MessageWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;
  #previous = 0;

  constructor() {
    this.#put([VERSION]);
  }

  get length(): number {
    return this.#length;
  }

  /** A copy of what was written. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  mark(): Mark {
    return { length: this.#length, previous: this.#previous };
  }

  rewind(mark: Mark): void {
    this.#length = mark.length;
    this.#previous = mark.previous;
  }

  range(range: Range): void {
    this.#bound(range.upper);
    if (range.mode === 'skip') {
      this.#put([SKIP]);
    } else if (range.mode === 'fingerprint') {
      this.#put([FINGERPRINT]);
      this.#put(range.fingerprint);
    } else {
      this.#put([ID_LIST]);
      this.#put(varint(range.ids.length / ID_BYTES));
      this.#put(range.ids);
    }
  }

  #bound({ timestamp, prefix }: Bound): void {
    const isEnd = timestamp === END.timestamp;
    this.#put(varint(isEnd ? 0 : timestamp - this.#previous + 1));
    this.#previous = timestamp;
    this.#put(varint(prefix.length));
    this.#put(prefix);
  }

  #put(bytes: ArrayLike<number>): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = needed;
  }
}
