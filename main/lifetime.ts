// The vault and, once it is open, the session: from the first look at the keychain to the last process gone. Whoever
// opens the vault (start, page, a keychain that answers late), the session begins once.

import type { Logger } from './logs.ts';
import { beginSession, type Session, type SessionParts } from './session.ts';
import { createKeychain } from './vault/keychain.ts';
import { openVault, type Vault } from './vault/vault.ts';

export type Lifetime = {
  vault(): Vault | null;
  session(): Session | null;
  /** Why the session could not begin although the vault is open. */
  problem(): string | null;
  /** Opens the vault as far as it opens, and begins when it does. Rejects for a vault of a newer version. */
  start(): Promise<void>;
  /** Resolves once the session of an open vault is up or has failed; at once while it is locked. */
  begun(): Promise<void>;
  /** Asks a keychain that was locked again. */
  retry(): void;
  stop(): Promise<void>;
};

export type LifetimeParts = Omit<SessionParts, 'vault'> & { passphrase: string | undefined; log: Logger };

export function createLifetime(parts: LifetimeParts): Lifetime {
  const { home, files, spawner, logs, log, changed } = parts;
  const keychain = createKeychain({ spawner, entry: files.keychain });
  let vault: Vault | null = null;
  let session: Session | null = null;
  let beginning: Promise<void> | null = null;
  let problem: string | null = null;
  let stopping = false;

  // Never rejects: what went wrong is in the app's state.
  async function begin(opened: Vault): Promise<void> {
    try {
      session = await beginSession({ ...parts, vault: opened });
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      log.error({ err: error }, 'the session could not begin');
    }
    changed();
  }

  function begun(): Promise<void> {
    if (vault?.state().state !== 'open' || stopping) return Promise.resolve();
    beginning ??= begin(vault);
    return beginning;
  }

  return {
    vault: () => vault,
    session: () => session,
    problem: () => problem,
    begun,
    async start() {
      vault = await openVault({
        home,
        keychain,
        log: logs.source('vault'),
        passphrase: parts.passphrase,
        onSecret: secret => logs.hide(secret),
      });
      vault.onChange(() => {
        changed();
        void begun();
      });
      changed();
      await begun();
    },
    retry() {
      if (vault?.state().state !== 'locked' || vault.state().backend === 'passphrase') return;
      vault.retryKeychain().catch(error => log.warn({ err: error }, 'the keychain could not be asked again'));
    },
    async stop() {
      stopping = true;
      await beginning;
      await session?.close();
      vault?.close();
      keychain.close();
    },
  };
}
