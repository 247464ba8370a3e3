// Our relay as it runs for people: members only, rooms and grants enforced, every commit synced.

import { keepMemorySmall } from '../../../relay/memory.ts';
import { startRelay } from '../../../relay/relay.ts';
import { serveParent } from './servers.ts';

keepMemorySmall();
const [data = '', owner = '', members = ''] = process.argv.slice(2);
const relay = await startRelay({ data, owner });
const { store, transact, now } = relay.context;
transact(() => {
  for (const pubkey of members.split(',').filter(key => key !== '')) {
    const row = { pubkey, role: 'member', name: '', note: '', invited_by: owner, via: 'management' } as const;
    store.members.put({ ...row, created_at: now() });
  }
});
serveParent(relay.url, () => relay.close());
