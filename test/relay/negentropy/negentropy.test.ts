import { expect, test } from 'vitest';
import { bytesFromHex, hexFromBytes } from '../../../relay/protocol/hex.ts';
import {
  answerNegentropy,
  continueNegentropy,
  FRAME_BYTES,
  MIN_FRAME_BYTES,
  openNegentropy,
} from '../../../relay/protocol/negentropy.ts';
import { NegentropyBuilder, type NegentropyItems } from '../../../relay/protocol/negentropy-items.ts';
import { type Item, idsMissingFrom, random, randomId, randomItems, runSeed, setOf } from './seeded.ts';

const EMPTY_FINGERPRINT = '7f9c9e31ac8256ca2f258583df262dbc';
const idOf = (byte: string) => byte.repeat(32);

test('the vectors of the specification: empty sides, short lists, the empty fingerprint', () => {
  const empty = setOf([]);
  expect(openNegentropy(empty)).toBe('6100000200');
  expect(answerNegentropy(empty, '6100000200')).toEqual({ ok: true, reply: '6100000200' });
  expect(hexFromBytes(empty.fingerprint(0, 0))).toBe(EMPTY_FINGERPRINT);
  const three = setOf([
    { timestamp: 3, id: idOf('03') },
    { timestamp: 1, id: idOf('01') },
    { timestamp: 2, id: idOf('02') },
  ]);
  const listed = `6100000203${idOf('01')}${idOf('02')}${idOf('03')}`;
  expect(answerNegentropy(three, '6100000200')).toEqual({ ok: true, reply: listed });
  expect(openNegentropy(three)).toBe(listed);
  expect(answerNegentropy(empty, `6100000110${'00'.repeat(15)}`)).toEqual({ ok: true, reply: '6100000200' });
  expect(answerNegentropy(empty, `61000001${EMPTY_FINGERPRINT}`)).toEqual({ ok: true, reply: '61' });
  expect(continueNegentropy(empty, '61')).toEqual({ ok: true, reply: null, have: [], need: [] });
});

test('the asking side learns what it has and needs from a list', () => {
  const ours = setOf([
    { timestamp: 1, id: idOf('01') },
    { timestamp: 2, id: idOf('02') },
  ]);
  const step = continueNegentropy(ours, `6100000202${idOf('02')}${idOf('03')}`);
  expect(step).toEqual({ ok: true, reply: null, have: [idOf('01')], need: [idOf('03')] });
});

test('a fingerprint is the sum of the ids modulo 2^256, whatever the range', () => {
  const next = random(7);
  const items = setOf(randomItems(next, 700, 20));
  const sumIn = (from: number, to: number) => {
    const builder = new NegentropyBuilder();
    for (let i = from; i < to; i += 1) builder.add(i, hexFromBytes(items.idAt(i)));
    return [...builder.build().fingerprint(0, to - from)];
  };
  for (let round = 0; round < 200; round += 1) {
    const from = next(700);
    const to = from + next(701 - from);
    expect([...items.fingerprint(from, to)], `[${from}, ${to})`).toEqual(sumIn(from, to));
  }
  const full = setOf([
    { timestamp: 1, id: 'f'.repeat(64) },
    { timestamp: 2, id: `02${'00'.repeat(31)}` },
  ]);
  const wrapped = setOf([{ timestamp: 1, id: `01${'00'.repeat(31)}` }]);
  // -1 + 2 = 1: the sums agree, the counts do not, so the fingerprints must differ.
  expect([...full.fingerprint(0, 2)]).not.toEqual([...wrapped.fingerprint(0, 1)]);
});

test('a set takes its items in any order and each once', () => {
  const next = random(11);
  const items = randomItems(next, 300, 5);
  const sorted = [...items].sort((a, b) => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1));
  const newestFirst = [...items].sort((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? -1 : 1));
  for (const order of [items, sorted, newestFirst, [...sorted, ...newestFirst]]) {
    const set = setOf(order);
    const ids = Array.from({ length: set.size }, (_, i) => hexFromBytes(set.idAt(i)));
    expect(ids).toEqual(sorted.map(item => item.id));
  }
});

