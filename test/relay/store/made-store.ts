// A store in a temporary folder, with short words for putting events in and asking for them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSecret, type Signer, signerFrom } from '../../../relay/client/signer.ts';
import type { Filter, NostrEvent } from '../../../relay/protocol/event.ts';
import { type OpenDatabase, openDatabase } from '../../../relay/store/database.ts';
import { SqliteStore } from '../../../relay/store/store.ts';
import { signOwn } from '../../../relay/verify/verified-event.ts';

export type Draft = { kind: number; created_at?: number; tags?: string[][]; content?: string };

export class MadeStore {
  readonly folder = mkdtempSync(join(tmpdir(), 'tiny-store-'));
  readonly author: Signer = signerFrom(generateSecret());
  database: OpenDatabase;
  store: SqliteStore;
  now = 1_800_000_000;

  constructor() {
    this.database = openDatabase(this.folder);
    this.store = new SqliteStore(this.database.db, () => this.now);
  }

  /** Closes the database and opens it again. */
  reopen(): void {
    this.database.close();
    this.database = openDatabase(this.folder);
    this.store = new SqliteStore(this.database.db, () => this.now);
  }

  /** Opens it when it has been closed. */
  reopenFresh(): void {
    this.database = openDatabase(this.folder);
    this.store = new SqliteStore(this.database.db, () => this.now);
  }

  close(): void {
    this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  make({ kind, created_at = 1000, tags = [], content = '' }: Draft, author = this.author) {
    return signOwn(author, { kind, created_at, tags, content });
  }

  /** Stores an event; answers it with what became of it. */
  save(draft: Draft, author = this.author): { event: NostrEvent; status: string } {
    const made = this.make(draft, author);
    const { status } = this.store.transact(() => this.store.events.save(made));
    return { event: made.event, status };
  }

  ask(filter: Filter): NostrEvent[] {
    return [...this.store.events.scan(filter)];
  }
}
