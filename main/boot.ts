// The boot list both shells share: one noun a line, closed in the reverse order. The window comes first; what may take
// its time (keychain, relay, probes) comes after it (case H8).

import { type App, createApp } from './app.ts';
import { type Bridge, createBridge } from './bridge.ts';
import type { PushName, PushValue } from './contract/features.ts';
import { createHealth } from './health.ts';
import type { Home } from './home.ts';
import { type Logger, type Logs, openLogs } from './logs.ts';
import { createNotices, type Notices } from './notices.ts';
import type { ProgramFiles } from './program-files.ts';
import { beginSession, type Session } from './session.ts';
import { openSettings } from './settings.ts';
import type { Shell, ShellEvents } from './shell/shell.ts';
import { openLedger } from './supervise/ledger.ts';
import type { Spawner } from './supervise/spawner.ts';
import { usualPort } from './usual-port.ts';
import { createKeychain } from './vault/keychain.ts';
import { openVault, type Vault } from './vault/vault.ts';

export type BootOptions = {
  home: Home;
  files: ProgramFiles;
  spawner: Spawner;
  relayPort: number | undefined;
  passphrase: string | undefined;
  /** Asked once, when there is something to show. */
  openShell(parts: { bridge: Bridge; events: ShellEvents; logs: Logs; home: Home }): Promise<Shell>;
  /** The person asked to quit from outside the page. */
  onQuit(): void;
  /** Something threw where nobody waited for it: it is in the log, and the program should stop in order. */
  onFault?(error: Error): void;
};

export type Program = {
  readonly app: App;
  readonly shell: Shell;
  /** Resolves when the first attempt at vault and relay is over, well or not. */
  readonly begun: Promise<void>;
  /** Stops taking work, settles what is open, closes; nothing of ours is left when it resolves. */
  stop(): Promise<void>;
};

/** Brings the program up as far as its window; `begun` says when the rest is there. */
export async function boot(options: BootOptions): Promise<Program> {
  const { home, files, spawner } = options;
  const logs = openLogs(home);
  const log = logs.source('main');
  const unguard = guard(log, options.onFault);
  const settings = openSettings(home, logs.source('settings'));
  const ledger = openLedger(home.path);
  const leftovers = await ledger.settle();
  for (const left of leftovers) {
    log.warn(
      `${left.what} (process ${left.pid}) was left by an earlier start and ${left.ended ? 'was ended' : 'could not be ended'}`,
    );
  }

  const relayPort = options.relayPort ?? (await usualPort(log));

  let shell: Shell | null = null;
  let vault: Vault | null = null;
  let session: Session | null = null;
  let beginning: Promise<void> | null = null;
  let problem: string | null = null;
  let stopping = false;

  const push = <N extends PushName>(name: N, value: PushValue<N>) => shell?.push(name, value);
  const bridge = createBridge({ log: logs.source('bridge'), absent: () => app.absent() });
  const notices: Notices = createNotices({
    shell: () => shell as Shell,
    settings: () => settings.get(),
    push,
    bridge,
    log: logs.source('notices'),
  });
  const app: App = createApp({
    version: files.version,
    home: home.path,
    vault: () => vault,
    session: () => session,
    problem: () => problem,
    begun: () => begin(),
    settings,
    push,
  });
  const keychain = createKeychain({ spawner, entry: files.keychain });
  const early = createHealth({
    home: home.path,
    relay: { state: { state: 'stopped', since: Date.now() } },
    link: { state: { state: 'offline', since: Date.now() }, url: '' },
    ledger,
    leftovers,
    agents: { list: () => [] },
    vault: () => app.state().vault,
    logs,
  });
  bridge.add({
    app: app.handlers,
    settings: settings.handlers,
    notices: notices.handlers,
    // Also while it is locked: why it is so has to be readable. The session brings the whole of it.
    health: early.handlers,
  });
  settings.onChange(value => push('settings.changed', value));
  logs.onLine(line => push('health.log', line));

  shell = await options.openShell({
    bridge,
    events: eventsFor({ notices, bridge, log, options, retry }),
    logs,
    home,
  });

  function retry(): void {
    if (vault?.state().state !== 'locked' || vault.state().backend === 'passphrase') return;
    vault.retryKeychain().catch(error => log.warn({ err: error }, 'the keychain could not be asked again'));
  }

  function changed(): void {
    app.changed();
    if (!session || stopping) return;
    shell?.setTray(session.tray());
    shell?.setBadge(session.waiting());
  }

  /** Once the vault is open, whoever opened it. Never rejects: what went wrong is in the app's state. */
  function begin(): Promise<void> {
    if (vault?.state().state !== 'open' || stopping) return Promise.resolve();
    beginning ??= beginSession({
      home,
      files,
      vault,
      settings,
      ledger,
      leftovers,
      spawner,
      bridge,
      notices,
      logs,
      relayPort,
      push,
      changed,
    }).then(
      begun => {
        session = begun;
        changed();
      },
      error => {
        problem = error instanceof Error ? error.message : String(error);
        log.error({ err: error }, 'the session could not begin');
        app.changed();
      },
    );
    return beginning;
  }

  const begun = (async () => {
    vault = await openVault({
      home,
      keychain,
      log: logs.source('vault'),
      passphrase: options.passphrase,
      onSecret: secret => logs.hide(secret),
    });
    vault.onChange(() => {
      app.changed();
      void begin();
    });
    app.changed();
    await begin();
  })();

  return {
    app,
    shell,
    begun,
    async stop() {
      stopping = true;
      await beginning;
      await session?.close();
      vault?.close();
      keychain.close();
      await shell?.close();
      unguard();
      logs.close();
    },
  };
}

// What has thrown may have left anything half done: going on would be a guess.
function guard(log: Logger, onFault: BootOptions['onFault']): () => void {
  if (!onFault) return () => {};
  const fault = (error: Error) => {
    log.fatal({ err: error }, 'something threw where nobody waited for it');
    onFault(error);
  };
  process.on('uncaughtException', fault);
  return () => process.off('uncaughtException', fault);
}

type Heard = { notices: Notices; bridge: Bridge; log: Logger; options: BootOptions; retry(): void };

function eventsFor({ notices, bridge, log, options, retry }: Heard): ShellEvents {
  const lost = (error: unknown) => log.error({ err: error }, 'a press was lost');
  return {
    onDecision: (approval, decision, from) => void notices.pressed(approval, decision, from).catch(lost),
    onPageGone: page => notices.pageGone(page),
    onQuit: options.onQuit,
    onPower(event) {
      log.info(`the system says: ${event}`);
      // A keyring is often unlocked together with the screen.
      if (event === 'unlock' || event === 'resume') retry();
    },
    onTrayCommand(command) {
      const name = command === 'pause-all' ? 'agents.pauseAll' : 'agents.resumeAll';
      bridge.call(name, {}, { page: 'tray' }).catch(lost);
    },
  };
}
