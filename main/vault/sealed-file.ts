// One secret, one file: XChaCha20-Poly1305 under the vault's wrapping key. The name and the vault are part of what is
// authenticated, so a file neither passes for another nor moves between vaults.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { concatBytes, randomBytes, utf8ToBytes } from '@noble/ciphers/utils.js';
import { z } from 'zod';
import { syncFolder, writeWhole } from '../home.ts';

const suffix = '.sealed';
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const sealedShape = z.object({
  version: z.literal(1),
  /** The vault whose key opens it. */
  vault: z.string().regex(/^[0-9a-f]{32}$/),
  name: z.string(),
  /** 24 random bytes, then the ciphertext with its tag. */
  box: base64,
});

/** Bytes sealed for one purpose under a 32-byte key, as base64. */
export function seal(key: Uint8Array, purpose: string, plain: Uint8Array): string {
  const nonce = randomBytes(24);
  const sealed = xchacha20poly1305(key, nonce, utf8ToBytes(purpose)).encrypt(plain);
  return Buffer.from(concatBytes(nonce, sealed)).toString('base64');
}

/** The bytes, or null when the key or the purpose is another, or the box was changed. */
export function unseal(key: Uint8Array, purpose: string, box: string): Uint8Array | null {
  const bytes = Uint8Array.from(Buffer.from(box, 'base64'));
  if (bytes.length < 24 + 16) return null;
  try {
    return xchacha20poly1305(key, bytes.subarray(0, 24), utf8ToBytes(purpose)).decrypt(bytes.subarray(24));
  } catch {
    // The cipher says only that the tag does not fit, whatever the cause.
    return null;
  }
}

/** Writes one secret; after a crash the file holds the old one or the new one. */
export function writeSealed(
  folder: string,
  vault: string,
  key: Uint8Array,
  name: string,
  secret: Uint8Array,
): void {
  const box = seal(key, purposeOf(vault, name), secret);
  writeWhole(pathOf(folder, name), `${JSON.stringify({ version: 1, vault, name, box })}\n`);
}

/** 'absent' when there is no such file, 'unreadable' when it is not one of this vault or is damaged. */
export function readSealed(
  folder: string,
  vault: string,
  key: Uint8Array,
  name: string,
): Uint8Array | 'absent' | 'unreadable' {
  const path = pathOf(folder, name);
  if (!existsSync(path)) return 'absent';
  const sealed = parse(path);
  if (!sealed || sealed.vault !== vault) return 'unreadable';
  return unseal(key, purposeOf(vault, name), sealed.box) ?? 'unreadable';
}

/** Takes one secret away for good. */
export function removeSealed(folder: string, name: string): void {
  rmSync(pathOf(folder, name), { force: true });
  syncFolder(folder);
}

/** Names of the secrets kept in the folder. */
export function sealedNames(folder: string): string[] {
  return readdirSync(folder)
    .filter(file => file.endsWith(suffix))
    .map(file => file.slice(0, -suffix.length))
    .sort();
}

/** The vault that the folder's files name, for when the vault's own description is lost; null without files. */
export function vaultNamedBy(folder: string): string | null {
  for (const name of sealedNames(folder)) {
    const sealed = parse(pathOf(folder, name));
    if (sealed) return sealed.vault;
  }
  return null;
}

/** True when the key opens at least one file of that vault. */
export function opensSome(folder: string, vault: string, key: Uint8Array): boolean {
  return sealedNames(folder).some(name => readSealed(folder, vault, key, name) instanceof Uint8Array);
}

function parse(path: string): z.infer<typeof sealedShape> | null {
  try {
    return sealedShape.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data ?? null;
  } catch {
    // Not JSON: a damaged file, which the caller reports by its name.
    return null;
  }
}

function purposeOf(vault: string, name: string): string {
  return `tiny-desktop vault ${vault} ${name}`;
}

// Names are ours (owner, relay, agent-<hex>), but a path is made of them.
function pathOf(folder: string, name: string): string {
  if (!/^[a-z0-9-]{1,100}$/.test(name)) throw new TypeError(`not a name of a secret: ${name}`);
  return join(folder, `${name}${suffix}`);
}
