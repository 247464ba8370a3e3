// Whose desktop this is: the owner's key and the relay's own key. Each is made once, silently, at the first unlock, and
// identity.json remembers whose they are, so that a key that is gone is said to be gone and never replaced (F3 F4).

import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { generateSecret, type Signer, signerFrom } from '../relay/client/signer.ts';
import { type Home, writeWhole } from './home.ts';
import type { Logger } from './logs.ts';
import type { Vault } from './vault/vault.ts';

export type Identity = {
  owner: Signer;
  /** The relay's signing key in hex, read from the vault at each call. */
  relaySecret(): Promise<string>;
};

/** A key that should be there is not: nothing is made in its place. The message is for the person. */
export class BrokenIdentity extends Error {}

const record = z.object({
  version: z.literal(1),
  owner: z.string().regex(/^[0-9a-f]{64}$/),
  relay: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Reads both keys from an open vault; makes them when home and vault have never had any. Throws BrokenIdentity. */
export function openIdentity(home: Home, vault: Vault, log: Logger): Identity {
  const known = read(home);
  if (known === null) make(home, vault, log);
  const { owner, relay } = read(home) ?? fail('identity.json could not be written');
  const ownerKey = required(vault, 'owner', owner);
  required(vault, 'relay', relay);
  return {
    owner: ownerKey.signer,
    async relaySecret() {
      return Buffer.from(required(vault, 'relay', relay).secret).toString('hex');
    },
  };
}

function make(home: Home, vault: Vault, log: Logger): void {
  const names = vault.names();
  // A first start that was cut short between the two keys and the record goes on where it stopped.
  const others = names.filter(name => name !== 'owner' && name !== 'relay');
  if (others.length > 0 && !names.includes('owner')) {
    fail('The vault holds keys of agents but no owner key, and identity.json is gone. Restore a backup.');
  }
  for (const name of ['owner', 'relay']) if (!names.includes(name)) vault.write(name, generateSecret());
  const pubkeyOf = (name: string) =>
    signerFrom(vault.read(name) ?? fail(`vault/${name}.sealed is gone`)).pubkey;
  const value = { version: 1, owner: pubkeyOf('owner'), relay: pubkeyOf('relay') };
  writeWhole(home.at('identity.json'), `${JSON.stringify(value, null, 2)}\n`);
  log.info(`owner ${value.owner} made`);
}

function required(
  vault: Vault,
  name: 'owner' | 'relay',
  pubkey: string,
): { secret: Uint8Array; signer: Signer } {
  const whose = name === 'owner' ? 'Your key' : "The relay's key";
  const secret =
    vault.read(name) ?? fail(`${whose} (${pubkey}) is no longer in the vault. Restore a backup.`);
  const signer = signerFrom(secret);
  if (signer.pubkey !== pubkey)
    fail(`${whose} in the vault is ${signer.pubkey}, but this home belongs to ${pubkey}.`);
  return { secret, signer };
}

function read(home: Home): z.infer<typeof record> | null {
  const file = home.at('identity.json');
  if (!existsSync(file)) return null;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    fail(`${file} cannot be read. Restore a backup; nothing was touched.`);
  }
  return (
    record.safeParse(value).data ?? fail(`${file} cannot be read. Restore a backup; nothing was touched.`)
  );
}

function fail(message: string): never {
  throw new BrokenIdentity(message);
}
