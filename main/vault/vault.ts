// The vault: every secret its own sealed file, one wrapping key in the system's keychain or sealed by a passphrase
// (design.md, "Keys"). Never plain text, and never a new key because an old one could not be read: sealed files
// without their wrapping key are locked or missing their key, and the two are told apart (cases F1 F3 F9 F60).

import { randomBytes } from '@noble/ciphers/utils.js';
import type { AppState } from '../contract/app.ts';
import type { Home } from '../home.ts';
import type { Logger } from '../logs.ts';
import type { Keychain, KeychainProblem, KeychainRead } from './keychain.ts';
import {
  opensSome,
  readSealed,
  removeSealed,
  sealedNames,
  vaultNamedBy,
  writeSealed,
} from './sealed-file.ts';
import {
  forKeychain,
  forPassphrase,
  isKeyOf,
  openWithPassphrase,
  readVaultFile,
  type VaultFile,
  writeVaultFile,
} from './vault-file.ts';

export type VaultState = AppState['vault'];

export type Vault = {
  state(): VaultState;
  onChange(listener: (state: VaultState) => void): () => void;
  /** 'opened'; 'wrong' when it is not the passphrase; 'not-by-passphrase' when the keychain holds the key. */
  unlock(passphrase: string): Promise<'opened' | 'wrong' | 'not-by-passphrase'>;
  /** Asks the keychain again. */
  retryKeychain(): Promise<VaultState>;
  /** One secret, or null when there is none of that name. Throws when the vault is not open or the file is damaged. */
  read(name: string): Uint8Array | null;
  write(name: string, secret: Uint8Array): void;
  remove(name: string): void;
  names(): string[];
  close(): void;
};

export type VaultOptions = {
  home: Home;
  keychain: Keychain;
  log: Logger;
  passphrase?: string | undefined;
  /** Told of every secret that leaves or enters, so that no log line carries it. */
  onSecret?: (secret: Uint8Array) => void;
};

/** Opens the vault as far as it can be opened now; what stands in the way is in its state. */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const vault = new OpeningVault(options);
  await vault.begin(options.passphrase);
  return vault;
}

class OpeningVault implements Vault {
  readonly #folder: string;
  readonly #keychain: Keychain;
  readonly #log: Logger;
  readonly #onSecret: (secret: Uint8Array) => void;
  readonly #listeners = new Set<(state: VaultState) => void>();
  #file: VaultFile | null = null;
  #key: Uint8Array | null = null;
  #state: VaultState = { state: 'locked', backend: 'none', backendName: '', fresh: false };

  constructor({ home, keychain, log, onSecret = () => {} }: VaultOptions) {
    this.#onSecret = onSecret;
    this.#folder = home.folder('vault');
    this.#keychain = keychain;
    this.#log = log;
  }

