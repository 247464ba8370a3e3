import { expect, test } from 'vitest';
import { bytesFromHex, hexFromBytes } from '../../../relay/protocol/hex.ts';
import {
  answerNegentropy,
  continueNegentropy,
  MIN_FRAME_BYTES,
  openNegentropy,
} from '../../../relay/protocol/negentropy.ts';
import { MessageWriter, readMessage } from '../../../relay/protocol/negentropy-wire.ts';
import { random, randomItems, runSeed, setOf } from './seeded.ts';

const items = setOf(randomItems(random(5), 400, 30));

const faults: [name: string, message: unknown, code: string][] = [
  ['nothing', '', 'truncated'],
  ['no text', 42, 'hex'],
  ['odd hex', '610', 'hex'],
  ['upper case', '6A', 'hex'],
  ['bad version byte 0x00', '0000000200', 'version'],
  ['bad version byte 0x70', '7000000200', 'version'],
  ['bad version byte 0xff', 'ff', 'version'],
  ['bound cut short', '6101', 'truncated'],
  ['mode missing', '610000', 'truncated'],
  ['fingerprint cut short', '61000001aabb', 'truncated'],
  ['id list cut short', `61000002${'01'}${'aa'.repeat(31)}`, 'truncated'],
  ['a count of 2^49 ids', '610000028180808080808000', 'truncated'],
  ['a count past 2^53', '61000002ffffffffffffffff7f', 'number'],
  ['a number that never ends', `61${'ff'.repeat(4000)}`, 'number'],
  ['a leading zero group', '618001000000', 'number'],
  ['a prefix of 33 bytes', `610121${'00'.repeat(33)}00`, 'bound'],
  ['a prefix at the end of time', '610001aa00', 'bound'],
  ['a timestamp past 2^53', '618fffffffffffff7f00008fffffffffffff7f0000', 'bound'],
  ['a range after the end', '610000000501000000', 'bound'],
  ['ids going back', `61050201ff0001010000`, 'order'],
  ['an unknown mode', '61000003', 'mode'],
];

test.each(faults)('F-23 B-08 refuses %s', (_name, message, code) => {
  const answer = answerNegentropy(items, message);
  expect(answer).toMatchObject({ ok: false, fault: { code } });
  expect(continueNegentropy(items, message)).toMatchObject({ ok: false, fault: { code } });
});

test('F-23 another version is answered with the one spoken, and refused by the asking side', () => {
  expect(answerNegentropy(items, '6200')).toEqual({ ok: true, reply: '61' });
  expect(answerNegentropy(items, '60')).toEqual({ ok: true, reply: '61' });
  expect(continueNegentropy(items, '62')).toMatchObject({ ok: false, fault: { code: 'version' } });
});

test('an end said twice, as full frames of others do, is accepted', () => {
  const empty = setOf([]);
  const twice = `6100000200000001${hexFromBytes(empty.fingerprint(0, 0))}`;
  expect(continueNegentropy(empty, twice)).toEqual({ ok: true, reply: null, have: [], need: [] });
});

function written(message: Uint8Array): string | null {
  const read = readMessage(message);
  if (!read.ok) return null;
  const writer = new MessageWriter();
  for (const range of read.ranges) writer.range(range);
  return hexFromBytes(writer.bytes());
}

test('F-23 B-08 random and damaged bytes never throw, and what is read writes back the same', () => {
  const seed = runSeed();
  const next = random(seed);
  const honest = bytesFromHex(openNegentropy(items))!;
  const listed = answerNegentropy(items, '6100000200');
  const list = bytesFromHex(listed.ok ? listed.reply : '')!;
  let understood = 0;
  for (let round = 0; round < 3000; round += 1) {
    const bytes = damaged(next, [honest, list][round % 2]!, round % 3 === 0);
    const hex = hexFromBytes(bytes);
    const back = written(bytes);
    if (back !== null) {
      understood += 1;
      expect(back, `seed ${seed} round ${round}`).toBe(hex);
    }
    const answer = answerNegentropy(items, hex, MIN_FRAME_BYTES);
    if (answer.ok) expect(answer.reply.length / 2).toBeLessThanOrEqual(MIN_FRAME_BYTES);
    const step = continueNegentropy(items, hex, MIN_FRAME_BYTES);
    if (step.ok && step.reply !== null) expect(step.reply.length / 2).toBeLessThanOrEqual(MIN_FRAME_BYTES);
  }
  expect(understood).toBeGreaterThan(100);
});

function damaged(next: (below: number) => number, honest: Uint8Array, anew: boolean): Uint8Array {
  if (anew) {
    // Small values make short numbers, bounds and modes likely, so that the reader gets far.
    const bytes = Uint8Array.from({ length: next(60) }, () => (next(4) === 0 ? next(256) : next(4)));
    if (bytes.length > 0) bytes[0] = 0x61;
    return bytes;
  }
  const bytes = honest.slice(0, next(5) === 0 ? next(honest.length + 1) : honest.length);
  for (let flips = next(4); flips > 0 && bytes.length > 0; flips -= 1) bytes[next(bytes.length)] = next(256);
  return bytes;
}

test('F-23 a message of many tiny ranges is answered within the frame limit', () => {
  const writer = new MessageWriter();
  for (let at = 0; at < 20_000; at += 1) {
    const upper = { timestamp: 1_700_000_000 + at, prefix: new Uint8Array(0) };
    writer.range({ upper, mode: 'fingerprint', fingerprint: new Uint8Array(16) });
  }
  const answer = answerNegentropy(items, hexFromBytes(writer.bytes()), MIN_FRAME_BYTES);
  expect(answer.ok && answer.reply.length / 2 <= MIN_FRAME_BYTES).toBe(true);
});
