// May this callback still be served, and with this event? Asked when it is registered, when work is planned for it,
// and again before each POST (seed "Delivery").

import { type CallbackFilter, callbackCoverage } from '../protocol/callback-filter.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { expirationOf } from '../protocol/tags.ts';
import type { CallbackDesk } from './desk.ts';

/** Why a key may not (or no longer) be served with that filter, as `restricted: text`; null when it may. */
export function standingRefusal(desk: CallbackDesk, owner: string, filter: CallbackFilter): string | null {
  const { roles, store } = desk.parts;
  const role = roles.roleOf(owner);
  if (role === 'owner' || role === 'moderator' || role === 'member') return null;
  const grant = store.grants.get(owner);
  // A key that a grant has bound hears what is wrong with the grant; any other is simply not here.
  if (grant === null) return 'restricted: the key is no member';
  const coverage = callbackCoverage(filter, { scope: grant.scope, state: store.grants.state(grant) });
  if (coverage !== null) return coverage;
  return role === '' ? 'restricted: the key is no member' : null;
}

/** The event as it may be sent now, or why it may not. `json` is the event itself when it is not stored. */
export function eventToSend(
  desk: CallbackDesk,
  owner: string,
  source: { event_id: string; json: string | null },
): { event: NostrEvent; json: string } | { reason: string } {
  const { store, visibility } = desk.parts;
  const event: NostrEvent | null =
    source.json === null ? store.events.get(source.event_id) : JSON.parse(source.json);
  if (event === null) return { reason: 'the event is gone' };
  const expires = expirationOf(event);
  if (expires !== undefined && expires <= desk.seconds()) return { reason: 'the event has expired' };
  if (!visibility.canRead({ keys: [owner] }, event)) return { reason: 'the event may not be read' };
  return { event, json: source.json ?? JSON.stringify(event) };
}

/** A refusal without its prefix, as a status. */
export function asStatus(refusal: string): string {
  return `paused: ${refusal.replace(/^[a-z-]+: /, '')}`;
}
