// Negentropy, protocol version 1 (NIP-77): two sides find out which ids only one of them holds. Both sides are pure
// functions of their set and the message that came; whoever keeps a session open keeps only the set.

import { bytesFromHex, hexFromBytes } from './hex.ts';
import { type Bound, END, type NegentropyItems } from './negentropy-items.ts';
import { MessageWriter, type NegentropyFault, type Range, readMessage, VERSION } from './negentropy-wire.ts';

/** Bytes of the largest message we write: in hex a quarter of the relay's frame limit, and few enough not to stall. */
export const FRAME_BYTES = 64 * 1024;
/** No smaller limit is possible: one split range must always fit (NIP-77). */
export const MIN_FRAME_BYTES = 4096;
/** Kept free at the end of a message for the range that says the rest is still open. */
const RESERVE = 200;
const BUCKETS = 16;
const ID_BYTES = 32;
/** Room of two bounds and a count, in ids. */
const ROOM_FOR_BOUNDS = 4;

/** `message` and replies are lower-case hex, as in NEG-OPEN and NEG-MSG. */
export type Answer = { ok: true; reply: string } | { ok: false; fault: NegentropyFault };

export type Progress =
  | {
      ok: true;
      /** What to send next, or null when both sides have said everything. */
      reply: string | null;
      /**
       * Ids that only we hold, and ids that only the other side holds, as far as this message tells. An id may be
       * told again later when frames are full, so collect them in sets.
       */
      have: string[];
      need: string[];
    }
  | { ok: false; fault: NegentropyFault };

/** The relay's side: answers a message about its set. Never throws on what the client sent. */
export function answerNegentropy(items: NegentropyItems, message: unknown, frameBytes = FRAME_BYTES): Answer {
  const bytes = bytesFromHex(message);
  if (bytes === null) return { ok: false, fault: NOT_HEX };
  const read = readMessage(bytes);
  if (read.ok) return { ok: true, reply: new Exchange(items, frameBytes, null).run(read.ranges) };
  // Another version: the one we speak is the answer, so that the client can come down to it.
  if (read.version !== undefined) return { ok: true, reply: hexFromBytes(Uint8Array.of(VERSION)) };
  return { ok: false, fault: read.fault };
}

/** The asking side: its first message. */
export function openNegentropy(items: NegentropyItems, frameBytes = FRAME_BYTES): string {
  return new Exchange(items, frameBytes, { have: [], need: [] }).open();
}

/** The asking side: what an answer tells, and what to ask next. Never throws on what the other side sent. */
export function continueNegentropy(
  items: NegentropyItems,
  message: unknown,
  frameBytes = FRAME_BYTES,
): Progress {
  const bytes = bytesFromHex(message);
  if (bytes === null) return { ok: false, fault: NOT_HEX };
  const read = readMessage(bytes);
  if (!read.ok) return { ok: false, fault: read.fault };
  const found: Found = { have: [], need: [] };
  const reply = new Exchange(items, frameBytes, found).run(read.ranges);
  return { ok: true, reply: reply.length === 2 ? null : reply, ...found };
}

const NOT_HEX: NegentropyFault = { code: 'hex', text: 'message is not lower-case hex' };

type Found = { have: string[]; need: string[] };

/** One message of ours in the making, in answer to the ranges of one of theirs. */
class Exchange {
  readonly #items: NegentropyItems;
  readonly #budget: number;
  /** Where the asking side collects; null on the answering side. */
  readonly #found: Found | null;
  readonly #out = new MessageWriter();
  /** Upper end of what is settled but not yet written as skipped. */
  #skipped: Bound | null = null;

  constructor(items: NegentropyItems, frameBytes: number, found: Found | null) {
    if (frameBytes < MIN_FRAME_BYTES)
      throw new RangeError(`frame limit ${frameBytes} is below ${MIN_FRAME_BYTES}`);
    this.#items = items;
    this.#budget = frameBytes - RESERVE;
    this.#found = found;
  }

  open(): string {
    this.#split(0, this.#items.size, END);
    return hexFromBytes(this.#out.bytes());
  }

  run(ranges: readonly Range[]): string {
    let from = 0;
    for (const range of ranges) {
      const to = this.#items.lowerBound(range.upper, from);
      const rest = this.#take(range, from, to);
      if (rest !== null) {
        this.#leaveOpen(rest);
        break;
      }
      from = to;
    }
    return hexFromBytes(this.#out.bytes());
  }

  /** Deals with one range of theirs; answers null, or the index from which there was no room left. */
  #take(range: Range, from: number, to: number): number | null {
    if (range.mode === 'fingerprint' && !equal(range.fingerprint, this.#items.fingerprint(from, to))) {
      return this.#askCloser(from, to, range.upper);
    }
    if (range.mode === 'ids') {
      if (this.#found === null) return this.#listOwn(from, to, range.upper);
      this.#compare(range.ids, from, to, this.#found);
    }
    this.#skipped = range.upper;
    return null;
  }

  #askCloser(from: number, to: number, upper: Bound): number | null {
    const mark = this.#out.mark();
    const skipped = this.#skipped;
    this.#writeSkip();
    this.#split(from, to, upper);
    if (this.#out.length <= this.#budget) return null;
    this.#out.rewind(mark);
    this.#skipped = skipped;
    return from;
  }

  /** Answers a list of ids with our own of that range, as many as there is room for. */
  #listOwn(from: number, to: number, upper: Bound): number | null {
    const room = Math.floor((this.#budget - this.#out.length) / ID_BYTES) - ROOM_FOR_BOUNDS;
    const count = Math.min(to - from, room);
    if (count < 0 || (count === 0 && to > from)) return from;
    const end = from + count;
    this.#writeSkip();
    const bound = end === to ? upper : this.#items.boundBefore(end);
    this.#out.range({ upper: bound, mode: 'ids', ids: this.#items.idsIn(from, end) });
    return end === to ? null : end;
  }

  #compare(theirs: Uint8Array, from: number, to: number, found: Found): void {
    const unknown = new Set<string>();
    for (let at = 0; at < theirs.length; at += ID_BYTES) {
      unknown.add(hexFromBytes(theirs.subarray(at, at + ID_BYTES)));
    }
    for (let index = from; index < to; index += 1) {
      const id = hexFromBytes(this.#items.idAt(index));
      if (!unknown.delete(id)) found.have.push(id);
    }
    for (const id of unknown) found.need.push(id);
  }

  /** A short range is listed, a longer one cut into equal parts with a fingerprint each. */
  #split(from: number, to: number, upper: Bound): void {
    const size = to - from;
    if (size < BUCKETS * 2) {
      this.#out.range({ upper, mode: 'ids', ids: this.#items.idsIn(from, to) });
      return;
    }
    const part = Math.floor(size / BUCKETS);
    const larger = size % BUCKETS;
    let start = from;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      const end = start + part + (bucket < larger ? 1 : 0);
      const bound = end === to ? upper : this.#items.boundBefore(end);
      this.#out.range({
        upper: bound,
        mode: 'fingerprint',
        fingerprint: this.#items.fingerprint(start, end),
      });
      start = end;
    }
  }

  #writeSkip(): void {
    if (this.#skipped !== null) this.#out.range({ upper: this.#skipped, mode: 'skip' });
    this.#skipped = null;
  }

  /** Says that everything from an index on is still open, in the room kept free for it. */
  #leaveOpen(from: number): void {
    this.#writeSkip();
    const fingerprint = this.#items.fingerprint(from, this.#items.size);
    this.#out.range({ upper: END, mode: 'fingerprint', fingerprint });
  }
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