/** Runs a whole exchange between two of ours; answers what the asking side found. */
function reconcile(
  asking: NegentropyItems,
  answering: NegentropyItems,
  limits: { ask: number; answer: number },
) {
  const have = new Set<string>();
  const need = new Set<string>();
  let rounds = 0;
  let message: string | null = openNegentropy(asking, limits.ask);
  while (message !== null) {
    rounds += 1;
    expect(message.length / 2).toBeLessThanOrEqual(limits.ask);
    const answer = answerNegentropy(answering, message, limits.answer);
    if (!answer.ok) throw new Error(answer.fault.text);
    expect(answer.reply.length / 2).toBeLessThanOrEqual(limits.answer);
    const step = continueNegentropy(asking, answer.reply, limits.ask);
    if (!step.ok) throw new Error(step.fault.text);
    for (const id of step.have) have.add(id);
    for (const id of step.need) need.add(id);
    message = step.reply;
    if (rounds > 2000) throw new Error('no end in sight');
  }
  return { have: [...have].sort(), need: [...need].sort(), rounds };
}

test('two sides reconcile exactly, with many equal timestamps and small frames', () => {
  const seed = runSeed();
  const next = random(seed);
  for (let trial = 0; trial < 60; trial += 1) {
    const times = [1, 3, 50, 100_000][next(4)]!;
    const common = randomItems(next, next(2000), times);
    const ours = [...common, ...randomItems(next, next(trial % 3 === 0 ? 1500 : 40), times)];
    const theirs = [...common, ...randomItems(next, next(trial % 5 === 0 ? 1500 : 40), times)];
    const limits = {
      ask: [MIN_FRAME_BYTES, 8192, FRAME_BYTES][next(3)]!,
      answer: [MIN_FRAME_BYTES, 8192, FRAME_BYTES][next(3)]!,
    };
    const found = reconcile(setOf(ours), setOf(theirs), limits);
    const told = `seed ${seed} trial ${trial} limits ${JSON.stringify(limits)}`;
    expect(found.have, told).toEqual(idsMissingFrom(theirs, ours));
    expect(found.need, told).toEqual(idsMissingFrom(ours, theirs));
  }
});

test('ids that share long prefixes in one second are told apart', () => {
  const near = (tail: number): Item => ({
    timestamp: 5,
    id: `${'ab'.repeat(30)}${tail.toString(16).padStart(4, '0')}`,
  });
  const ours = Array.from({ length: 500 }, (_, i) => near(i * 2));
  const theirs = Array.from({ length: 500 }, (_, i) => near(i * 3));
  const found = reconcile(setOf(ours), setOf(theirs), { ask: MIN_FRAME_BYTES, answer: MIN_FRAME_BYTES });
  expect(found.have).toEqual(idsMissingFrom(theirs, ours));
  expect(found.need).toEqual(idsMissingFrom(ours, theirs));
});

test('a million items with ten differences take few rounds and small messages', () => {
  const builders = [new NegentropyBuilder(), new NegentropyBuilder()];
  const next = random(3);
  const only: string[][] = [[], []];
  for (let i = 0; i < 1_000_000; i += 1) {
    const id = randomId(next);
    const holder = i % 100_000 === 50 ? (i / 50) % 2 : -1;
    builders.forEach((builder, side) => {
      if (holder !== -1 && holder !== side) return;
      builder.add(1_700_000_000 + (i >> 3), id);
    });
    if (holder !== -1) only[holder]!.push(id);
  }
  const [ours, theirs] = builders.map(builder => builder.build());
  const found = reconcile(ours!, theirs!, { ask: FRAME_BYTES, answer: FRAME_BYTES });
  expect(found.have).toEqual(only[0]!.sort());
  expect(found.need).toEqual(only[1]!.sort());
  expect(found.rounds).toBeLessThan(8);
});

test('nothing is written twice: hex is lower case and of even length', () => {
  expect(bytesFromHex('6')).toBeNull();
  expect(bytesFromHex('6A')).toBeNull();
  expect(bytesFromHex('6g')).toBeNull();
  expect(bytesFromHex(17)).toBeNull();
  expect(hexFromBytes(bytesFromHex('00ff7f80')!)).toBe('00ff7f80');
});
