import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { MadeStore } from './made-store.ts';

let made: MadeStore;

beforeEach(() => {
  made = new MadeStore();
});
afterEach(() => made.close());

describe('replaceable and addressable events', () => {
  test('the newer version replaces, the older is superseded', () => {
    const first = made.save({ kind: 10_002, created_at: 5 });
    expect(made.save({ kind: 10_002, created_at: 4 }).status).toBe('superseded');
    const second = made.save({ kind: 10_002, created_at: 6 });
    expect(made.ask({ kinds: [10_002] })).toEqual([second.event]);
    expect(made.store.events.get(first.event.id)).toBeNull();
  });

  test('in one second the lowest id wins, whichever comes first', () => {
    const versions = ['a', 'b', 'c', 'd'].map(content =>
      made.make({ kind: 30_023, tags: [['d', 'x']], content }),
    );
    made.store.transact(() => versions.map(version => made.store.events.save(version)));
    const lowest = versions.map(({ event }) => event.id).sort()[0];
    expect(made.ask({ kinds: [30_023] }).map(({ id }) => id)).toEqual([lowest]);
  });

  test('B-34 of two d tags only the first counts, and none is an empty one', () => {
    made.save({
      kind: 30_023,
      created_at: 1,
      tags: [
        ['d', 'one'],
        ['d', 'two'],
      ],
    });
    made.save({ kind: 30_023, created_at: 2, tags: [['d', 'two']] });
    const last = made.save({
      kind: 30_023,
      created_at: 3,
      tags: [
        ['d', 'one'],
        ['d', 'three'],
      ],
    });
    expect(made.ask({ kinds: [30_023] })).toHaveLength(2);
    made.save({ kind: 30_023, created_at: 1 });
    expect(made.save({ kind: 30_023, created_at: 2, tags: [['d', '']] }).status).toBe('stored');
    expect(made.ask({ kinds: [30_023] })).toHaveLength(3);
    expect(made.store.events.current(`30023:${made.author.pubkey}:one`)).toEqual(last.event);
  });

  test('no row of a replaced version is left behind', () => {
    for (let version = 0; version < 5; version += 1) {
      made.save({
        kind: 30_023,
        created_at: version,
        tags: [
          ['d', 'x'],
          ['t', String(version)],
        ],
      });
    }
    const rows = (table: string) => made.database.db.prepare(`SELECT count(*) AS n FROM ${table}`).get();
    expect(rows('events')).toEqual({ n: 1 });
    expect(rows('tags')).toEqual({ n: 2 });
    expect(rows('current')).toEqual({ n: 1 });
  });
});

describe('what is read back', () => {
  test('B-24 every value comes back as it was signed', () => {
    const tags = [
      ['d', 'a:b'],
      ['t', ''],
      ['t'],
      ['x', 'second', 'third', ''],
      ['long', 'v'.repeat(5000)],
      ['é', '\u2028'],
    ];
    const { event } = made.save({ kind: 30_023, tags, content: '\u0000 \n "&<>" 🙂' });
    made.reopen();
    expect(made.ask({ '#d': ['a:b'] })).toEqual([event]);
  });

  test('newest first, in one second by id, and a cursor goes on after its event', () => {
    for (let index = 0; index < 30; index += 1)
      made.save({ kind: 1, created_at: index >> 3, content: `${index}` });
    const all = made.ask({ kinds: [1] });
    const sorted = [...all].sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1));
    expect(all).toEqual(sorted);
    const cursor = all[11]!;
    expect([...made.store.events.scan({ kinds: [1] }, cursor)]).toEqual(all.slice(12));
  });

  test('a long tag value is found as well', () => {
    const value = 'v'.repeat(3000);
    const { event } = made.save({ kind: 1, tags: [['x', value]] });
    made.save({ kind: 1, tags: [['x', `${value}w`]] });
    expect(made.ask({ '#x': [value] })).toEqual([event]);
  });

  test('NIP-40 expired events are not served, on disk or not, and are let go later', () => {
    made.save({ kind: 1, tags: [['expiration', String(made.now + 10)]] });
    expect(made.ask({ kinds: [1] })).toHaveLength(1);
    made.now += 10;
    expect(made.ask({ kinds: [1] })).toHaveLength(0);
    expect(made.store.events.hasExpired()).toBe(true);
    expect(made.store.transact(() => made.store.events.removeExpired(10))).toBe(1);
    expect(made.store.events.hasExpired()).toBe(false);
  });
});

describe('removing', () => {
  test('B-21 a condition that is empty never means all', () => {
    made.save({ kind: 1 });
    expect(() => made.store.transact(() => made.store.events.removeAll({}))).toThrow(RangeError);
    expect(() => made.store.transact(() => made.store.events.removeAll({ limit: 1 }))).toThrow(RangeError);
    expect(made.store.transact(() => made.store.events.removeAll({ ids: ['0'.repeat(64)] }))).toBe(0);
    expect(made.ask({ kinds: [1] })).toHaveLength(1);
  });

  test('removes all that match, however many', () => {
    const other = signerFrom(generateSecret());
    for (let index = 0; index < 700; index += 1) made.save({ kind: 1, content: `${index}` });
    made.save({ kind: 1 }, other);
    expect(made.store.transact(() => made.store.events.removeAll({ authors: [made.author.pubkey] }))).toBe(
      700,
    );
    expect(made.ask({ kinds: [1] })).toHaveLength(1);
  });

  test('a banned id is gone and stays out', () => {
    const event = made.make({ kind: 1 });
    made.store.transact(() => made.store.events.save(event));
    made.store.transact(() => made.store.events.banId(event.event.id, 'spam'));
    expect(made.ask({ kinds: [1] })).toEqual([]);
    expect(made.store.transact(() => made.store.events.save(event)).status).toBe('deleted');
    made.store.transact(() => made.store.events.allowId(event.event.id));
    expect(made.store.transact(() => made.store.events.save(event)).status).toBe('stored');
  });
});

describe('transactions', () => {
  test('a change that throws leaves nothing, in memory or on disk', () => {
    const pubkey = made.author.pubkey;
    const failing = () =>
      made.store.transact(() => {
        made.store.events.save(made.make({ kind: 1 }));
        made.store.members.put({
          pubkey,
          role: 'member',
          name: '',
          note: '',
          invited_by: '',
          via: 'management',
          created_at: 1,
        });
        made.store.audit.add({ actor: pubkey, action: 'setmember' });
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(made.ask({ kinds: [1] })).toEqual([]);
    expect(made.store.members.get(pubkey)).toBeNull();
    expect(made.store.audit.list(10)).toEqual([]);
    expect(made.store.events.get('0'.repeat(64))).toBeNull();
  });

  test('what is to be told is told after the commit, and only then', () => {
    const told: string[] = [];
    made.store.transact(() => {
      made.store.afterCommit(() => told.push(made.database.db.inTransaction ? 'inside' : 'after'));
    });
    expect(() =>
      made.store.transact(() => {
        made.store.afterCommit(() => told.push('never'));
        throw new Error('no');
      }),
    ).toThrow();
    expect(told).toEqual(['after']);
  });
});
