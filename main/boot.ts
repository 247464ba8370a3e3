// The boot list both shells share: one noun a line, closed in the reverse order. The window comes first; what may take
// its time (keychain, relay, probes) comes after it (case H8).

import { type App, createApp } from './app.ts';
import { type Bridge, createBridge } from './bridge.ts';
import type { AppState } from './contract/app.ts';
import type { PushName, PushValue } from './contract/features.ts';
import { createHealth } from './health.ts';
import type { Home } from './home.ts';
import { createLifetime, type Lifetime } from './lifetime.ts';
import { type Logger, type Logs, openLogs } from './logs.ts';
import { createNotices, type Notices } from './notices.ts';
import type { ProgramFiles } from './program-files.ts';
import { openSettings } from './settings.ts';
import type { Shell, ShellEvents } from './shell/shell.ts';
import { type Ledger, type Leftover, openLedger } from './supervise/ledger.ts';
import type { Spawner } from './supervise/spawner.ts';
import { usualPort } from './usual-port.ts';

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
  const leftovers = await endLeftovers(ledger, log);
  const relayPort = options.relayPort ?? (await usualPort(log));

  let shell: Shell | null = null;
  const theShell = () => shell ?? missing();
  const push = <N extends PushName>(name: N, value: PushValue<N>) => shell?.push(name, value);
  const bridge = createBridge({ log: logs.source('bridge'), absent: () => app.absent() });
  const notices = createNotices({
    shell: theShell,
    settings: () => settings.get(),
    push,
    bridge,
    log: logs.source('notices'),
  });
  const lifetime = createLifetime({
    ...{ home, files, spawner, settings, ledger, leftovers, bridge, notices, logs, log, relayPort, push },
    passphrase: options.passphrase,
    changed: () => show(app, lifetime, shell),
  });
  const app = createApp({ version: files.version, home: home.path, lifetime, settings, push });
  const health = earlyHealth({ home, ledger, leftovers, logs, vault: () => app.state().vault });
  bridge.add({
    app: app.handlers,
    settings: settings.handlers,
    notices: notices.handlers,
    health: health.handlers,
  });
  settings.onChange(value => push('settings.changed', value));
  logs.onLine(line => push('health.log', line));

  const events = eventsFor({ notices, bridge, lifetime, log, options });
  shell = await options.openShell({ bridge, events, logs, home });
  return {
    app,
    shell,
    begun: lifetime.start(),
    async stop() {
      await lifetime.stop();
      await theShell().close();
      unguard();
      logs.close();
    },
  };
}

function missing(): never {
  throw new Error('there is no shell yet');
}

function show(app: App, lifetime: Lifetime, shell: Shell | null): void {
  app.changed();
  const session = lifetime.session();
  if (!session) return;
  shell?.setTray(session.tray());
  shell?.setBadge(session.waiting());
}

async function endLeftovers(ledger: Ledger, log: Logger): Promise<Leftover[]> {
  const leftovers = await ledger.settle();
  for (const { what, pid, ended } of leftovers) {
    const fate = ended ? 'was ended' : 'could not be ended';
    log.warn(`${what} (process ${pid}) was left by an earlier start and ${fate}`);
  }
  return leftovers;
}

type EarlyParts = {
  home: Home;
  ledger: Ledger;
  leftovers: Leftover[];
  logs: Logs;
  vault(): AppState['vault'];
};

// Also while it is locked: why it is so has to be readable. The session brings the whole of it.
function earlyHealth({ home, ...parts }: EarlyParts) {
  const since = Date.now();
  return createHealth({
    ...parts,
    home: home.path,
    relay: { state: { state: 'stopped', since } },
    link: { state: { state: 'offline', since }, url: '' },
    agents: { list: () => [] },
  });
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

type Heard = { notices: Notices; bridge: Bridge; lifetime: Lifetime; log: Logger; options: BootOptions };

function eventsFor({ notices, bridge, lifetime, log, options }: Heard): ShellEvents {
  const lost = (error: unknown) => log.error({ err: error }, 'a press was lost');
  return {
    onDecision: (approval, decision, from) => void notices.pressed(approval, decision, from).catch(lost),
    onPageGone: page => notices.pageGone(page),
    onQuit: options.onQuit,
    onPower(event) {
      log.info(`the system says: ${event}`);
      // A keyring is often unlocked together with the screen.
      if (event === 'unlock' || event === 'resume') lifetime.retry();
    },
    onTrayCommand(command) {
      const name = command === 'pause-all' ? 'agents.pauseAll' : 'agents.resumeAll';
      bridge.call(name, {}, { page: 'tray' }).catch(lost);
    },
  };
}
