// Which shell `npm start` gets: Electron when it can run here, else the browser with the reason in one line.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { DesktopOptions } from '../cli.ts';
import type { ProgramFiles } from '../program-files.ts';

export type ShellChoice =
  | { shell: 'electron'; binary: string; entry: string }
  | { shell: 'browser'; why?: string };

/** Time a first fetch of Electron's program may take. */
const fetchWithinMs = 180_000;

/** Chooses; throws when Electron was asked for by name and cannot be had. */
export async function chooseShell(
  wanted: DesktopOptions['shell'],
  files: ProgramFiles,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ShellChoice> {
  if (wanted === 'browser') return { shell: 'browser' };
  const found = await electronHere(files, env);
  if (typeof found !== 'string') return { shell: 'electron', ...found };
  if (wanted === 'electron') throw new Error(`--shell electron cannot be used: ${found}`);
  return { shell: 'browser', why: `Using the browser: ${found}.` };
}

async function electronHere(files: ProgramFiles, env: NodeJS.ProcessEnv) {
  const obstacle = obstacleHere(env);
  if (obstacle) return obstacle;
  const folder = packageFolder(files);
  if (!folder) return 'Electron is not installed';
  if (!binaryIn(folder)) {
    console.error('Fetching Electron, this once.');
    await runNode(join(folder, 'install.js'));
  }
  const binary = binaryIn(folder);
  if (!binary) return "Electron's program could not be fetched";
  const script = join(files.root, 'main', 'build', 'bundle.mjs');
  // Electron reads no TypeScript: in a checkout it gets a fresh bundle, which takes about a second.
  if (existsSync(script)) await runNode(script);
  const entry = join(files.root, 'dist', 'main', 'main.js');
  return existsSync(entry) ? { binary, entry } : 'its bundle could not be built (npm run build says why)';
}

function obstacleHere(env: NodeJS.ProcessEnv): string | null {
  if (process.platform !== 'linux') return null;
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return 'there is no display';
  // Chromium's sandbox does not run as root, and we do not run without it.
  return process.getuid?.() === 0 ? 'Electron does not run as root' : null;
}

function packageFolder(files: ProgramFiles): string | null {
  try {
    return dirname(createRequire(join(files.root, 'package.json')).resolve('electron/package.json'));
  } catch {
    // Left out by --omit=dev.
    return null;
  }
}

function binaryIn(folder: string): string | null {
  const pathFile = join(folder, 'path.txt');
  if (!existsSync(pathFile)) return null;
  const binary = join(folder, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(binary) ? binary : null;
}

/** Runs a script of ours or Electron's to its end; what came of it is seen in the files it leaves. */
function runNode(script: string): Promise<void> {
  return new Promise(done => {
    const child = spawn(process.execPath, [script], { stdio: 'ignore' });
    const timer = setTimeout(() => child.kill('SIGKILL'), fetchWithinMs);
    const over = () => {
      clearTimeout(timer);
      done();
    };
    child.once('error', over);
    child.once('exit', over);
  });
}

/**
 * Runs the program under Electron and answers its exit code. The passphrase goes over a pipe: the environment of a
 * process is there for others to read.
 */
export async function runElectron(
  { binary, entry }: Extract<ShellChoice, { shell: 'electron' }>,
  options: DesktopOptions,
  passphrase: string | undefined,
): Promise<number> {
  const { passphraseFile: _, ...rest } = options;
  const child = spawn(binary, [entry, `--tiny-options=${JSON.stringify(rest)}`], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  child.stdin?.end(JSON.stringify({ passphrase: passphrase ?? null }));
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  const code = await new Promise<number>((done, fail) => {
    child.once('error', fail);
    child.once('exit', (exit, signal) => done(exit ?? (signal === null ? 1 : 128)));
  });
  for (const signal of signals) process.off(signal, forward);
  return code;
}
