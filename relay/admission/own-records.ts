// The records the relay signs itself (NIP-29 39000 to 39002, notices; NIP-43 roster and roles). They are made in the transaction of the change
// they tell of: nobody can read one without the other.

import type { Signer } from '../client/signer.ts';
import type { RoomRecord } from '../context.ts';
import { alignMainRoom } from '../membership/main-room.ts';
import { comingTemplate, roleTemplates, rosterTemplate } from '../membership/roster.ts';
import type { Newsroom } from '../news.ts';
import type { EventTemplate, NostrEvent } from '../protocol/event.ts';
import { KIND, kindClass } from '../protocol/kinds.ts';
import type { Roles } from '../roles.ts';
import { addressOf } from '../store/keys.ts';
import type { SqliteStore } from '../store/store.ts';
import { signOwn } from '../verify/verified-event.ts';

type Template = Omit<EventTemplate, 'created_at'>;

export type OwnRecordsParts = {
  store: SqliteStore;
  roles: Roles;
  signer: Signer;
  now: () => number;
  news: Newsroom;
};

export class OwnRecords {
  readonly #parts: OwnRecordsParts;

  constructor(parts: OwnRecordsParts) {
    this.#parts = parts;
  }

  /** Signs and stores; call inside a transaction. A record that says what is held already is left out. */
  publish(templates: readonly Template[]): NostrEvent[] {
    return templates.map(template => this.#publishOne(template)).filter(event => event !== null);
  }

  /** Signs anew what no longer tells the truth after this transaction: roster, main room, and every room changed. */
  refresh(): void {
    const { store, now } = this.#parts;
    const { came, went, any } = store.members.takeTouched();
    const policyChanged = store.settings.takePolicyChanged();
    if (any || policyChanged) {
      alignMainRoom(store, now);
      this.publish([rosterTemplate(store), ...roleTemplates()]);
      this.publish(came.map(key => comingTemplate(key, true)));
      this.publish(went.map(key => comingTemplate(key, false)));
    }
    this.#refreshRooms();
  }

  #refreshRooms(): void {
    const { store } = this.#parts;
    for (const room of store.rooms.takeChanged()) {
      const record = store.rooms.get(room);
      if (record !== null) this.publish(this.#roomTemplates(record));
    }
  }

  #publishOne(template: Template): NostrEvent | null {
    const { store, signer, now, news } = this.#parts;
    const held = this.#held(template);
    if (held !== null && sameRecord(held, template)) return null;
    // Two versions in one second would be told apart by their ids alone: the later one must win.
    const created_at = Math.max(now(), (held?.created_at ?? 0) + 1);
    const result = store.events.save(signOwn(signer, { ...template, created_at }));
    if (result.status !== 'stored') return null;
    store.afterCommit(() => news.announce(result.stored));
    news.taken(result.stored);
    return result.stored.event;
  }

  #held(template: Template): NostrEvent | null {
    const kind = kindClass(template.kind);
    if (kind !== 'replaceable' && kind !== 'addressable') return null;
    const unsigned = { ...template, pubkey: this.#parts.signer.pubkey, created_at: 0, id: '', sig: '' };
    return this.#parts.store.events.current(addressOf(unsigned, kind === 'addressable'));
  }

  #roomTemplates(room: RoomRecord): Template[] {
    const { store, roles } = this.#parts;
    const members = store.rooms.members(room.id);
    const admins = members
      .filter(({ role }) => role !== 'member')
      .map(({ pubkey, role }) => ['p', pubkey, role]);
    const everyone = members.map(({ pubkey, role }) => {
      return ['p', pubkey, roles.roleOf(pubkey) === 'agent' ? 'agent' : role];
    });
    const d = ['d', room.id];
    return [
      { kind: KIND.roomMetadata, tags: [d, ...metadata(room, store.settings.policy.reads)], content: '' },
      { kind: KIND.roomAdmins, tags: [d, ...admins], content: '' },
      { kind: KIND.roomMembers, tags: [d, ...everyone], content: '' },
    ];
  }
}

function metadata(room: RoomRecord, reads: string): string[][] {
  const isClosed = room.access === 'members';
  const tags = [['name', room.name]];
  if (room.about !== '') tags.push(['about', room.about]);
  if (room.picture !== '') tags.push(['picture', room.picture]);
  tags.push([isClosed ? 'closed' : 'open']);
  tags.push([isClosed || reads === 'members' ? 'private' : 'public']);
  return tags;
}

function sameRecord(held: NostrEvent, template: Template): boolean {
  return held.content === template.content && JSON.stringify(held.tags) === JSON.stringify(template.tags);
}
