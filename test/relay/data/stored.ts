// Data folders with a real database and signed events for the tests of data care.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { generateSecret, type Signer, signerFrom } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { openDatabase } from '../../../relay/store/database.ts';
import { SqliteStore } from '../../../relay/store/store.ts';
import { verifiedNow } from '../../../relay/verify/verified-event.ts';

export const NOW = 1_750_000_000;

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type StoredRelay = { store: SqliteStore; close(): void };

export function openStored(data: string): StoredRelay {
  const opened = openDatabase(data);
  const store = new SqliteStore(opened.db, () => NOW);
  return { store, close: opened.close };
}

export function signer(): Signer {
  return signerFrom(generateSecret());
}

export type Draft = { kind?: number; at?: number; tags?: string[][]; content?: string };

export function signed(
  author: Signer,
  { kind = 1, at = NOW, tags = [], content = '' }: Draft = {},
): NostrEvent {
  return author.sign({ kind, created_at: at, tags, content });
}

export function save(store: SqliteStore, events: readonly NostrEvent[]): void {
  store.transact(() => {
    for (const event of events) {
      const verified = verifiedNow(event);
      if (verified === null) throw new Error('a test event is not signed');
      store.events.save(verified);
    }
  });
}

/** A data folder with notes, a profile and an article, closed again; answers the events in it. */
export function filledFolder(data: string, notes = 20): NostrEvent[] {
  const author = signer();
  const events = [
    signed(author, { kind: 0, content: '{"name":"a"}' }),
    signed(author, {
      kind: 30023,
      tags: [
        ['d', 'x'],
        ['t', 'one'],
      ],
      content: 'text',
    }),
    ...Array.from({ length: notes }, (_, i) =>
      signed(author, { at: NOW + i, content: `note ${i} \u2028 & "` }),
    ),
  ];
  const relay = openStored(data);
  save(relay.store, events);
  relay.close();
  return events;
}
