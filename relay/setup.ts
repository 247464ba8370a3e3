// What the options of a start change in the stored policy, and what a new key of the relay's own makes necessary.

import type { RelayOptions } from './context.ts';
import { mergePolicy } from './policy.ts';
import { KIND } from './protocol/kinds.ts';
import type { SqliteStore } from './store/store.ts';

const SELF = 'self';
/** Which records of its own the relay signs; a database of a version that signed fewer gets the rest at its next start. */
const RECORDS = 'own-records';
const RECORDS_VERSION = '2';

export type PrepareParts = { store: SqliteStore; self: string; options: RelayOptions };

/** Throws when an option is not usable. Writes only what differs, so that a full disk does not stop a start. */
export function prepare({ store, self, options }: PrepareParts): void {
  const { owner, name, reads, writes } = options;
  const given = Object.entries({ owner, name, reads, writes }).filter(([, value]) => value !== undefined);
  const { policy } = store.settings;
  const changes = Object.fromEntries(given.filter(([field, value]) => policy[field as 'owner'] !== value));
  const merged = mergePolicy(policy, changes);
  if ('refusal' in merged) throw new Error(merged.refusal);
  const next = { ...merged.policy, owner: owner ?? policy.owner };
  if (next.owner === '' && (next.reads === 'members' || next.writes !== 'open')) {
    throw new Error('--owner KEY is needed: without an owner nobody could be let in');
  }
  const isFirst = store.settings.get('policy') === null;
  const isChanged = isFirst || Object.keys(changes).length > 0;
  const isOtherSelf = store.settings.get(SELF) !== self;
  const isFormer = store.settings.get(RECORDS) !== RECORDS_VERSION;
  if (!isChanged && !isOtherSelf && !isFormer) return;
  store.transact(() => {
    // Setting the policy, the same one as well, has the relay's own records looked at before the commit.
    store.settings.setPolicy(next);
    if (isOtherSelf) changeSelf(store, self);
    if (isFormer) store.settings.set(RECORDS, RECORDS_VERSION);
  });
}

/** Records of rooms and members belong to the key that signs them: those of an earlier key are made anew. */
function changeSelf(store: SqliteStore, self: string): void {
  const earlier = store.settings.get(SELF);
  if (earlier !== null) {
    const kinds = [KIND.roomMetadata, KIND.roomAdmins, KIND.roomMembers, KIND.roster, KIND.roleDefinition];
    store.events.removeAll({ kinds, authors: [earlier] });
  }
  for (const room of store.rooms.list()) store.rooms.put(room);
  store.settings.set(SELF, self);
}
