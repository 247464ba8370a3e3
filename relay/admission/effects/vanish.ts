// A request to vanish (NIP-62): everything the key has published here up to that second goes, deletions among it, and
// so do the gift wraps sent to it. None of it can be published again. The request itself stays.

import type { NostrEvent } from '../../protocol/event.ts';
import { KIND } from '../../protocol/kinds.ts';
import type { Desk, Effect } from '../rule.ts';

export const vanish: Effect = {
  /** A key that never was here leaves nothing behind; on an open relay it may still be kept from coming. */
  nothingToDo({ event }, { store, roles, policy }) {
    const isKnown = roles.isMember(event.pubkey) || store.grants.get(event.pubkey) !== null;
    if (isKnown || policy().writes === 'open') return null;
    const [first] = store.events.scan({ authors: [event.pubkey] });
    return first === undefined ? 'duplicate: nothing of this key is held here' : null;
  },
  apply({ event }, desk) {
    const { pubkey, created_at: until } = event;
    desk.store.events.buryAuthor(pubkey, until);
    for (const held of [...desk.store.events.scan({ authors: [pubkey], until })]) {
      if (held.kind !== KIND.vanish) desk.store.events.remove(held.id);
    }
    desk.store.events.removeAll({ kinds: [KIND.giftWrap], '#p': [pubkey], until });
    desk.store.receipts.removeOf(pubkey);
    desk.store.joinRequests.remove(pubkey);
    endGrants(event, desk);
    desk.accessChanged({ reason: 'events of a key were removed at its request' });
    return undefined;
  },
};

/** A grant is gone with its event, as after a deletion. */
function endGrants({ pubkey, created_at }: NostrEvent, { store }: Desk): void {
  for (const grant of store.grants.list()) {
    if (grant.owner !== pubkey || grant.created_at > created_at || !store.grants.revoke(grant.pubkey))
      continue;
    store.audit.add({ actor: pubkey, action: 'revokeagent', target: grant.pubkey, detail: 'deleted grant' });
  }
}
