// What is known of a conversation: messages, their edits, reactions and deletions, and the jobs beside them. Pure
// data; events may come in any order and more than once (seed "Agent chat features", spec/membership-and-rooms.md 3).

import type { JobView } from '../../main/contract/jobs.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { KIND, MESSAGE_KINDS } from '../../relay/protocol/kinds.ts';
import { rootReference, tagValue, tagValues } from '../../relay/protocol/tags.ts';

/** One reaction as shown: its content, who gave it, and the id of the event of each. */
export type Reaction = { content: string; by: readonly { pubkey: string; id: string }[] };

/** A message with what later events made of it. */
export type Message = {
  event: NostrEvent;
  /** Newest edit by its author. */
  edit: NostrEvent | undefined;
  reactions: readonly Reaction[];
};

/** What stands in a conversation: a message or a job, with what answers it beneath. */
export type Entry =
  | { kind: 'message'; id: string; at: number; author: string; message: Message; answers: readonly Entry[] }
  | { kind: 'job'; id: string; at: number; author: string; job: JobView; answers: readonly Entry[] };

/** The root a message answers, or undefined for one that stands on its own. */
export function rootOf(event: NostrEvent): string | undefined {
  const root = rootReference(event);
  if (root !== undefined) return root;
  return event.kind === KIND.threadReply ? tagValue(event, 'e') : undefined;
}

/** Text of a message as it now reads. */
export function textOf(message: Message): string {
  return message.edit?.content ?? message.event.content;
}

export class Conversation {
  readonly #messages = new Map<string, NostrEvent>();
  readonly #jobs = new Map<string, JobView>();
  /** By target and author: an edit counts only when its author wrote the message. */
  readonly #edits = new Map<string, NostrEvent>();
  readonly #reactions = new Map<string, Map<string, NostrEvent>>();
  readonly #deleted = new Set<string>();
  /** In which order things became known: created_at counts whole seconds, and much happens within one. */
  readonly #order = new Map<string, number>();
  readonly #shown = new Map<string, Entry>();
  /** Roots somebody answered that are not here, as of the last build. */
  readonly #missing = new Set<string>();
  #entries: readonly Entry[] | undefined;

  /** Takes in an event of the room; answers whether anything on screen may change. */
  add(event: NostrEvent): boolean {
    const changed = this.#take(event);
    if (changed) this.#entries = this.#appended(event);
    return changed;
  }

  addJob(job: JobView): void {
    if (this.#deleted.has(job.id)) return;
    this.#jobs.set(job.id, job);
    this.#know(job.id);
    this.#entries = undefined;
  }

  has(id: string): boolean {
    return this.#messages.has(id) || this.#jobs.has(id);
  }

  get(id: string): NostrEvent | undefined {
    return this.#messages.get(id);
  }

  /** Newest message of that author that is still there. */
  newestBy(author: string): NostrEvent | undefined {
    let newest: NostrEvent | undefined;
    for (const event of this.#messages.values()) {
      if (event.pubkey === author && (!newest || event.created_at >= newest.created_at)) newest = event;
    }
    return newest;
  }

  /** Everything that stands on its own, oldest first, each with its answers. Unchanged entries stay the same object. */
  entries(): readonly Entry[] {
    this.#entries ??= this.#build();
    return this.#entries;
  }

  #know(id: string): void {
    if (!this.#order.has(id)) this.#order.set(id, this.#order.size);
  }

  /** By second; within one a job stands before what is said about it, and the rest as it became known. */
  readonly #inOrder = (a: Entry, b: Entry): number => {
    if (a.at !== b.at) return a.at - b.at;
    if (a.kind !== b.kind) return a.kind === 'job' ? -1 : 1;
    return (this.#order.get(a.id) ?? 0) - (this.#order.get(b.id) ?? 0);
  };

  /** The usual case, told apart because it must be quick in a long room: a new message at the end. */
  #appended(event: NostrEvent): readonly Entry[] | undefined {
    const entries = this.#entries;
    const root = rootOf(event);
    if (!entries || !this.#messages.has(event.id) || this.#missing.has(event.id)) return undefined;
    if (root !== undefined && this.has(root)) return undefined;
    if (root !== undefined) this.#missing.add(root);
    const entry = this.#messageEntry(event, []);
    const last = entries.at(-1);
    return last && this.#inOrder(last, entry) > 0 ? undefined : [...entries, entry];
  }

  #take(event: NostrEvent): boolean {
    if (this.#deleted.has(event.id)) return false;
    if (MESSAGE_KINDS.includes(event.kind)) return this.#takeMessage(event);
    if (event.kind === KIND.edit) return this.#takeEdit(event);
    if (event.kind === KIND.reaction) return this.#takeReaction(event);
    if (event.kind === KIND.deletion || event.kind === KIND.deleteEvent) return this.#takeDeletion(event);
    return false;
  }

  #takeMessage(event: NostrEvent): boolean {
    if (this.#messages.has(event.id)) return false;
    this.#messages.set(event.id, event);
    this.#know(event.id);
    return true;
  }

  #takeEdit(event: NostrEvent): boolean {
    const target = tagValues(event, 'e').at(-1);
    if (target === undefined) return false;
    const key = `${target}:${event.pubkey}`;
    const known = this.#edits.get(key);
    if (known && !isNewer(event, known)) return false;
    this.#edits.set(key, event);
    return true;
  }

