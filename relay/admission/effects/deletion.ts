// What a deletion (NIP-09, kind 5) takes away: events of its author alone, and a grant its author signed. Tombstones
// keep what was deleted from coming back, also when the deletion arrives first.

import type { NostrEvent } from '../../protocol/event.ts';
import { KIND, kindClass } from '../../protocol/kinds.ts';
import { isHex64, tagValues } from '../../protocol/tags.ts';
import type { Desk, Effect } from '../rule.ts';

export const deletion: Effect = {
  apply({ event }, desk) {
    for (const id of tagValues(event, 'e')) if (isHex64(id)) deleteById(event, id, desk);
    for (const address of tagValues(event, 'a')) deleteByAddress(event, address, desk);
    return undefined;
  },
};

function deleteById(deletion: NostrEvent, id: string, desk: Desk): void {
  const { store } = desk;
  const target = store.events.get(id);
  if (target === null) {
    store.events.buryId(id, deletion.pubkey);
  } else if (mayDelete(deletion.pubkey, target)) {
    store.events.buryId(id, deletion.pubkey);
    store.events.remove(id);
  }
  for (const grant of store.grants.list()) {
    if (grant.event_id === id) endGrant(grant.pubkey, deletion.pubkey, desk);
  }
}

/** Deleting a deletion or a request to vanish does nothing. A gift wrap is its recipient's to delete (NIP-59). */
function mayDelete(author: string, target: NostrEvent): boolean {
  if (target.kind === KIND.deletion || target.kind === KIND.vanish) return false;
  if (target.pubkey === author) return true;
  return target.kind === KIND.giftWrap && tagValues(target, 'p').includes(author);
}

function deleteByAddress(deletion: NostrEvent, address: string, desk: Desk): void {
  const { store } = desk;
  const [kindText = '', pubkey = '', ...rest] = address.split(':');
  const identifier = rest.join(':');
  if (!/^\d{1,5}$/.test(kindText) || pubkey !== deletion.pubkey) return;
  const kind = Number(kindText);
  const storage = kindClass(kind);
  if (storage !== 'addressable' && (storage !== 'replaceable' || identifier !== '')) return;
  const canonical = `${kind}:${pubkey}:${identifier}`;
  store.events.buryAddress(canonical, deletion.created_at);
  const current = store.events.current(canonical);
  if (current !== null && current.created_at <= deletion.created_at) store.events.remove(current.id);
  if (kind !== KIND.agentGrant) return;
  const grant = store.grants.get(identifier);
  // A grant made after the deletion stays.
  if (grant !== null && grant.created_at <= deletion.created_at) endGrant(identifier, deletion.pubkey, desk);
}

function endGrant(agent: string, author: string, { store }: Desk): void {
  if (store.grants.get(agent)?.owner !== author || !store.grants.revoke(agent)) return;
  store.audit.add({ actor: author, action: 'revokeagent', target: agent, detail: 'deleted grant' });
}
