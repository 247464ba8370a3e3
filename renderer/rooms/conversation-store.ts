// Conversations kept for the page: loaded in pages from main, kept true by pushes, shared by whoever shows them.

import { useSyncExternalStore } from 'react';
import type { JobView } from '../../main/contract/jobs.ts';
import type { RoomMember } from '../../main/contract/rooms.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { call, onPush, onReconnect } from '../bridge.ts';
import { Conversation, rootOf } from './conversation.ts';

/** A room, or one thread of it. */
export type Place = { room: string; root?: string };

type Page = {
  messages: NostrEvent[];
  edits: NostrEvent[];
  reactions: NostrEvent[];
  next_cursor: string;
  members?: RoomMember[];
};

export type Snapshot = {
  conversation: Conversation;
  /** Changes with everything that can be seen. */
  version: number;
  state: 'loading' | 'ready' | 'failed';
  error: unknown;
  members: readonly RoomMember[];
  /** True while there is more above. */
  earlier: boolean;
  loadingEarlier: boolean;
};

async function fetchPage(place: Place, cursor: string): Promise<Page> {
  const from = cursor === '' ? {} : { cursor };
  if (place.root === undefined) return call('rooms.open', { id: place.room, limit: 100, ...from });
  const page = await call('rooms.thread', { id: place.room, event: place.root, ...from });
  return { ...page, messages: [page.root, ...page.replies] };
}

class ConversationStore {
  readonly place: Place;
  #snapshot: Snapshot = {
    conversation: new Conversation(),
    version: 0,
    state: 'loading',
    error: null,
    members: [],
    earlier: false,
    loadingEarlier: false,
  };
  #cursor = '';
  #jobsCursor = '';
  #oldestJob = Number.POSITIVE_INFINITY;
  #oldest = Number.POSITIVE_INFINITY;
  #asked = false;
  readonly #listeners = new Set<() => void>();

  constructor(place: Place) {
    this.place = place;
  }

  readonly read = (): Snapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (!this.#asked) void this.load();
    return () => this.#listeners.delete(listener);
  };

  /** Loads the newest page, or loads it again and joins it to what is known. */
  async load(): Promise<void> {
    this.#asked = true;
    try {
      const [page, jobs] = await Promise.all([fetchPage(this.place, ''), this.#fetchJobs('')]);
      if (this.#leavesGap(page)) this.#forget();
      const first = this.#snapshot.state !== 'ready';
      this.#takePage(page);
      this.#takeJobs(jobs, first);
      if (first) this.#cursor = page.next_cursor;
      this.#change({
        state: 'ready',
        error: null,
        members: page.members ?? this.#snapshot.members,
        earlier: this.#cursor !== '',
      });
    } catch (error) {
      // What is on screen stays there; only an empty one turns into the failure.
      if (this.#snapshot.state === 'ready') this.#change({ error });
      else this.#change({ state: 'failed', error });
    }
  }

  async loadEarlier(): Promise<void> {
    if (this.#cursor === '' || this.#snapshot.loadingEarlier) return;
    this.#change({ loadingEarlier: true });
    try {
      const page = await fetchPage(this.place, this.#cursor);
      this.#takePage(page);
      this.#cursor = page.next_cursor;
      while (this.#jobsCursor !== '' && this.#oldestJob > this.#oldest) {
        this.#takeJobs(await this.#fetchJobs(this.#jobsCursor), true);
      }
      this.#change({ loadingEarlier: false, earlier: this.#cursor !== '', error: null });
    } catch (error) {
      this.#change({ loadingEarlier: false, error });
    }
  }

  /** Takes in an event of the room that was just stored. */
  take(event: NostrEvent): void {
    if (!this.#concerns(event)) return;
    if (this.#snapshot.conversation.add(event)) this.#change({});
  }

  takeJob(job: JobView): void {
    if (this.place.root !== undefined && job.root !== this.place.root && job.id !== this.place.root) return;
    this.#snapshot.conversation.addJob(job);
    this.#change({});
  }

  get watched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Whether it was ever loaded, and so must be kept true. */
  get asked(): boolean {
    return this.#asked;
  }

  #concerns(event: NostrEvent): boolean {
    const { root } = this.place;
    const own = rootOf(event);
    return root === undefined || own === undefined || own === root || event.id === root;
  }

  async #fetchJobs(cursor: string): Promise<{ items: JobView[]; next_cursor: string }> {
    const from = cursor === '' ? {} : { cursor };
    return call('jobs.list', { room: this.place.room, state: 'all', ...from });
  }

  #takePage(page: Page): void {
    const { conversation } = this.#snapshot;
    // Pages come newest first; within one second what became known first stands first.
    for (const event of page.messages.toReversed()) conversation.add(event);
    for (const event of [...page.edits, ...page.reactions]) conversation.add(event);
    for (const event of page.messages) this.#oldest = Math.min(this.#oldest, event.created_at);
  }

  #takeJobs(page: { items: JobView[]; next_cursor: string }, moves: boolean): void {
    for (const job of page.items) {
      this.#oldestJob = Math.min(this.#oldestJob, job.created_at);
      if (this.place.root === undefined || job.root === this.place.root || job.id === this.place.root) {
        this.#snapshot.conversation.addJob(job);
      }
    }
    if (moves) this.#jobsCursor = page.next_cursor;
  }

  /** After a long absence the newest page may begin later than what is known ends: the middle is missing. */
  #leavesGap(page: Page): boolean {
    const { conversation, state } = this.#snapshot;
    if (state !== 'ready' || page.next_cursor === '') return false;
    return page.messages.length > 0 && !page.messages.some(event => conversation.has(event.id));
  }

  #forget(): void {
    this.#snapshot = { ...this.#snapshot, conversation: new Conversation(), state: 'loading' };
    this.#oldest = Number.POSITIVE_INFINITY;
    this.#oldestJob = Number.POSITIVE_INFINITY;
  }

  #change(next: Partial<Snapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...next, version: this.#snapshot.version + 1 };
    for (const listener of this.#listeners) listener();
  }
}

