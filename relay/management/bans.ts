// Shutting a key out (spec/management.md section 5): its membership and everything it published here go with it.

import type { Refusal, RelayContext } from '../context.ts';
import { type Caller, pubkeyRefusal } from './method.ts';

/** Why the caller may not ban that key: the owner is protected, and moderators are the owner's to ban. */
export function banKeyRefusal(context: RelayContext, caller: Caller, key: string): Refusal | null {
  const bad = pubkeyRefusal(key);
  if (bad !== null) return bad;
  const role = context.roles.roleOf(key);
  if (role === 'owner') return 'restricted: the owner cannot be banned';
  if (key === context.self.pubkey) return 'restricted: the relay cannot be banned';
  return role === 'moderator' && caller.role !== 'owner'
    ? 'restricted: only the owner may ban a moderator'
    : null;
}

/** Call inside a transaction. */
export function banKey(context: RelayContext, caller: Caller, key: string, why: string): void {
  context.store.members.ban(key, why);
  context.store.members.remove(key);
  const deleted = context.store.events.removeAll({ authors: [key] });
  const detail = `${deleted} events deleted`;
  context.store.audit.add({ actor: caller.pubkey, action: 'banpubkey', target: key, detail });
  context.accessChanged({ reason: 'access policy changed' });
}
