// Real families of processes for the supervision tests: a parent that ignores TERM, a child, and a grandchild in a
// session of its own whose parent is gone.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processTable } from '../../../main/supervise/process-table.ts';

const table = processTable();

const STUBBORN = "process.on('SIGTERM',()=>{});setInterval(()=>{},1e6);";
const LOST = `
const { spawn } = require('node:child_process');
const lost = spawn(process.execPath, ['-e', ${JSON.stringify(STUBBORN)}], { detached: true, stdio: 'ignore' });
lost.unref();
console.log(lost.pid);
`;

/** Script of the parent: prints `[its child, the lost grandchild]` once both run. */
export const FAMILY = `
const { spawn, execFileSync } = require('node:child_process');
${STUBBORN}
const child = spawn(process.execPath, ['-e', ${JSON.stringify(STUBBORN)}], { stdio: 'ignore' });
const lost = Number(execFileSync(process.execPath, ['-e', ${JSON.stringify(LOST)}]).toString());
console.log(JSON.stringify([child.pid, lost]));
`;

export type Family = { pid: number; descendants: number[]; all: number[] };

/** Starts the family with `env`; answers when all three run. */
export async function startFamily(env: Record<string, string> = {}): Promise<Family> {
  const parent = spawn(process.execPath, ['-e', FAMILY], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const descendants = JSON.parse(line.toString()) as number[];
  parent.unref();
  return { pid: parent.pid!, descendants, all: [parent.pid!, ...descendants] };
}

/** Of `pids`, those that still run. A zombie does not: in a container nobody may come to collect it. */
export async function living(pids: number[]): Promise<number[]> {
  const rows = await Promise.all(pids.map(pid => table.one(pid)));
  return rows.flatMap(row => (row === null || row.zombie ? [] : row.pid));
}

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), 'tiny-test-'));
}
