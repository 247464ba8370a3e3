// `tiny desktop` on plain Node: chooses the shell, takes the home for itself, boots, says the ready line, and stops in
// order (design.md, "Commands").

import { readFileSync } from 'node:fs';
import { boot, type Program } from './boot.ts';
import { buildWhenStale } from './build-when-stale.ts';
import type { DesktopOptions } from './cli.ts';
import { openHome, type Running, takeHome, writeRunning } from './home.ts';
import { programFiles } from './program-files.ts';
import { readyLine } from './ready-line.ts';
import { startBrowserShell } from './shell/browser.ts';
import { chooseShell, runElectron } from './shell/choose.ts';
import { openInBrowser } from './shell/open-outside.ts';
import { stopSignals } from './stop-signals.ts';
import { nodeSpawner } from './supervise/spawner.ts';

/** Runs until it is told to stop; answers the exit code. */
export async function runDesktop(options: DesktopOptions): Promise<number> {
  const passphrase = passphraseFrom(options, process.env);
  const files = programFiles();
  const choice = await chooseShell(options.shell, files);
  if (choice.shell === 'electron') return runElectron(choice, options, passphrase);
  if (choice.why) console.error(choice.why);

  const home = openHome(options.home, process.env);
  const lock = await takeHome(home);
  if ('pid' in lock) return showRunning(lock, options);
  const stop = stopSignals();
  let forget = () => {};
  let program: Program | null = null;
  let code = 0;
  try {
    await buildWhenStale(files);
    program = await boot({
      home,
      files,
      spawner: nodeSpawner(),
      relayPort: options.relayPort,
      passphrase,
      openShell: ({ bridge, events, logs }) =>
        startBrowserShell({
          bridge,
          events,
          log: logs.source('dashboard'),
          folder: files.dashboard,
          port: options.port,
        }),
      onQuit: stop.now,
      onFault(error) {
        console.error(`tiny desktop: ${error.message}`);
        code = 1;
        stop.now();
      },
    });
    forget = writeRunning(home, { pid: process.pid, dashboard: program.shell.dashboard });
    if (options.open) await program.shell.open();
    await Promise.race([program.begun, stop.asked]);
    if (!stop.isAsked()) sayReady(program, options.json);
    await stop.asked;
  } finally {
    await program?.stop();
    forget();
    lock.release();
    stop.done();
  }
  return code;
}

function sayReady(program: Program, json: boolean): void {
  const line = readyLine(program);
  if (json) {
    console.log(JSON.stringify(line));
    return;
  }
  console.log(`Tiny Desktop is ready: ${line.dashboard}`);
  if (line.problem) console.log(`${line.locked ? 'Your keys are locked. ' : ''}${line.problem}`);
  else console.log(`Relay: ${line.relay}   Owner: ${line.owner}`);
}

// Somebody has this home already: their dashboard is opened instead (case F-06).
async function showRunning({ pid, dashboard }: Running, options: DesktopOptions): Promise<number> {
  if (options.json) console.log(JSON.stringify({ running: true, pid, dashboard }));
  else
    console.log(
      `Tiny Desktop already runs here (process ${pid}): ${dashboard ?? 'its window was brought forward'}`,
    );
  if (options.open && dashboard) await openInBrowser(dashboard, { warn: console.error });
  return 0;
}

/** From the file or the variable; the variable is gone from the environment before anything is started. */
function passphraseFrom(options: DesktopOptions, env: NodeJS.ProcessEnv): string | undefined {
  const given = env.TINY_VAULT_PASSPHRASE;
  delete env.TINY_VAULT_PASSPHRASE;
  if (options.passphraseFile === undefined) return given || undefined;
  const text = readFileSync(options.passphraseFile, 'utf8').replace(/\r?\n$/, '');
  if (text === '') throw new Error(`--passphrase-file ${options.passphraseFile} is empty`);
  return text;
}
