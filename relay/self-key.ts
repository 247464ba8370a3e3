// The relay's own key (spec/decisions.md 20): made at the first start and kept beside the database, readable by this
// user alone, unless the desktop keeps it in its vault.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSecret, parseSecret } from './client/signer.ts';
import { StoreRefusal } from './store/refusal.ts';

/** The secret of the key that signs the relay's records; throws StoreRefusal when its file holds no key. */
export function selfSecret(folder: string): Uint8Array {
  const path = join(folder, 'relay.key');
  if (existsSync(path)) {
    const secret = parseSecret(readFileSync(path, 'utf8'));
    // Another key would be another relay: its members would no longer believe its records.
    if (secret === null) throw new StoreRefusal(`${path} holds no secret key: restore it from a backup`);
    chmodSync(path, 0o600);
    return secret;
  }
  const secret = generateSecret();
  writeFileSync(path, `${Buffer.from(secret).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  return secret;
}
