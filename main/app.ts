// The program as a whole for the dashboard: is it up, is it locked, whose is it, what waits.

import { npubEncode } from 'nostr-tools/nip19';
import { CallFailure } from './bridge.ts';
import type { AppState } from './contract/app.ts';
import type { Failure } from './contract/contract.ts';
import type { Handlers, PushName, PushValue } from './contract/features.ts';
import type { Lifetime } from './lifetime.ts';
import type { SettingsStore } from './settings.ts';

export type App = {
  handlers: Handlers<'app'>;
  state(): AppState;
  /** Something the state is made of changed: the pages are told. */
  changed(): void;
  /** Why a feature cannot be called now. */
  absent(): Failure;
};

export type AppParts = {
  version: string;
  home: string;
  lifetime: Pick<Lifetime, 'vault' | 'session' | 'problem' | 'begun'>;
  settings: SettingsStore;
  push<N extends PushName>(name: N, value: PushValue<N>): void;
};

export function createApp(parts: AppParts): App {
  const { version, home, settings, push, lifetime } = parts;
  const startedAt = Date.now();
  let last = '';

  function state(): AppState {
    const session = lifetime.session();
    const { problem: broken, ...vault } = lifetime.vault()?.state() ?? opening;
    const problem = lifetime.problem() ?? broken;
    return {
      version,
      home,
      vault: { ...vault, ...(problem === undefined ? {} : { problem }) },
      relay: session?.relay() ?? { state: 'stopped', since: startedAt, url: null, http: null },
      connection: session?.connection() ?? { state: 'offline', since: startedAt },
      owner: session ? { pubkey: session.owner, npub: npubEncode(session.owner) } : null,
      waiting: session?.waiting() ?? 0,
      welcome: !settings.get().welcomeDone,
    };
  }

  function changed(): void {
    const now = state();
    const text = JSON.stringify(now);
    if (text === last) return;
    last = text;
    push('app.state', now);
  }
  settings.onChange(changed);

  return {
    state,
    changed,
    absent() {
      const { vault, relay } = state();
      if (lifetime.session()) {
        const down = relay.state === 'backing-off' || relay.state === 'suspended';
        const message = down
          ? 'The relay does not run. It can be started again under Health.'
          : 'The relay is starting.';
        return {
          kind: 'unavailable',
          message,
          ...(relay.reason === undefined ? {} : { details: relay.reason }),
        };
      }
      if (vault.state === 'open') {
        return { kind: 'unavailable', message: vault.problem ?? 'The program is starting.' };
      }
      return { kind: 'locked', message: vault.problem ?? 'Your keys are locked.' };
    },
    handlers: {
      state,
      people: () => lifetime.session()?.people() ?? [],
      async unlock({ passphrase }) {
        const answer = await lifetime.vault()?.unlock(passphrase);
        if (answer === 'wrong') throw new CallFailure('refused', 'That is not the passphrase of these keys.');
        if (answer !== 'opened') {
          throw new CallFailure('unavailable', 'A passphrase does not open these keys: the keychain does.');
        }
        await lifetime.begun();
        return state();
      },
      async retryKeychain() {
        await lifetime.vault()?.retryKeychain();
        await lifetime.begun();
        return state();
      },
      skipWelcome() {
        settings.change({ welcomeDone: true });
        return state();
      },
      async restartRelay() {
        const session = lifetime.session();
        if (!session) throw new CallFailure('locked', 'Your keys are locked: the relay is not running.');
        await session.restartRelay();
        return state();
      },
    },
  };
}

const opening: AppState['vault'] = {
  state: 'locked',
  backend: 'none',
  backendName: 'none yet',
  problem: 'The keys are being opened.',
  fresh: false,
};
