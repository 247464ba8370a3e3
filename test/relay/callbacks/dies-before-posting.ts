// A relay that is killed right after it has taken events in, before it can send one: node dies-before-posting.ts DATA URL

import { Callbacks } from '../../../relay/callbacks/callbacks.ts';
import { callbacks as schema } from '../../../relay/callbacks/schema.ts';
import { callbackSealKey } from '../../../relay/callbacks/sealed-secret.ts';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { openDatabase } from '../../../relay/store/database.ts';
import { SqliteStore } from '../../../relay/store/store.ts';
import { verifiedNow } from '../../../relay/verify/verified-event.ts';

const [data = '', url = ''] = process.argv.slice(2);
const owner = signerFrom(generateSecret());
const { db } = openDatabase(data);
if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'callbacks'").get() === undefined) db.exec(schema);
const store = new SqliteStore(db, () => Math.floor(Date.now() / 1000));
const callbacks = new Callbacks({
  ...{
    db,
    store,
    self: 'f'.repeat(64),
    url: 'wss://relay.example/',
    sealKey: callbackSealKey(new Uint8Array(32).fill(7)),
  },
  roles: { roleOf: () => 'owner' },
  visibility: { canRead: () => true },
  policy: () => ({ callbackTargets: 'loopback' }),
  log: { debug() {}, info() {}, warn() {}, error() {} },
});
const made = callbacks.registrations.add(
  { pubkey: owner.pubkey, role: 'owner' },
  { url, filter: { kinds: [1, 20_001] } },
);
if (!made.ok) throw new Error(made.refusal);
const events = [1, 20_001, 1].map((kind, index) => {
  return owner.sign({ kind, created_at: 1_750_000_000 + index, tags: [], content: `${index}` });
});
process.stdout.write(JSON.stringify({ owner: owner.pubkey, ids: events.map(event => event.id) }), () => {
  store.transact(() => {
    for (const event of events) {
      const verified = verifiedNow(event);
      if (verified === null) throw new Error('not signed');
      if (event.kind === 1) store.events.save(verified);
      callbacks.plan(verified);
    }
  });
  process.kill(process.pid, 'SIGKILL');
});
