// Seeded streams of events and filters that meet each other often: few authors, few kinds, few values, few seconds.

import { hash } from 'node:crypto';
import { type Signer, signerFrom } from '../../../relay/client/signer.ts';
import type { Filter, NostrEvent } from '../../../relay/protocol/event.ts';
import type { Random } from './random.ts';

const KINDS = [0, 1, 3, 5, 7, 1111, 10_002, 20_001, 30_023, 30_024, 43_999];
const VALUES = ['a', 'b', 'c', 'α', '', 'long '.repeat(60), 'it\'s %_* "quoted"'];

export class Maker {
  readonly authors: Signer[];
  readonly made: NostrEvent[] = [];
  readonly #random: Random;
  readonly #start: number;

  /** Events are made around `start`, Unix seconds. */
  constructor(random: Random, start: number, authors = 4) {
    this.#random = random;
    this.#start = start;
    this.authors = Array.from({ length: authors }, (_, index) => {
      return signerFrom(Buffer.from(hash('sha256', `${random.seed}:${index}`, 'hex'), 'hex'));
    });
  }

  event(): NostrEvent {
    const { pick, below, chance } = this.#random;
    const author = pick(this.authors);
    const kind = pick(KINDS);
    const created_at = this.#start - below(12);
    const tags = kind === 5 ? this.#deletionTags(author) : this.#tags();
    if (chance(0.05)) tags.push(['expiration', String(this.#start + (chance(0.5) ? 3600 : 40))]);
    const event = author.sign({ kind, created_at, tags, content: `${below(1e6)} "quoted" \n & ✓` });
    this.made.push(event);
    return event;
  }

  filter(): Filter {
    const { pick, below, chance } = this.#random;
    const filter: Filter = {};
    if (chance(0.15))
      filter.ids = this.#some(
        this.made.map(({ id }) => id),
        6,
      );
    if (chance(0.4))
      filter.authors = this.#some(
        this.authors.map(({ pubkey }) => pubkey),
        3,
      );
    if (chance(0.5)) filter.kinds = this.#some(KINDS, 4);
    if (chance(0.4)) filter[`#${pick(['t', 'd', 'x', 'T'])}`] = this.#some(VALUES, 3);
    if (chance(0.15))
      filter['#e'] = this.#some(
        this.made.map(({ id }) => id),
        20,
      );
    if (chance(0.3)) filter.since = this.#start - below(14);
    if (chance(0.3)) filter.until = this.#start - below(14);
    if (chance(0.5)) filter.limit = 1 + below(20);
    return filter;
  }

  #tags(): string[][] {
    const { pick, below } = this.#random;
    return Array.from({ length: below(5) }, () => {
      const name = pick(['t', 'd', 'x', 'T', 'e', 'word', '-no']);
      if (name === 'e') return this.made.length === 0 ? ['e'] : ['e', pick(this.made).id, '', 'root'];
      return [name, pick(VALUES), pick(VALUES)].slice(0, 1 + below(3));
    });
  }

  #deletionTags(author: Signer): string[][] {
    const { pick, below } = this.#random;
    return Array.from({ length: 1 + below(2) }, () => {
      const target = this.made.length === 0 ? undefined : pick(this.made);
      if (target === undefined) return ['e', '0'.repeat(64)];
      if (this.#random.chance(0.6)) return ['e', target.id];
      const d = target.tags.find(tag => tag[0] === 'd')?.[1] ?? '';
      return ['a', `${target.kind}:${author.pubkey}:${target.kind >= 30_000 ? d : ''}`];
    });
  }

  #some<T>(values: readonly T[], most: number): T[] {
    const count = 1 + this.#random.below(most);
    return values.length === 0
      ? (['0'.repeat(64)] as T[])
      : [...new Set(Array.from({ length: count }, () => this.#random.pick(values)))];
  }
}
