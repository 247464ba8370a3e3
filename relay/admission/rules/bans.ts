// Who and what was shut out: network addresses, keys, single events.

import type { Rule } from '../rule.ts';

export const bans: Rule = ({ event, origin }, { store }) => {
  if (origin.ip !== undefined && store.ips.isBlocked(origin.ip)) return 'blocked: this address is blocked';
  if (store.members.isBanned(event.pubkey)) return 'blocked: this key is banned';
  return store.events.isBannedId(event.id) ? 'blocked: this event is banned' : null;
};
