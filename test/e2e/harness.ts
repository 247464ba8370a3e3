// Starts the real program and a real browser for the end-to-end tests, and proves that nothing is left behind.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { browserArgs, findBrowser } from '../browser.mjs';

const top = resolve(import.meta.dirname, '../..');

export type Ready = { ready: true; dashboard: string; relay: string; owner: string };

/** A running `tiny desktop`, started the way a person's terminal would. */
export class Desktop {
  readonly home: string;
  readonly process: ChildProcess;
  readonly ready: Ready;
  readonly readyMs: number;
  readonly output: () => string;

  private constructor(
    home: string,
    child: ChildProcess,
    ready: Ready,
    readyMs: number,
    output: () => string,
  ) {
    this.home = home;
    this.process = child;
    this.ready = ready;
    this.readyMs = readyMs;
    this.output = output;
  }

  static async start(
    options: { home?: string; args?: string[]; env?: NodeJS.ProcessEnv } = {},
  ): Promise<Desktop> {
    const home = options.home ?? mkdtempSync(join(tmpdir(), 'tiny-e2e-'));
    const started = performance.now();
    const child = spawn(
      process.execPath,
      [
        join(top, 'tiny.mjs'),
        'desktop',
        '--json',
        '--no-open',
        '--shell',
        'browser',
        '--home',
        home,
        '--relay-port',
        '0',
        ...(options.args ?? []),
      ],
      {
        cwd: top,
        env: { ...process.env, TINY_VAULT_PASSPHRASE: 'correct horse battery', ...options.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    child.stderr.on('data', chunk => {
      output += chunk;
    });
    const ready = await new Promise<Ready>((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`not ready in 60 s:\n${output}`)), 60_000);
      createInterface({ input: child.stdout }).on('line', line => {
        output += `${line}\n`;
        if (!line.startsWith('{')) return;
        clearTimeout(timer);
        done(JSON.parse(line) as Ready);
      });
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        fail(new Error(`ended with ${code ?? signal} before it was ready:\n${output}`));
      });
    });
    return new Desktop(home, child, ready, performance.now() - started, () => output);
  }

  /** Sends the signal and waits for the end; answers the exit code, or the signal's name. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    if (this.process.exitCode !== null) return this.process.exitCode;
    const ended = new Promise<number | string>(done =>
      this.process.once('exit', (code, by) => done(code ?? by ?? 'unknown')),
    );
    this.process.kill(signal);
    return ended;
  }

  /** Stops it and takes its home away. */
  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  descendants(): number[] {
    return this.process.pid === undefined ? [] : descendantsOf(this.process.pid);
  }
}

type Row = { pid: number; parent: number };

function processTable(): Row[] {
  const rows: Row[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      rows.push({ pid: Number(name), parent: Number(parent) });
    } catch {
      // The process ended between the listing and the reading.
    }
  }
  return rows;
}

/** Every living descendant of a process (Linux). */
export function descendantsOf(pid: number): number[] {
  const rows = processTable();
  const found: number[] = [];
  const walk = (parent: number) => {
    for (const row of rows) {
      if (row.parent !== parent) continue;
      found.push(row.pid);
      walk(row.pid);
    }
  };
  walk(pid);
  return found;
}

/** Living processes whose argv or environment names this text, other than ourselves. */
export function processesNaming(text: string): number[] {
  const found: number[] = [];
  for (const { pid } of processTable()) {
    if (pid === process.pid) continue;
    for (const file of ['cmdline', 'environ']) {
      try {
        if (readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text)) found.push(pid);
      } catch {
        // Gone, or not ours to read.
      }
    }
  }
  return [...new Set(found)];
}

export function alive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
}

/** Waits until the check holds, asking again on each animation of the clock; for facts no event announces. */
export async function until(
  what: string,
  check: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    if (await check()) return;
    if (performance.now() > end) throw new Error(`still not so after ${withinMs} ms: ${what}`);
    await new Promise(done => setTimeout(done, 50));
  }
}

/** One browser for a test file; each page gets a context of its own with banners allowed. */
export class Chromium {
  private readonly browser: Browser;

  private constructor(browser: Browser) {
    this.browser = browser;
  }

  static async launch(): Promise<Chromium> {
    const executablePath = process.env.TINY_TEST_BROWSER ?? (await findBrowser());
    return new Chromium(await chromium.launch({ executablePath, args: browserArgs }));
  }

  async context(
    options: { banners?: boolean; colorScheme?: 'light' | 'dark'; width?: number } = {},
  ): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: { width: options.width ?? 1280, height: 860 },
      colorScheme: options.colorScheme ?? 'light',
    });
    if (options.banners !== false) await context.grantPermissions(['notifications']);
    context.setDefaultTimeout(15_000);
    return context;
  }

  /** Opens the dashboard with its token and waits for the frame. */
  async open(desktop: Desktop, context?: BrowserContext): Promise<Page> {
    const page = await (context ?? (await this.context())).newPage();
    await page.goto(desktop.ready.dashboard);
    return page;
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
