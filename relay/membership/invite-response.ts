// Kind 28935 (NIP-43): who may invite and asks for it is told a code, made when it is asked for and never stored.

import type { Signer } from '../client/signer.ts';
import { KIND } from '../protocol/kinds.ts';
import { StoreFailure } from '../store/refusal.ts';
import type { SqliteStore } from '../store/store.ts';
import { signOwn, type VerifiedEvent } from '../verify/verified-event.ts';
import { createInvite, inviteRefusal, isLive } from './invites.ts';
import type { MembershipDesk } from './standing.ts';

/** Tells these invites from those a person made: one of them at a time is enough for a key. */
const NOTE = 'NIP-43';

export type InviteDesk = MembershipDesk & { store: SqliteStore; signer: Signer };

/** The relay's answer to the first of the keys that may invite; null when none may. */
export function inviteResponse(desk: InviteDesk, keys: readonly string[]): VerifiedEvent | null {
  for (const key of keys) {
    const code = codeFor(desk, key);
    if (code === null) continue;
    const tags = [['-'], ['claim', code]];
    return signOwn(desk.signer, { kind: KIND.inviteResponse, created_at: desk.now(), tags, content: '' });
  }
  return null;
}

function codeFor(desk: InviteDesk, key: string): string | null {
  const { store, now } = desk;
  const role = desk.roles.roleOf(key);
  if (role === '' || role === 'agent') return null;
  const made = store.invites.listOf(key).find(invite => invite.note === NOTE && isLive(invite, now()));
  if (made !== undefined) return made.code;
  if (inviteRefusal(desk, key) !== null) return null;
  try {
    return store.transact(() => createInvite(desk, key, { maxUses: 1, note: NOTE })).code;
  } catch (error) {
    // A disk that is full has no room for a code; what can be read is still read.
    if (error instanceof StoreFailure) return null;
    throw error;
  }
}
