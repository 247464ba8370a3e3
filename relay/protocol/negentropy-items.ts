// The sorted set of ids that negentropy reconciles (NIP-77): packed in two arrays, with running sums a block apart so
// that the fingerprint of any range costs two short scans whatever the size of the set.

import { sha256 } from '@noble/hashes/sha2.js';
import { hexInto } from './hex.ts';

const ID_BYTES = 32;
const FINGERPRINT_BYTES = 16;
/** Items between two kept sums: 64 makes the sums a sixty-fourth of the ids. */
const BLOCK = 64;
const LIMBS = 8;
const LIMB = 2 ** 32;

/** A place in the order: items at or after it have a later time, or the same time and an id not below the prefix. */
export type Bound = {
  /** Unix seconds, or Infinity for the end of everything. */
  timestamp: number;
  /** First bytes of an id, 0 to 32; the rest counts as zero. */
  prefix: Uint8Array;
};

export const END: Bound = { timestamp: Number.POSITIVE_INFINITY, prefix: new Uint8Array(0) };

/** Collects ids in any order; cheapest when they come in order, either way round. */
export class NegentropyBuilder {
  #times = new Float64Array(1024);
  #ids = new Uint8Array(1024 * ID_BYTES);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an item: `timestamp` in Unix seconds, `id` as 64 hex characters. Anything else throws. */
  add(timestamp: number, id: string): void {
    if (!Number.isSafeInteger(timestamp) || timestamp < 0) throw new RangeError(`bad timestamp ${timestamp}`);
    if (this.#size === this.#times.length) this.#grow();
    if (id.length !== ID_BYTES * 2 || !hexInto(id, this.#ids, this.#size * ID_BYTES)) {
      throw new RangeError(`bad id ${id}`);
    }
    this.#times[this.#size] = timestamp;
    this.#size += 1;
  }

  /** The set of everything added so far, each item once. */
  build(): NegentropyItems {
    const order = this.#order();
    const times = new Float64Array(order.length);
    const ids = new Uint8Array(order.length * ID_BYTES);
    let size = 0;
    for (const from of order) {
      const id = this.#ids.subarray(from * ID_BYTES, (from + 1) * ID_BYTES);
      const time = this.#times[from]!;
      if (size > 0 && times[size - 1] === time && compareAt(ids, size - 1, id) === 0) continue;
      ids.set(id, size * ID_BYTES);
      times[size] = time;
      size += 1;
    }
    return new NegentropyItems(times.subarray(0, size), ids.subarray(0, size * ID_BYTES));
  }

  /** Indexes in order. A store hands out newest first, so a falling input is turned round before it is sorted. */
  #order(): Uint32Array {
    const order = new Uint32Array(this.#size);
    const falling = this.#size > 1 && this.#times[0]! > this.#times[this.#size - 1]!;
    for (let i = 0; i < order.length; i += 1) order[i] = falling ? this.#size - 1 - i : i;
    if (this.#timesRise(order)) this.#sortRuns(order);
    else order.sort((a, b) => this.#compare(a, b));
    return order;
  }

  #timesRise(order: Uint32Array): boolean {
    for (let i = 1; i < order.length; i += 1) {
      if (this.#times[order[i - 1]!]! > this.#times[order[i]!]!) return false;
    }
    return true;
  }

  /** Sorts each run of equal timestamps by id. */
  #sortRuns(order: Uint32Array): void {
    let start = 0;
    for (let i = 1; i <= order.length; i += 1) {
      if (i < order.length && this.#times[order[i]!] === this.#times[order[start]!]) continue;
      if (i - start > 1) order.subarray(start, i).sort((a, b) => this.#compare(a, b));
      start = i;
    }
  }

  #compare(a: number, b: number): number {
    const byTime = this.#times[a]! - this.#times[b]!;
    if (byTime !== 0) return byTime;
    return compareAt(this.#ids, a, this.#ids.subarray(b * ID_BYTES, (b + 1) * ID_BYTES));
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    const ids = new Uint8Array(this.#ids.length * 2);
    times.set(this.#times);
    ids.set(this.#ids);
    this.#times = times;
    this.#ids = ids;
  }
}

/** A sorted set that no longer changes. Made by NegentropyBuilder. */
export class NegentropyItems {
  readonly size: number;
  readonly #times: Float64Array;
  readonly #ids: Uint8Array;
  readonly #view: DataView;
  /** `LIMBS` numbers a block: the sum of all ids before it, modulo 2^256, little end first. */
  readonly #sums: Uint32Array;

  constructor(times: Float64Array, ids: Uint8Array) {
    this.size = times.length;
    this.#times = times;
    this.#ids = ids;
    this.#view = new DataView(ids.buffer, ids.byteOffset, ids.byteLength);
    this.#sums = this.#blockSums();
  }

  timestampAt(index: number): number {
    return this.#times[index]!;
  }

  /** The 32 bytes of an id; a view, not a copy. */
  idAt(index: number): Uint8Array {
    return this.#ids.subarray(index * ID_BYTES, (index + 1) * ID_BYTES);
  }

  /** The ids of a range, one after the other; a view, not a copy. */
  idsIn(from: number, to: number): Uint8Array {
    return this.#ids.subarray(from * ID_BYTES, to * ID_BYTES);
  }

  /** Index of the first item at or after the bound, looking from `from` on. */
  lowerBound(bound: Bound, from: number): number {
    let low = from;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(middle, bound)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The shortest bound between an item and the one before it. */
  boundBefore(index: number): Bound {
    const timestamp = this.timestampAt(index);
    if (timestamp !== this.timestampAt(index - 1)) return { timestamp, prefix: END.prefix };
    const id = this.idAt(index);
    const previous = this.idAt(index - 1);
    let shared = 0;
    while (shared < ID_BYTES - 1 && id[shared] === previous[shared]) shared += 1;
    return { timestamp, prefix: id.subarray(0, shared + 1) };
  }

  /** 16 bytes that stand for the ids in [from, to). */
  fingerprint(from: number, to: number): Uint8Array {
    const limbs = new Float64Array(LIMBS);
    const firstBlock = Math.ceil(from / BLOCK);
    const lastBlock = Math.floor(to / BLOCK);
    if (firstBlock >= lastBlock) {
      this.#addIds(limbs, from, to);
    } else {
      this.#addIds(limbs, from, firstBlock * BLOCK);
      for (let limb = 0; limb < LIMBS; limb += 1) {
        limbs[limb]! += this.#sums[lastBlock * LIMBS + limb]! - this.#sums[firstBlock * LIMBS + limb]!;
      }
      this.#addIds(limbs, lastBlock * BLOCK, to);
    }
    return digest(limbs, to - from);
  }

  #isBefore(index: number, bound: Bound): boolean {
    const timestamp = this.timestampAt(index);
    if (timestamp !== bound.timestamp) return timestamp < bound.timestamp;
    return compareAt(this.#ids, index, bound.prefix) < 0;
  }

  #blockSums(): Uint32Array {
    const blocks = Math.floor(this.size / BLOCK);
    const sums = new Uint32Array((blocks + 1) * LIMBS);
    const limbs = new Float64Array(LIMBS);
    for (let block = 0; block < blocks; block += 1) {
      this.#addIds(limbs, block * BLOCK, (block + 1) * BLOCK);
      carry(limbs);
      sums.set(limbs, (block + 1) * LIMBS);
    }
    return sums;
  }

  /** Adds limb by limb without carrying: a limb holds 2^21 of them exactly, far more than two blocks. */
  #addIds(limbs: Float64Array, from: number, to: number): void {
    for (let offset = from * ID_BYTES; offset < to * ID_BYTES; offset += ID_BYTES) {
      for (let limb = 0; limb < LIMBS; limb += 1) {
        limbs[limb]! += this.#view.getUint32(offset + limb * 4, true);
      }
    }
  }
}

/** Brings every limb into 0..2^32-1; what overflows the last one is dropped, limbs below zero borrow. */
function carry(limbs: Float64Array): void {
  let over = 0;
  for (let limb = 0; limb < LIMBS; limb += 1) {
    const value = limbs[limb]! + over;
    over = Math.floor(value / LIMB);
    limbs[limb] = value - over * LIMB;
  }
}

function digest(limbs: Float64Array, count: number): Uint8Array {
  carry(limbs);
  const counted = varint(count);
  const input = new Uint8Array(ID_BYTES + counted.length);
  const view = new DataView(input.buffer);
  for (let limb = 0; limb < LIMBS; limb += 1) view.setUint32(limb * 4, limbs[limb]!, true);
  input.set(counted, ID_BYTES);
  return sha256(input).subarray(0, FINGERPRINT_BYTES);
}

/** Base 128, most significant group first, high bit on all but the last byte. `value` is a safe integer, not negative. */
export function varint(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift((rest % 128) | 128);
  }
  return bytes;
}

/** Compares the id at an index with up to 32 bytes; what is missing counts as zero. */
function compareAt(ids: Uint8Array, index: number, other: Uint8Array): number {
  const start = index * ID_BYTES;
  for (let i = 0; i < other.length; i += 1) {
    const difference = ids[start + i]! - other[i]!;
    if (difference !== 0) return difference;
  }
  // Equal so far: the id is at or after the bound unless both end here.
  return other.length === ID_BYTES ? 0 : 1;
}
