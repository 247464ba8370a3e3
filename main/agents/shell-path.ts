// The PATH of the person's login shell. Started from a dock or a menu the program's own PATH lacks the folders of
// version managers (case H7); the shell is asked once, with a time limit (H8).

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { childEnvironment, MARK as MARKED } from '../supervise/child-environment.ts';
import { endTree } from '../supervise/end-tree.ts';
import { processTable } from '../supervise/process-table.ts';

const LIMIT_MS = 4_000;
const MAX_OUTPUT = 1024 * 1024;
const MARK = '__tiny_path__';

export type SearchPath = {
  /** Folders in the order they are searched, each once. */
  folders: string[];
  /** What was asked and what it answered, for the person. */
  notes: string[];
};

let asked: Promise<SearchPath> | null = null;

/** The folders where programs are looked for: login shell first, then our own PATH, then known ones. Asked once. */
export function searchPath(): Promise<SearchPath> {
  asked ??= readSearchPath();
  return asked;
}

/** Asks again next time: the person may have installed something. */
export function forgetSearchPath(): void {
  asked = null;
}

async function readSearchPath(): Promise<SearchPath> {
  const shell = process.platform === 'win32' ? null : (process.env.SHELL ?? userInfo().shell ?? '/bin/sh');
  const answer = shell === null ? null : await askShell(shell);
  const notes: string[] = [];
  if (shell !== null) {
    notes.push(
      answer === null
        ? `${shell} (login shell): no answer within ${LIMIT_MS / 1000} s`
        : `${shell} (login shell)`,
    );
  }
  const own = (process.env.PATH ?? '').split(delimiter);
  const all = [...(answer ?? '').split(delimiter), ...own, ...(await knownFolders())];
  return { folders: [...new Set(all.filter(folder => folder !== ''))], notes };
}

async function askShell(shell: string): Promise<string | null> {
  // Interactive as well as login: version managers write into either start file. Marks, because those files print.
  const script = `printf '%s' "${MARK}"; command env | command grep '^PATH='; printf '%s' "${MARK}"`;
  const mark = `path.${randomBytes(8).toString('hex')}.`;
  // A session of its own: there is no terminal to wait for.
  const child = spawn(shell, ['-ilc', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: childEnvironment(mark, { TINY_RESOLVING_PATH: '1' }),
  });
  const said = await new Promise<string>(resolve => {
    let text = '';
    const finish = () => {
      clearTimeout(timer);
      child.stdout.destroy();
      resolve(text);
    };
    const timer = setTimeout(finish, LIMIT_MS);
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (more: string) => {
      text = (text + more).slice(-MAX_OUTPUT);
      if (text.split(MARK).length > 2) finish();
    });
    child.on('error', finish);
    child.on('close', finish);
  });
  // A start file that hangs, or that left something running, ends with all it started.
  await endTree([], { table: processTable(), grace: 0, mark: { variable: MARKED, prefix: mark } });
  // A start file may fail and PATH still be told: only the marks count.
  const between = said.split(MARK)[1]?.split('\n') ?? [];
  return (
    between
      .find(line => line.startsWith('PATH='))
      ?.slice('PATH='.length)
      .trim() ?? null
  );
}

async function knownFolders(): Promise<string[]> {
  const home = homedir();
  const fixed = [
    '.local/bin',
    '.bun/bin',
    '.cargo/bin',
    '.deno/bin',
    '.volta/bin',
    '.npm-global/bin',
    '.opencode/bin',
    '.asdf/shims',
    '.local/share/mise/shims',
    '.local/share/pnpm',
    'Library/pnpm',
    'go/bin',
  ].map(folder => join(home, folder));
  const system =
    process.platform === 'win32' ? [] : ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin', '/bin'];
  const windows =
    process.platform === 'win32' && process.env.APPDATA ? [join(process.env.APPDATA, 'npm')] : [];
  return [...fixed, ...(await nvmFolders(home)), ...system, ...windows];
}

/** Every Node that nvm keeps, newest first. */
async function nvmFolders(home: string): Promise<string[]> {
  const versions = join(process.env.NVM_DIR ?? join(home, '.nvm'), 'versions', 'node');
  try {
    const names = await readdir(versions);
    names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    return names.map(name => join(versions, name, 'bin'));
  } catch {
    // No nvm here.
    return [];
  }
}
