// The relay without its doors: the store, and those who judge, sign and tell, tied together.

import { announceDismissal } from './admission/effects/room-members.ts';
import { OwnRecords } from './admission/own-records.ts';
import { RateLimiter } from './admission/rate-limiter.ts';
import type { Desk } from './admission/rule.ts';
import type { Signer } from './client/signer.ts';
import type { Logger } from './context.ts';
import { isMainRoom } from './membership/relay-level.ts';
import { Newsroom } from './news.ts';
import { Roles } from './roles.ts';
import type { OpenDatabase } from './store/database.ts';
import { SqliteStore } from './store/store.ts';
import { Visibility } from './visibility/visibility.ts';

/** The desk without what is known only once there is an address. */
export type Core = Omit<Desk, 'isOurUrl'> & { news: Newsroom; signer: Signer };

export type CoreParts = { database: OpenDatabase; signer: Signer; now: () => number; log: Logger };

export function createCore({ database, signer, now, log }: CoreParts): Core {
  const store = new SqliteStore(database.db, now);
  const news = new Newsroom(log);
  const policy = () => store.settings.policy;
  const roles = new Roles(store, policy, now);
  const visibility = new Visibility({ store, roles, policy, now });
  const own = new OwnRecords({ store, roles, signer, now, news });
  const publishOwn: Desk['publishOwn'] = templates => own.publish(templates);
  const accessChanged: Desk['accessChanged'] = change => store.afterCommit(() => news.accessChanged(change));
  store.beforeCommit = () => own.refresh();
  store.onLeft = (pubkey, rooms) => {
    for (const room of rooms) {
      // The main room is the relay: kind 8001 tells of that.
      if (!isMainRoom(store.rooms.get(room))) announceDismissal(room, pubkey, { publishOwn, accessChanged });
    }
    accessChanged({ keys: [pubkey], reason: 'your access to this relay changed' });
  };
  return {
    ...{ store, policy, roles, visibility, rates: new RateLimiter(), self: signer.pubkey, now },
    ...{ publishOwn, accessChanged, news, signer },
  };
}
