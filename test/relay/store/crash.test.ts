// F-01: the relay killed at random moments under eight publishers. `CRASH_ROUNDS=200` for the long run.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { generateSecret, type Signer, signerFrom } from '../../../relay/client/signer.ts';
import { checkStructure } from '../../../relay/data/check-structure.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { openDatabase } from '../../../relay/store/database.ts';
import { SqliteStore } from '../../../relay/store/store.ts';
import { type Random, random } from '../oracle/random.ts';
import { seconds } from '../socket/wire-client.ts';

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 12);
const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000_000);
const IN_FLIGHT = 16;

const data = mkdtempSync(join(tmpdir(), 'tiny-crash-'));
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

/** What the relay has promised by an OK. */
type Promised = {
  notes: Set<string>;
  /** Newest acknowledged version of each publisher's list. */
  versions: Map<string, NostrEvent>;
  deleted: Set<string>;
  grants: Map<string, NostrEvent>;
  rooms: Set<string>;
};

test('F-01 B-23 everything acknowledged is there after kill -9, and nothing is half done', async () => {
  const dice = random(SEED);
  const owner = signerFrom(generateSecret());
  const publishers = Array.from({ length: 7 }, () => signerFrom(generateSecret()));
  const promised: Promised = {
    ...{ notes: new Set(), versions: new Map(), deleted: new Set(), grants: new Map(), rooms: new Set() },
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { child, url } = await startChild(owner.pubkey);
    const work = [owner, ...publishers].map(signer => {
      return publish(url, new Author(signer, signer === owner, dice, promised));
    });
    setTimeout(() => child.kill('SIGKILL'), 60 + dice.below(250));
    await once(child, 'exit');
    await Promise.all(work);
    verify(promised, `seed ${SEED}, round ${round}`);
  }
  expect(promised.notes.size).toBeGreaterThan(ROUNDS);
}, 600_000);

async function startChild(owner: string): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(new URL('../../../relay/process.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  child.send({ type: 'start', data, port: 0, owner, reads: 'open', writes: 'open' });
  const [report] = await once(child, 'message');
  if (report.type !== 'ready') throw new Error(`the relay did not start: ${report.reason}`);
  return { child, url: report.url };
}

/** One publisher's stream of events, and what it notes down when one is acknowledged. */
class Author {
  readonly #signer: Signer;
  readonly #isOwner: boolean;
  readonly #dice: Random;
  readonly #promised: Promised;
  readonly #own: NostrEvent[] = [];
  #version = 0;

  constructor(signer: Signer, isOwner: boolean, dice: Random, promised: Promised) {
    this.#signer = signer;
    this.#isOwner = isOwner;
    this.#dice = dice;
    this.#promised = promised;
    this.#version = promised.versions.get(signer.pubkey)?.created_at ?? 1000;
  }

  next(): NostrEvent {
    const { below, chance } = this.#dice;
    const make = (kind: number, tags: string[][], created_at = seconds()) =>
      this.#signer.sign({ kind, created_at, tags, content: `${below(1e9)}` });
    if (this.#isOwner && chance(0.3)) return make(30_392, this.#grantTags());
    if (this.#isOwner && chance(0.1)) return make(9007, [['h', `room-${below(1e9)}`]]);
    if (chance(0.2)) {
      this.#version += 1;
      return make(10_002, [['t', 'list']], this.#version);
    }
    if (chance(0.2) && this.#own.length > 0) return make(5, [['e', this.#own.pop()?.id ?? '']]);
    return make(1, [['t', 'note']]);
  }

  acknowledged(event: NostrEvent): void {
    const { notes, versions, deleted, grants, rooms } = this.#promised;
    if (event.kind === 1) {
      notes.add(event.id);
      this.#own.push(event);
    } else if (event.kind === 10_002) {
      const held = versions.get(event.pubkey);
      if (held === undefined || held.created_at < event.created_at) versions.set(event.pubkey, event);
    } else if (event.kind === 5) {
      const target = event.tags[0]?.[1] ?? '';
      deleted.add(target);
    } else if (event.kind === 30_392) grants.set(event.tags[0]?.[1] ?? '', event);
    else rooms.add(event.tags[0]?.[1] ?? '');
  }

  /** Sent but not answered: it may have happened or not. */
  unanswered(event: NostrEvent): void {
    if (event.kind === 5) this.#promised.notes.delete(event.tags[0]?.[1] ?? '');
  }

  #grantTags(): string[][] {
    const agent = Buffer.from(generateSecret()).toString('hex');
    return [
      ['d', agent],
      ['p', agent],
      ['expiration', String(seconds() + 3600)],
      ['k', '1'],
    ];
  }
}

/** Publishes with many in flight until the connection breaks. */
function publish(url: string, author: Author): Promise<void> {
  return new Promise(resolve => {
    const ws = new WebSocket(url);
    const flying = new Map<string, NostrEvent>();
    const more = () => {
      while (flying.size < IN_FLIGHT && ws.readyState === ws.OPEN) {
        const event = author.next();
        flying.set(event.id, event);
        ws.send(JSON.stringify(['EVENT', event]));
      }
    };
    ws.on('open', more);
    ws.on('message', text => {
      const [verb, id, accepted] = JSON.parse(String(text));
      const event = flying.get(id);
      if (verb !== 'OK' || event === undefined) return;
      flying.delete(id);
      if (accepted) author.acknowledged(event);
      more();
    });
    // The connection is to break: that is the test.
    ws.on('error', () => {});
    ws.on('close', () => {
      for (const event of flying.values()) author.unanswered(event);
      resolve();
    });
  });
}

function verify(promised: Promised, label: string): void {
  const { db, close } = openDatabase(data);
  try {
    const store = new SqliteStore(db, seconds);
    const problems: string[] = [];
    checkStructure(db, problem => problems.push(problem));
    expect(problems, label).toEqual([]);
    for (const id of promised.deleted) {
      promised.notes.delete(id);
      expect(store.events.get(id), `${label}: deleted ${id}`).toBeNull();
    }
    for (const id of promised.notes) expect(store.events.get(id), `${label}: lost ${id}`).not.toBeNull();
    for (const [author, version] of promised.versions) {
      const lists = [...store.events.scan({ kinds: [10_002], authors: [author] })];
      expect(lists, label).toHaveLength(1);
      expect(lists[0]?.created_at, label).toBeGreaterThanOrEqual(version.created_at);
    }
    for (const [agent, grant] of promised.grants) {
      expect(store.grants.get(agent)?.event_id, label).toBe(grant.id);
      expect(store.members.get(agent)?.role, label).toBe('agent');
    }
    for (const room of promised.rooms) {
      expect(store.rooms.memberCount(room), label).toBe(1);
      expect([...store.events.scan({ kinds: [39_000], '#d': [room] })], label).toHaveLength(1);
    }
    // Grants and audit rows are one with their events, acknowledged or not.
    const granted = store.audit.list(1_000_000).filter(row => row.action === 'grantagent').length;
    expect(granted, label).toBe([...store.events.scan({ kinds: [30_392] })].length);
  } finally {
    close();
  }
}
