// Who a key is to this relay (spec/membership-and-rooms.md section 1). A role is what the key may rely on now: an
// agent whose grant has ended has none, and neither has a banned key.

import type { Role } from './context.ts';
import type { Policy } from './policy.ts';
import type { RoomRole } from './protocol/room.ts';
import type { SqliteStore } from './store/store.ts';

export class Roles {
  readonly #store: SqliteStore;
  readonly #policy: () => Policy;
  readonly #now: () => number;

  constructor(store: SqliteStore, policy: () => Policy, now: () => number) {
    this.#store = store;
    this.#policy = policy;
    this.#now = now;
  }

  roleOf(pubkey: string): Role {
    if (pubkey === '') return '';
    if (pubkey === this.#policy().owner) return 'owner';
    const role = this.#store.members.get(pubkey)?.role;
    if (role === undefined || this.#store.members.isBanned(pubkey)) return '';
    if (role !== 'agent') return role;
    // A paused agent is still here: it reads, and hears why it may not write.
    const grant = this.#store.grants.get(pubkey);
    return grant !== null && grant.revoked === 0 && grant.expires > this.#now() ? 'agent' : '';
  }

  isMember(pubkey: string): boolean {
    return this.roleOf(pubkey) !== '';
  }

  isOperator(pubkey: string): boolean {
    const role = this.roleOf(pubkey);
    return role === 'owner' || role === 'moderator';
  }

  isBound(pubkey: string): boolean {
    const role = this.roleOf(pubkey);
    return role === '' || role === 'agent';
  }

  /** The relay's owner is an owner of every room, moderators are admins of every room. */
  roomRole(room: string, pubkey: string): RoomRole | '' {
    const role = this.roleOf(pubkey);
    if (role === '' || this.#store.rooms.get(room) === null) return '';
    if (role === 'owner') return 'owner';
    const own = this.#store.rooms.member(room, pubkey)?.role ?? '';
    return role === 'moderator' && own !== 'owner' ? 'admin' : own;
  }
}