export type { ConversationStore };

const KEPT = 12;
const stores = new Map<string, ConversationStore>();

/** The conversation of a place. The dozen used last stay loaded; older ones nobody looks at are let go. */
export function conversationOf(place: Place): ConversationStore {
  const key = `${place.room}/${place.root ?? ''}`;
  const store = stores.get(key) ?? new ConversationStore(place);
  stores.delete(key);
  stores.set(key, store);
  for (const [old, other] of stores) {
    if (stores.size <= KEPT) break;
    if (!other.watched && other !== store) stores.delete(old);
  }
  return store;
}

/** The conversation as it now is; loads it when it was not. */
export function useConversation(store: ConversationStore): Snapshot {
  return useSyncExternalStore(store.subscribe, store.read);
}

/** Loads every kept conversation again: on a new connection, and when the page lost the stream of pushes. */
function reloadConversations(): void {
  for (const store of stores.values()) if (store.asked) void store.load();
}

onPush('rooms.event', ({ room, event }) => {
  for (const store of stores.values()) if (store.place.room === room) store.take(event);
});
onPush('jobs.changed', job => {
  for (const store of stores.values()) if (store.place.room === job.room) store.takeJob(job);
});
// Who is in a room travels with its page: one that gained or lost somebody is read again.
onPush('rooms.changed', rooms => {
  for (const { id, members } of rooms) {
    const store = stores.get(`${id}/`);
    if (store?.read().state === 'ready' && store.read().members.length !== members) void store.load();
  }
});
onPush('rooms.stale', reloadConversations);
// What could not be loaded while the relay was away is loaded once it answers.
onPush('app.state', ({ connection }) => {
  if (connection.state !== 'online') return;
  for (const store of stores.values()) if (store.read().state === 'failed') void store.load();
});
onReconnect(reloadConversations);
