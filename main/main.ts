// Electron's entry: the same boot list as desktop.ts with Electron's shell and utility processes.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { app, utilityProcess } from 'electron';
import { boot, type Program } from './boot.ts';
import type { DesktopOptions } from './cli.ts';
import { openHome, takeHome, writeRunning } from './home.ts';
import { programFiles } from './program-files.ts';
import { readyLine } from './ready-line.ts';
import { addressIn } from './shell/deep-link.ts';
import { prepareElectron, startElectronShell } from './shell/electron.ts';
import { type Fork, utilitySpawner } from './shell/utility-spawner.ts';
import { stopSignals } from './stop-signals.ts';

const options = optionsFrom(process.argv);
const files = programFiles();
const home = openHome(options.home, process.env);

if (prepareElectron(home)) await run();
else app.exit(0);

async function run(): Promise<void> {
  const lock = await takeHome(home);
  if ('pid' in lock) {
    // A start without Electron has this home: its dashboard is in the browser.
    console.log(`Tiny Desktop already runs here (process ${lock.pid})`);
    app.exit(0);
    return;
  }
  const stop = stopSignals();
  let program: Program | null = null;
  let code = 0;
  let forget = () => {};
  try {
    program = await boot({
      home,
      files,
      spawner: utilitySpawner(utilityProcess.fork.bind(utilityProcess) as unknown as Fork, shippedNode()),
      relayPort: options.relayPort,
      passphrase: await passphraseFromStdin(),
      openShell: ({ bridge, events, logs }) =>
        startElectronShell({
          bridge,
          events,
          log: logs.source('window'),
          home,
          dashboard: files.dashboard,
          assets: join(files.root, 'assets'),
          preload: join(files.root, 'dist', 'main', 'preload.cjs'),
        }),
      onQuit: stop.now,
      onFault() {
        code = 1;
        stop.now();
      },
    });
    forget = writeRunning(home, { pid: process.pid, dashboard: null });
    if (options.open) await program.shell.open(addressIn(process.argv));
    await Promise.race([program.begun, stop.asked]);
    if (options.json && !stop.isAsked()) console.log(JSON.stringify(readyLine(program)));
    await stop.asked;
  } catch (error) {
    console.error(`tiny desktop: ${error instanceof Error ? error.message : String(error)}`);
    code = 1;
  }
  await program?.stop();
  forget();
  lock.release();
  app.exit(code);
}

function optionsFrom(argv: string[]): DesktopOptions {
  const given = argv.find(word => word.startsWith('--tiny-options='))?.slice('--tiny-options='.length);
  const plain: DesktopOptions = { port: 0, open: true, json: false };
  return given === undefined ? plain : { ...plain, ...(JSON.parse(given) as DesktopOptions) };
}

/** `tiny desktop` hands the passphrase over on stdin; a start from the system's menu has none. */
async function passphraseFromStdin(): Promise<string | undefined> {
  if (!process.argv.some(word => word.startsWith('--tiny-options='))) return undefined;
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  const { passphrase } = JSON.parse(text) as { passphrase: string | null };
  return passphrase ?? undefined;
}

/** The Node binary that ships for what other programs start; in a checkout the one that npm installed. */
function shippedNode(): string {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const packed = join(process.resourcesPath ?? '', 'node', name);
  return existsSync(packed) ? packed : join(files.root, 'node_modules', 'node', 'bin', name);
}
