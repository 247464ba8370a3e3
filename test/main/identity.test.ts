import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Home } from '../../main/home.ts';
import { BrokenIdentity, openIdentity } from '../../main/identity.ts';
import { programFiles } from '../../main/program-files.ts';
import { nodeSpawner } from '../../main/supervise/spawner.ts';
import { createKeychain } from '../../main/vault/keychain.ts';
import { openVault, type Vault } from '../../main/vault/vault.ts';
import { generateSecret } from '../../relay/client/signer.ts';
import { keptLog, temporaryHome } from './quiet.ts';

async function vaultOf(home: Home): Promise<Vault> {
  const keychain = createKeychain({ spawner: nodeSpawner(), entry: programFiles().keychain, env: {} });
  return openVault({ home, keychain, log: keptLog().log, passphrase: 'correct horse' });
}

test('the owner and the relay are made once and found again', async () => {
  const home = temporaryHome();
  const first = openIdentity(home, await vaultOf(home), keptLog().log);
  const again = openIdentity(home, await vaultOf(home), keptLog().log);
  expect(again.owner.pubkey).toBe(first.owner.pubkey);
  expect(await again.relaySecret()).toBe(await first.relaySecret());
  expect(await again.relaySecret()).not.toBe(first.owner.pubkey);
});

test.each(['owner', 'relay'])('F3 a missing %s key is said to be missing, and none is made', async name => {
  const home = temporaryHome();
  const vault = await vaultOf(home);
  openIdentity(home, vault, keptLog().log);
  rmSync(home.at('vault', `${name}.sealed`));
  expect(() => openIdentity(home, vault, keptLog().log)).toThrow(BrokenIdentity);
  expect(() => openIdentity(home, vault, keptLog().log)).toThrow('no longer in the vault');
  expect(vault.read(name)).toBeNull();
});

test('F3 a vault with agents but no owner gets no new owner', async () => {
  const home = temporaryHome();
  const vault = await vaultOf(home);
  vault.write('agent-one', generateSecret());
  expect(() => openIdentity(home, vault, keptLog().log)).toThrow('Restore a backup');
  expect(vault.names()).toEqual(['agent-one']);
});

test('F4 another key in the place of the owner is refused, and both are named', async () => {
  const home = temporaryHome();
  const vault = await vaultOf(home);
  const { owner } = openIdentity(home, vault, keptLog().log);
  vault.write('owner', generateSecret());
  expect(() => openIdentity(home, vault, keptLog().log)).toThrow(`belongs to ${owner.pubkey}`);
});

test('an unreadable identity.json is not written over', async () => {
  const home = temporaryHome();
  const vault = await vaultOf(home);
  openIdentity(home, vault, keptLog().log);
  writeFileSync(home.at('identity.json'), '{');
  expect(() => openIdentity(home, vault, keptLog().log)).toThrow('cannot be read');
});
