// Everything that needs the owner's key: the relay's process and the features on top of it. Begins when the vault is
// open, ends in the reverse order.

import type { AgentKeys } from './agents/local-agent.ts';
import type { Bridge } from './bridge.ts';
import type { AppState, Party } from './contract/app.ts';
import type { PushName, PushValue } from './contract/features.ts';
import { type Features, openFeatures } from './features.ts';
import type { Home } from './home.ts';
import { type Identity, openIdentity } from './identity.ts';
import type { Logs } from './logs.ts';
import type { Notices } from './notices.ts';
import type { ProgramFiles } from './program-files.ts';
import type { SettingsStore } from './settings.ts';
import type { TrayModel } from './shell/shell.ts';
import type { Ledger, Leftover } from './supervise/ledger.ts';
import { type RelayAddress, RelayProcess } from './supervise/relay-process.ts';
import type { Spawner } from './supervise/spawner.ts';
import type { Vault } from './vault/vault.ts';

export type SessionParts = {
  home: Home;
  files: ProgramFiles;
  vault: Vault;
  settings: SettingsStore;
  ledger: Ledger;
  /** What an earlier start left running. */
  leftovers: Leftover[];
  spawner: Spawner;
  bridge: Bridge;
  notices: Notices;
  logs: Logs;
  relayPort: number;
  push<N extends PushName>(name: N, value: PushValue<N>): void;
  /** Something of the app's state changed. */
  changed(): void;
};

export type Session = {
  readonly owner: string;
  relay(): AppState['relay'];
  connection(): AppState['connection'];
  people(): Party[];
  /** Open approvals. */
  waiting(): number;
  tray(): TrayModel;
  restartRelay(): Promise<void>;
  close(): Promise<void>;
};

const idleTray: TrayModel = { state: 'idle', tooltip: 'The relay is starting', waiting: [], running: [] };

/** Begins; resolves when the relay answers and the features are open, or when the relay did not come up. */
export async function beginSession(parts: SessionParts): Promise<Session> {
  const { bridge, logs, changed } = parts;
  const identity = openIdentity(parts.home, parts.vault, logs.source('identity'));
  let features: Features | null = null;
  const { promise: settled, resolve: settle, reject: fail } = Promise.withResolvers<void>();
  const relay = relayOf(parts, identity, (state, address) => {
    try {
      if (state === 'running' && address) features ??= openAll(relay, address);
      if (state !== 'starting') settle();
    } catch (error) {
      fail(error);
    }
    changed();
  });

  function openAll(running: RelayProcess, address: RelayAddress): Features {
    const opened = openFeatures(featureParts(parts, identity, running, address));
    bridge.add(opened.handlers);
    opened
      .begin()
      .catch(error => logs.source('main').warn({ err: error }, 'not everything could be started'));
    return opened;
  }

  void relay.start();
  try {
    await settled;
  } catch (error) {
    await relay.stop();
    throw error;
  }
  return {
    owner: identity.owner.pubkey,
    relay: () => ({ ...relay.state, url: relay.address?.url ?? null, http: relay.address?.http ?? null }),
    connection: () => features?.connection() ?? { state: 'offline', since: relay.state.since },
    people: () => features?.people() ?? [],
    waiting: () => features?.waiting() ?? 0,
    tray: () => features?.tray() ?? idleTray,
    restartRelay: () => relay.restart(),
    async close() {
      await features?.close();
      await relay.stop();
    },
  };
}

function relayOf(
  { home, files, ledger, spawner, logs, relayPort }: SessionParts,
  identity: Identity,
  onState: (state: AppState['relay']['state'], address: RelayAddress | null) => void,
): RelayProcess {
  const log = logs.source('relay');
  return new RelayProcess({
    launch: {
      entry: files.relay,
      data: home.folder('relay'),
      port: relayPort,
      owner: identity.owner.pubkey,
      name: 'Tiny Desktop',
      selfSecret: identity.relaySecret,
    },
    ledger,
    spawner,
    onState: ({ state }, address) => onState(state, address),
    log({ level, text }) {
      const said = ownLine(text);
      log[said?.level ?? level](said?.text ?? text);
    },
  });
}

/** What the relay says in its own log's form, with the level it gave it; null for other output. */
function ownLine(line: string): { level: 'info' | 'warn' | 'error'; text: string } | null {
  if (!line.startsWith('{')) return null;
  try {
    const { level, msg, err } = JSON.parse(line) as {
      level?: number;
      msg?: string;
      err?: { message?: string };
    };
    if (typeof level !== 'number') return null;
    const text = [msg, err?.message].filter(Boolean).join(': ');
    return { level: level >= 50 ? 'error' : level >= 40 ? 'warn' : 'info', text };
  } catch {
    // Output of something else that begins with a brace.
    return null;
  }
}

function featureParts(parts: SessionParts, identity: Identity, relay: RelayProcess, { url }: RelayAddress) {
  const { home, files, vault, settings, ledger, leftovers, spawner, notices, logs, push, changed } = parts;
  return {
    home,
    owner: identity.owner,
    url,
    relay,
    keys: agentKeys(vault),
    runner: files.runner,
    demo: { command: spawner.node, args: [files.demoAgent] },
    readTo: {
      get: (room: string) => settings.get().readTo[room] ?? 0,
      set: (room: string, to: number) =>
        void settings.change({ readTo: { ...settings.get().readTo, [room]: to } }),
    },
    leftovers,
    vault: () => vault.state(),
    logs,
    push,
    notices,
    changed,
    agentAdded() {
      if (!settings.get().welcomeDone) settings.change({ welcomeDone: true });
    },
    ledger,
    spawner,
  };
}

function agentKeys(vault: Vault): AgentKeys {
  const name = (pubkey: string) => `agent-${pubkey}`;
  return {
    read: pubkey => vault.read(name(pubkey)),
    write: (pubkey, secret) => vault.write(name(pubkey), secret),
    remove: pubkey => vault.remove(name(pubkey)),
  };
}
