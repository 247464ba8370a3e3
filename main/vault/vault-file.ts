// vault/vault.json: which vault this is and what holds its wrapping key. Holds no secret in the clear: with a
// passphrase the wrapping key lies in it sealed by scrypt and XChaCha20-Poly1305.

import { scrypt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes, utf8ToBytes } from '@noble/ciphers/utils.js';
import { z } from 'zod';
import { writeWhole } from '../home.ts';
import { seal, unseal } from './sealed-file.ts';

const id = z.string().regex(/^[0-9a-f]{32}$/);
const kdf = z.object({
  name: z.literal('scrypt'),
  salt: z.string().regex(/^[0-9a-f]{32}$/),
  // Bounded, because a file that asks for all memory must not stop the program.
  N: z.union([z.literal(2 ** 15), z.literal(2 ** 16), z.literal(2 ** 17), z.literal(2 ** 18)]),
  r: z.literal(8),
  p: z.literal(1),
});
const check = z.string();
export const vaultFile = z.discriminatedUnion('backend', [
  z.object({ version: z.literal(1), id, backend: z.literal('keychain'), check }),
  z.object({ version: z.literal(1), id, backend: z.literal('passphrase'), check, kdf, box: z.string() }),
]);
export type VaultFile = z.infer<typeof vaultFile>;

/** Thrown when vault.json was written by a newer program. The file has not been touched. */
export class NewerVault extends Error {}

/** The description, null when there is none, 'damaged' when it cannot be read. */
export function readVaultFile(folder: string): VaultFile | null | 'damaged' {
  const path = join(folder, 'vault.json');
  if (!existsSync(path)) return null;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Not JSON: said as such by the caller, and left as it is.
    return 'damaged';
  }
  const version =
    typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  if (typeof version === 'number' && version > 1) {
    throw new NewerVault(`${path} was made by a newer version of this program; nothing was touched`);
  }
  return vaultFile.safeParse(value).data ?? 'damaged';
}

export function writeVaultFile(folder: string, file: VaultFile): void {
  writeWhole(join(folder, 'vault.json'), `${JSON.stringify(file, null, 2)}\n`);
}

/** A description for a wrapping key that the keychain holds. */
export function forKeychain(vault: string, key: Uint8Array): VaultFile {
  return { version: 1, id: vault, backend: 'keychain', check: checkFor(vault, key) };
}

/** A description that holds the wrapping key sealed by a passphrase. Takes a good part of a second on purpose. */
export async function forPassphrase(vault: string, key: Uint8Array, passphrase: string): Promise<VaultFile> {
  const kdf = {
    name: 'scrypt',
    salt: Buffer.from(randomBytes(16)).toString('hex'),
    N: 2 ** 17,
    r: 8,
    p: 1,
  } as const;
  const box = seal(await stretch(passphrase, kdf), purpose(vault), key);
  return { version: 1, id: vault, backend: 'passphrase', check: checkFor(vault, key), kdf, box };
}

/** The wrapping key, or null when the passphrase is not the one. */
export async function openWithPassphrase(
  file: VaultFile & { backend: 'passphrase' },
  passphrase: string,
): Promise<Uint8Array | null> {
  const key = unseal(await stretch(passphrase, file.kdf), purpose(file.id), file.box);
  return key && isKeyOf(file, key) ? key : null;
}

/** True when this is the wrapping key of that vault. */
export function isKeyOf(file: VaultFile, key: Uint8Array): boolean {
  return key.length === 32 && unseal(key, `tiny-desktop vault check ${file.id}`, file.check) !== null;
}

function checkFor(vault: string, key: Uint8Array): string {
  return seal(key, `tiny-desktop vault check ${vault}`, utf8ToBytes(vault));
}

function purpose(vault: string): string {
  return `tiny-desktop vault wrapping key ${vault}`;
}

function stretch(passphrase: string, { salt, N, r, p }: z.infer<typeof kdf>): Promise<Uint8Array> {
  return new Promise((done, fail) => {
    const options = { N, r, p, maxmem: 256 * N * r };
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'hex'), 32, options, (error, bytes) =>
      error ? fail(error) : done(Uint8Array.from(bytes)),
    );
  });
}