  #takeReaction(event: NostrEvent): boolean {
    const target = tagValues(event, 'e').at(-1);
    if (target === undefined) return false;
    const given = this.#reactions.get(target) ?? new Map<string, NostrEvent>();
    if (given.has(event.id)) return false;
    given.set(event.id, event);
    this.#reactions.set(target, given);
    return true;
  }

  /** Kind 5 takes back what its own author wrote; 9005 comes from an admin and the relay has checked it. */
  #takeDeletion(event: NostrEvent): boolean {
    let changed = false;
    for (const id of tagValues(event, 'e')) {
      const author =
        this.#messages.get(id)?.pubkey ?? this.#jobs.get(id)?.requester ?? this.#reactionById(id)?.pubkey;
      if (event.kind === KIND.deletion && author !== undefined && author !== event.pubkey) continue;
      if (event.kind === KIND.deletion && author === undefined) continue;
      this.#deleted.add(id);
      this.#messages.delete(id);
      this.#jobs.delete(id);
      for (const given of this.#reactions.values()) given.delete(id);
      changed = true;
    }
    return changed;
  }

  #reactionById(id: string): NostrEvent | undefined {
    for (const given of this.#reactions.values()) {
      const found = given.get(id);
      if (found) return found;
    }
    return undefined;
  }

  #build(): Entry[] {
    this.#missing.clear();
    const answers = new Map<string, Entry[]>();
    const roots: Entry[] = [];
    const place = (entry: Entry, root: string | undefined) => {
      if (root === undefined || root === entry.id || !this.has(root)) {
        if (root !== undefined) this.#missing.add(root);
        roots.push(entry);
        return;
      }
      const under = answers.get(root);
      if (under) under.push(entry);
      else answers.set(root, [entry]);
    };
    for (const event of this.#messages.values()) place(this.#messageEntry(event, []), rootOf(event));
    for (const job of this.#jobs.values()) place(this.#jobEntry(job, []), job.root);
    for (const under of answers.values()) under.sort(this.#inOrder);
    return roots
      .map(entry => {
        const under = answers.get(entry.id);
        return under ? this.#kept({ ...entry, answers: under }) : entry;
      })
      .sort(this.#inOrder);
  }

  #messageEntry(event: NostrEvent, answers: readonly Entry[]): Entry {
    const edit = this.#edits.get(`${event.id}:${event.pubkey}`);
    const message: Message = { event, edit, reactions: this.#reactionsTo(event.id) };
    return this.#kept({
      kind: 'message',
      id: event.id,
      at: event.created_at,
      author: event.pubkey,
      message,
      answers,
    });
  }

  #jobEntry(job: JobView, answers: readonly Entry[]): Entry {
    return this.#kept({ kind: 'job', id: job.id, at: job.created_at, author: job.requester, job, answers });
  }

  #reactionsTo(id: string): readonly Reaction[] {
    const given = this.#reactions.get(id);
    if (!given || given.size === 0) return none;
    const byContent = new Map<string, { pubkey: string; id: string }[]>();
    for (const event of given.values()) {
      const by = byContent.get(event.content) ?? [];
      if (!by.some(other => other.pubkey === event.pubkey)) by.push({ pubkey: event.pubkey, id: event.id });
      byContent.set(event.content, by);
    }
    return [...byContent].map(([content, by]) => ({ content, by }));
  }

  /** The entry drawn last time when it says the same, so that what did not change is not drawn again. */
  #kept(entry: Entry): Entry {
    const key = entry.answers.length > 0 ? `${entry.id}+` : entry.id;
    const old = this.#shown.get(key);
    if (old && sameEntry(old, entry)) return old;
    this.#shown.set(key, entry);
    return entry;
  }
}

const none: readonly Reaction[] = [];

/** NIP-01: of two of one second, the lower id counts. */
function isNewer(event: NostrEvent, than: NostrEvent): boolean {
  if (event.created_at !== than.created_at) return event.created_at > than.created_at;
  return event.id < than.id;
}

function sameEntry(a: Entry, b: Entry): boolean {
  if (a.answers.length !== b.answers.length) return false;
  if (a.answers.some((answer, index) => answer !== b.answers[index])) return false;
  if (a.kind === 'job' || b.kind === 'job') return a.kind === 'job' && b.kind === 'job' && a.job === b.job;
  return a.message.edit === b.message.edit && sameReactions(a.message.reactions, b.message.reactions);
}

function sameReactions(a: readonly Reaction[], b: readonly Reaction[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((reaction, index) => {
    const other = b[index];
    return (
      other !== undefined &&
      reaction.content === other.content &&
      reaction.by.length === other.by.length &&
      reaction.by.every((giver, place) => giver.id === other.by[place]?.id)
    );
  });
}
