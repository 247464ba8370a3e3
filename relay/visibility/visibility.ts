// May this key read it? The one function behind REQ, live delivery, COUNT, `/query`, `/count`, streams and browse
// (spec/decisions.md 5). It is asked again for every event at every delivery, so that what changed counts at once.

import type { Reader, Refusal } from '../context.ts';
import { isMainRoom } from '../membership/relay-level.ts';
import type { Policy } from '../policy.ts';
import type { Filter, NostrEvent } from '../protocol/event.ts';
import { isGrantRequest } from '../protocol/grant-request.ts';
import { KIND } from '../protocol/kinds.ts';
import { expirationOf, tagValue } from '../protocol/tags.ts';
import type { Roles } from '../roles.ts';
import type { SqliteStore } from '../store/store.ts';

/** Kinds that concern their author and the keys in `p` alone (spec/http-surface.md section 12). */
const PRIVATE = new Set<number>([
  KIND.encryptedMessage,
  KIND.seal,
  KIND.giftWrap,
  KIND.ephemeralGiftWrap,
  KIND.nostrConnect,
  30390,
]);
/** Records of a room, named by `d` instead of `h`. */
const ROOM_RECORDS = new Set<number>([
  KIND.roomMetadata,
  KIND.roomAdmins,
  KIND.roomMembers,
  KIND.roomRoles,
  39004,
  KIND.roomPins,
]);
/** Who is here (NIP-43): for everybody who may read, unless the policy keeps it to members. */
const DIRECTORY = new Set<number>([KIND.roster, KIND.memberAdded, KIND.memberRemoved]);
/** Told to the person concerned even when the room is closed to them by now. */
const NOTICES = new Set<number>([KIND.roomMemberAdded, KIND.roomMemberRemoved]);

export type VisibilityParts = {
  store: SqliteStore;
  roles: Roles;
  policy: () => Policy;
  now: () => number;
};

export class Visibility {
  readonly #store: SqliteStore;
  readonly #roles: Roles;
  readonly #policy: () => Policy;
  readonly #now: () => number;

  constructor({ store, roles, policy, now }: VisibilityParts) {
    this.#store = store;
    this.#roles = roles;
    this.#policy = policy;
    this.#now = now;
  }

  canRead(reader: Reader, event: NostrEvent): boolean {
    const expires = expirationOf(event);
    if (expires !== undefined && expires <= this.#now()) return false;
    if (this.#readRefusal(reader) !== null) return false;
    if (this.#isHidden(reader, event)) return false;
    if (this.#isDirectory(event) && !this.maySeeDirectory(reader)) return false;
    if (PRIVATE.has(event.kind) || isGrantRequest(event)) return isParty(reader, event);
    if (this.#canReadRooms(reader, event)) return true;
    return NOTICES.has(event.kind) && isParty(reader, event);
  }

  canReadRoom(reader: Reader, room: string): boolean {
    const record = this.#store.rooms.get(room);
    if (record?.access === 'open') return this.#readRefusal(reader) === null;
    // A room that is gone, or never was here, belongs to nobody but those who run the relay.
    if (record === null) return reader.keys.some(key => this.#roles.isOperator(key));
    return reader.keys.some(key => this.#roles.roomRole(room, key) !== '');
  }

  mayQuery(reader: Reader, filters: readonly Filter[]): Refusal | null {
    const refusal = this.#readRefusal(reader);
    if (refusal !== null) return refusal;
    if (this.#policy().features.search === 'off' && filters.some(filter => filter.search !== undefined)) {
      return 'unsupported: searching is switched off on this relay';
    }
    if (reader.keys.length === 0 && filters.some(asksOnlyPrivate)) {
      return 'auth-required: these kinds are served to their author and recipients only';
    }
    return null;
  }

  /** Would authenticating show more? True for a reader without a key who asks for a room that is members-only. */
  wouldShowMore(reader: Reader, filters: readonly Filter[]): boolean {
    if (reader.keys.length > 0) return false;
    return filters.some(filter => {
      const rooms = [...(filter['#h'] ?? []), ...(filter['#d'] ?? [])];
      return rooms.some(room => this.#store.rooms.get(room)?.access === 'members');
    });
  }

  /** An event is in one room at most by the rules of admission; should it name more, each must be open to the reader. */
  #canReadRooms(reader: Reader, event: NostrEvent): boolean {
    if (event.kind === KIND.marmotMessage) return true;
    const name = ROOM_RECORDS.has(event.kind) ? 'd' : 'h';
    for (const tag of event.tags) {
      if (tag[0] === name && tag[1] !== undefined && !this.canReadRoom(reader, tag[1])) return false;
    }
    return true;
  }

  /** Reported by so many members that the policy hides it until somebody has looked. */
  #isHidden(reader: Reader, event: NostrEvent): boolean {
    const { reportThreshold } = this.#policy();
    if (reportThreshold === 0 || this.#store.reports.reporterCount(event.id) < reportThreshold) return false;
    return !reader.keys.some(key => key === event.pubkey || this.#roles.isOperator(key));
  }

  #isDirectory(event: NostrEvent): boolean {
    if (DIRECTORY.has(event.kind)) return true;
    if (event.kind !== KIND.roomAdmins && event.kind !== KIND.roomMembers) return false;
    return isMainRoom(this.#store.rooms.get(tagValue(event, 'd') ?? ''));
  }

  /** May this reader see who the members of the relay are? */
  maySeeDirectory(reader: Reader): boolean {
    return this.#policy().directoryPublic || reader.keys.some(key => this.#roles.isMember(key));
  }

  #readRefusal(reader: Reader): Refusal | null {
    const { reads } = this.#policy();
    if (reads === 'open') return null;
    if (reader.keys.length === 0) {
      return reads === 'members'
        ? 'auth-required: this relay is members-only'
        : 'auth-required: this relay asks who reads';
    }
    if (reads === 'auth' || reader.keys.some(key => this.#roles.isMember(key))) return null;
    return 'restricted: this relay is members-only and your key is not a member';
  }
}

function isParty(reader: Reader, event: NostrEvent): boolean {
  if (reader.keys.includes(event.pubkey)) return true;
  return event.tags.some(tag => tag[0] === 'p' && tag[1] !== undefined && reader.keys.includes(tag[1]));
}

function asksOnlyPrivate(filter: Filter): boolean {
  return filter.kinds?.every(kind => PRIVATE.has(kind)) ?? false;
}
