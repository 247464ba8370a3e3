// Everything that needs the owner's key: the relay, main's connection to it, and the features on top. Begins when the
// vault is open, ends in the reverse order.

import { openGrants } from './agents/grants.ts';
import type { Bridge } from './bridge.ts';
import type { AppState, Party } from './contract/app.ts';
import type { PushName, PushValue } from './contract/features.ts';
import type { Home } from './home.ts';
import { type Identity, openIdentity } from './identity.ts';
import { openLive } from './live.ts';
import type { Logs } from './logs.ts';
import type { Notices } from './notices.ts';
import { createPeople } from './people.ts';
import type { ProgramFiles } from './program-files.ts';
import { openRelayLink } from './relay-link.ts';
import { createRooms } from './rooms.ts';
import type { SettingsStore } from './settings.ts';
import type { Ledger } from './supervise/ledger.ts';
import { type RelayAddress, RelayProcess } from './supervise/relay-process.ts';
import type { Spawner } from './supervise/spawner.ts';
import type { Vault } from './vault/vault.ts';

export type SessionParts = {
  home: Home;
  files: ProgramFiles;
  vault: Vault;
  settings: SettingsStore;
  ledger: Ledger;
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
  waiting(): number;
  restartRelay(): Promise<void>;
  close(): Promise<void>;
};

/** Begins; resolves when the relay answers and the features are behind the bridge, or when the relay did not come up. */
export async function beginSession(parts: SessionParts): Promise<Session> {
  const identity = openIdentity(parts.home, parts.vault, parts.logs.source('identity'));
  let features: Features | null = null;
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
  const relay = relayOf(parts, identity, (state, address) => {
    if (state === 'running' && address) features ??= openFeatures(parts, identity, address);
    if (state !== 'starting') settle();
    parts.changed();
  });
  void relay.start();
  await settled;
  return {
    owner: identity.owner.pubkey,
    relay: () => ({ ...relay.state, url: relay.address?.url ?? null, http: relay.address?.http ?? null }),
    connection: () => features?.connection() ?? { state: 'offline', since: relay.state.since },
    people: () => features?.people() ?? [],
    waiting: () => features?.waiting() ?? 0,
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
    log: line => log[line.level](line.text),
  });
}

type Features = {
  connection(): AppState['connection'];
  people(): Party[];
  waiting(): number;
  close(): Promise<void>;
};

function openFeatures(parts: SessionParts, identity: Identity, address: RelayAddress): Features {
  const { bridge, settings, logs, push, changed } = parts;
  const log = logs.source('features');
  const failed = (error: unknown) => log.warn({ err: error }, 'a background step failed');
  const link = openRelayLink(address.url, identity.owner);
  link.onState(changed);
  const live = openLive(link);
  const grants = openGrants(link, live, failed);
  const people = createPeople({ link, live, grants, failed });
  people.onChange(list => push('app.people', list));
  const rooms = createRooms({
    link,
    live,
    push,
    failed,
    readTo: {
      get: room => settings.get().readTo[room] ?? 0,
      set: (room, to) => void settings.change({ readTo: { ...settings.get().readTo, [room]: to } }),
    },
  });
  bridge.add({ rooms: rooms.handlers });
  void rooms.ensureGeneral().catch(failed);
  return {
    connection: () => link.state,
    people: () => people.list(),
    waiting: () => 0,
    async close() {
      rooms.close();
      people.close();
      await link.close();
    },
  };
}