  async begin(passphrase?: string): Promise<void> {
    const file = readVaultFile(this.#folder);
    if (file === 'damaged' || (file === null && this.names().length > 0)) return this.#recover(file);
    if (file === null)
      return passphrase === undefined ? this.#makeInKeychain() : this.#makeByPassphrase(passphrase);
    this.#file = file;
    if (file.backend === 'keychain') return this.#openFromKeychain(file);
    if (passphrase === undefined) return this.#stay('locked', 'It opens with your passphrase.');
    if ((await this.unlock(passphrase)) === 'wrong') {
      this.#stay('locked', 'The passphrase given at the start does not open it.');
    }
  }

  state(): VaultState {
    return this.#state;
  }

  onChange(listener: (state: VaultState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async unlock(passphrase: string): Promise<'opened' | 'wrong' | 'not-by-passphrase'> {
    if (this.#key) return 'opened';
    if (this.#state.fresh) {
      await this.#makeByPassphrase(passphrase);
      return 'opened';
    }
    if (this.#file?.backend !== 'passphrase') return 'not-by-passphrase';
    const key = await openWithPassphrase(this.#file, passphrase);
    if (!key) return 'wrong';
    this.#open(this.#file, key);
    return 'opened';
  }

  async retryKeychain(): Promise<VaultState> {
    if (this.#key) return this.#state;
    // The library behind it remembers a keyring that is gone; a new process does not.
    this.#keychain.close();
    await this.begin();
    return this.#state;
  }

  read(name: string): Uint8Array | null {
    const { file, key } = this.#opened();
    const secret = readSealed(this.#folder, file.id, key, name);
    if (secret === 'unreadable')
      throw new Error(`vault/${name}.sealed is damaged or belongs to another vault`);
    if (secret === 'absent') return null;
    this.#onSecret(secret);
    return secret;
  }

  write(name: string, secret: Uint8Array): void {
    const { file, key } = this.#opened();
    this.#onSecret(secret);
    writeSealed(this.#folder, file.id, key, name, secret);
  }

  remove(name: string): void {
    removeSealed(this.#folder, name);
  }

  names(): string[] {
    return sealedNames(this.#folder);
  }

  close(): void {
    this.#key?.fill(0);
    this.#key = null;
    this.#keychain.close();
  }

  #opened(): { file: VaultFile; key: Uint8Array } {
    if (!this.#file || !this.#key) throw new Error('the vault is not open');
    return { file: this.#file, key: this.#key };
  }

  async #makeByPassphrase(passphrase: string): Promise<void> {
    const key = randomBytes(32);
    const file = await forPassphrase(newId(), key, passphrase);
    writeVaultFile(this.#folder, file);
    this.#open(file, key);
  }

  async #makeInKeychain(): Promise<void> {
    const key = randomBytes(32);
    const vault = newId();
    const value = Buffer.from(key).toString('base64');
    const written = await this.#keychain.write(vault, value, () => {
      // The person answered the keychain's question after all: now it will take a key without one.
      if (this.#state.fresh) void this.retryKeychain();
    });
    if (written.answer !== 'written') return this.#stay('locked', this.#tried(written), true);
    const back = await this.#keychain.read(vault);
    if (back.answer !== 'found' || back.value !== value) {
      const words =
        back.answer === 'found' || back.answer === 'no-item'
          ? 'it did not keep what it was given'
          : back.words;
      return this.#stay('locked', this.#tried({ answer: 'failed', words }), true);
    }
    await this.#keychain.write(spareOf(vault), value);
    const file = forKeychain(vault, key);
    writeVaultFile(this.#folder, file);
    this.#open(file, key);
  }

  async #openFromKeychain(file: VaultFile): Promise<void> {
    const late = (answer: KeychainRead) => {
      if (!this.#key && this.#file === file) this.#accept(file, answer);
    };
    let answer = await this.#keychain.read(file.id, late);
    if (answer.answer === 'no-item') {
      // A single deletion must not cost every key: the second item puts the first back.
      const spare = await this.#keychain.read(spareOf(file.id), late);
      if (spare.answer === 'found') await this.#keychain.write(file.id, spare.value);
      answer = spare;
    }
    this.#accept(file, answer);
  }

  #accept(file: VaultFile, answer: KeychainRead): void {
    if (answer.answer === 'no-item') {
      this.#stay('unusable', this.#missing());
      return;
    }
    if (answer.answer !== 'found') {
      this.#stay('locked', this.#tried(answer));
      return;
    }
    const key = Uint8Array.from(Buffer.from(answer.value, 'base64'));
    if (!isKeyOf(file, key)) {
      this.#stay('unusable', `The key in the ${this.#keychain.name} is not the one of this vault.`);
      return;
    }
    this.#open(file, key);
  }

  // vault.json is lost or damaged, the sealed files still name their vault: with a keychain that is enough.
  async #recover(found: 'damaged' | null): Promise<void> {
    const what = found === 'damaged' ? 'vault/vault.json is damaged' : 'vault/vault.json is gone';
    const vault = vaultNamedBy(this.#folder);
    if (!vault) return this.#stay('unusable', `${what}. Put it back from a backup; nothing was touched.`);
    const answer = await this.#keychain.read(vault);
    if (answer.answer !== 'found' && answer.answer !== 'no-item') {
      return this.#stay('locked', `${what}. ${this.#tried(answer)}`);
    }
    const key = answer.answer === 'found' ? Uint8Array.from(Buffer.from(answer.value, 'base64')) : null;
    if (!key || !opensSome(this.#folder, vault, key)) {
      return this.#stay('unusable', `${what}, and the keychain has no key for it. Nothing was touched.`);
    }
    const file = forKeychain(vault, key);
    writeVaultFile(this.#folder, file);
    this.#log.warn(`${what}; it was written anew from what the keychain and the sealed files say`);
    this.#open(file, key);
  }

  #tried(problem: KeychainProblem): string {
    return `Tried the ${this.#keychain.name}: ${problem.words}.`;
  }

  #missing(): string {
    return (
      `The ${this.#keychain.name} answers, but the vault's key is no longer in it. ` +
      'Your keys are still here, sealed; put the item back or restore a backup. No new key was made.'
    );
  }

  #open(file: VaultFile, key: Uint8Array): void {
    this.#file = file;
    this.#key = key;
    this.#set({ state: 'open', ...this.#backend(file), fresh: false });
  }

  #stay(state: 'locked' | 'unusable', problem: string, fresh = false): void {
    this.#log.warn(`vault ${state}: ${problem}`);
    this.#set({ state, ...this.#backend(this.#file), problem, fresh });
  }

  #backend(file: VaultFile | null): Pick<VaultState, 'backend' | 'backendName'> {
    if (!file) return { backend: 'none', backendName: 'none yet' };
    return {
      backend: file.backend,
      backendName: file.backend === 'keychain' ? this.#keychain.name : 'your passphrase',
    };
  }

  #set(state: VaultState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

function newId(): string {
  return Buffer.from(randomBytes(16)).toString('hex');
}

function spareOf(vault: string): string {
  return `${vault} (spare)`;
}
