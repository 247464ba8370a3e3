// The machine's processes, read on demand: who is whose child, since when, and which carry our mark. A pid is
// never trusted alone: with its start time it names one process and not a later one with the same number.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

export type ProcessRow = {
  pid: number;
  parent: number;
  /** Session id; 0 where the system does not say. */
  session: number;
  /** Opaque start time: equal only for the same process, also across restarts of the machine. */
  start: string;
  /** Start in milliseconds since the epoch, as near as the system tells. */
  since: number;
  command: string;
  /** Resident bytes; undefined where unknown. */
  memory?: number;
  zombie?: boolean;
};

export type ProcessTable = {
  /** Every process of the machine that this user may see. */
  list(): Promise<ProcessRow[]>;
  /** One process, or null when it is gone. */
  one(pid: number): Promise<ProcessRow | null>;
  /** Of `rows`, those whose environment holds `variable` with a value that starts with `prefix`. */
  marked(rows: ProcessRow[], variable: string, prefix: string): Promise<ProcessRow[]>;
};

/** The table of this platform. */
export function processTable(): ProcessTable {
  if (process.platform === 'linux') return linuxTable();
  if (process.platform === 'win32') return windowsTable();
  return psTable();
}

// Linux counts ticks of 1/100 s on every architecture Node supports.
const TICK_MS = 10;
const PAGE = 4096;

function linuxTable(): ProcessTable {
  let boot: Promise<{ id: string; at: number }> | null = null;
  const bootOnce = () => {
    boot ??= readBoot();
    return boot;
  };
  const one = async (pid: number): Promise<ProcessRow | null> => {
    const { id, at } = await bootOnce();
    try {
      return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'), id, at);
    } catch {
      // The process ended between being listed and being read.
      return null;
    }
  };
  return {
    one,
    async list() {
      const names = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
      const rows = await Promise.all(names.map(name => one(Number(name))));
      return rows.filter(row => row !== null);
    },
    async marked(rows, variable, prefix) {
      const found = await Promise.all(
        rows.map(async row => {
          try {
            const environment = await readFile(`/proc/${row.pid}/environ`, 'utf8');
            return environment.split('\0').some(pair => pair.startsWith(`${variable}=${prefix}`));
          } catch {
            // Gone, or another user's: then it is not one of ours.
            return false;
          }
        }),
      );
      return rows.filter((_, index) => found[index]);
    },
  };
}

async function readBoot(): Promise<{ id: string; at: number }> {
  const id = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
  return { id, at: Date.now() - uptime * 1000 };
}

/** Parses /proc/PID/stat; the command may hold spaces and brackets, so fields count from the last bracket. */
function parseStat(text: string, boot: string, bootAt: number): ProcessRow | null {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < 0) return null;
  const rest = text.slice(close + 2).split(' ');
  const ticks = rest[19] ?? '0';
  return {
    pid: Number(text.slice(0, open)),
    parent: Number(rest[1]),
    session: Number(rest[3]),
    start: `${boot}:${ticks}`,
    since: Math.round(bootAt + Number(ticks) * TICK_MS),
    command: text.slice(open + 1, close),
    memory: Number(rest[21]) * PAGE,
    zombie: rest[0] === 'Z' || rest[0] === 'X',
  };
}

function psTable(): ProcessTable {
  const list = async () => {
    const text = await run('ps', ['-axo', 'pid=,ppid=,sess=,rss=,stat=,lstart=,comm=']);
    return text.split('\n').flatMap(line => parsePs(line) ?? []);
  };
  return {
    list,
    one: async pid => (await list()).find(row => row.pid === pid) ?? null,
    async marked(rows, variable, prefix) {
      // `ps e` appends the environment of one's own processes to the command.
      const text = await run('ps', ['-axeww', '-o', 'pid=,command=']);
      const pids = new Set<number>();
      for (const line of text.split('\n')) {
        if (line.includes(` ${variable}=${prefix}`)) pids.add(Number.parseInt(line, 10));
      }
      return rows.filter(row => pids.has(row.pid));
    },
  };
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S+)\s+(\w{3} \w{3}\s+\d+ [\d:]{8} \d{4})\s+(.*)$/;

function parsePs(line: string): ProcessRow | null {
  const match = PS_LINE.exec(line);
  if (!match) return null;
  const [, pid, parent, session, rss, stat, start, command] = match as unknown as string[];
  return {
    pid: Number(pid),
    parent: Number(parent),
    // macOS prints an address or 0 here; it is then of no use and left at 0.
    session: /^\d+$/.test(session!) ? Number(session) : 0,
    start: start!,
    since: Date.parse(start!) || 0,
    memory: Number(rss) * 1024,
    zombie: stat!.startsWith('Z'),
    command: command!,
  };
}

const WINDOWS_QUERY =
  'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId)|$($_.ParentProcessId)|' +
  '$($_.CreationDate.ToFileTimeUtc())|$($_.WorkingSetSize)|$($_.Name)" }';
// A FILETIME counts 100 ns from the year 1601.
const FILETIME_EPOCH_MS = 11_644_473_600_000;

function windowsTable(): ProcessTable {
  const list = async (): Promise<ProcessRow[]> => {
    const text = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', WINDOWS_QUERY]);
    return text.split(/\r?\n/).flatMap(line => {
      const [pid, parent, start, memory, ...name] = line.split('|');
      if (!pid || !/^\d+$/.test(pid)) return [];
      const since = Math.round(Number(start) / 10_000 - FILETIME_EPOCH_MS);
      const row = { pid: Number(pid), parent: Number(parent), session: 0, start: start ?? '', since };
      return [{ ...row, memory: Number(memory), command: name.join('|') }];
    });
  };
  return {
    list,
    one: async pid => (await list()).find(row => row.pid === pid) ?? null,
    // Windows does not show another process's environment; the tree by parents has to do.
    marked: async () => [],
  };
}

function run(command: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'utf8' as const, maxBuffer: 32 * 1024 * 1024, timeout: 10_000 };
    execFile(command, args, options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
}
