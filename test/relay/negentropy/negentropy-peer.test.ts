import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { answerNegentropy, FRAME_BYTES, MIN_FRAME_BYTES } from '../../../relay/protocol/negentropy.ts';
import { type Item, idsMissingFrom, random, randomItems, runSeed, setOf } from './seeded.ts';

type PeerStorage = { insert(timestamp: number, id: string): void; seal(): void };
type Peer = {
  initiate(): string;
  reconcile(message: string, have: (id: string) => void, need: (id: string) => void): string | null;
};
type PeerModule = {
  NegentropyStorageVector: new () => PeerStorage;
  Negentropy: new (storage: PeerStorage, frameBytes: number) => Peer;
};

// nostr-tools ships its asking side but does not export it; a path reaches it.
const path = resolve(import.meta.dirname, '../../../node_modules/nostr-tools/lib/esm/nip77.js');
const { Negentropy, NegentropyStorageVector } = (await import(pathToFileURL(path).href)) as PeerModule;

function askAs(
  peerItems: readonly Item[],
  ourItems: readonly Item[],
  limits: { peer: number; ours: number },
) {
  const storage = new NegentropyStorageVector();
  for (const { timestamp, id } of peerItems) storage.insert(timestamp, id);
  storage.seal();
  const peer = new Negentropy(storage, limits.peer);
  const ours = setOf(ourItems);
  const have = new Set<string>();
  const need = new Set<string>();
  let message: string | null = peer.initiate();
  for (let rounds = 0; message !== null; rounds += 1) {
    if (rounds > 2000) throw new Error('no end in sight');
    const answer = answerNegentropy(ours, message, limits.ours);
    if (!answer.ok) throw new Error(answer.fault.text);
    message = peer.reconcile(
      answer.reply,
      id => have.add(id),
      id => need.add(id),
    );
  }
  return { have: [...have].sort(), need: [...need].sort() };
}

test('F-23 the asking side of nostr-tools reconciles with ours, many equal timestamps and small frames', () => {
  const seed = runSeed();
  const next = random(seed);
  for (let trial = 0; trial < 40; trial += 1) {
    const times = [1, 4, 60, 50_000][next(4)]!;
    const common = randomItems(next, next(1500), times);
    const theirs = [...common, ...randomItems(next, next(trial % 3 === 0 ? 1200 : 40), times)];
    const ours = [...common, ...randomItems(next, next(trial % 4 === 0 ? 1200 : 40), times)];
    const limits = {
      peer: [MIN_FRAME_BYTES, 8192, 500_000][next(3)]!,
      ours: [MIN_FRAME_BYTES, 8192, FRAME_BYTES][next(3)]!,
    };
    const found = askAs(theirs, ours, limits);
    const told = `seed ${seed} trial ${trial} limits ${JSON.stringify(limits)}`;
    expect(found.have, told).toEqual(idsMissingFrom(ours, theirs));
    expect(found.need, told).toEqual(idsMissingFrom(theirs, ours));
  }
});
