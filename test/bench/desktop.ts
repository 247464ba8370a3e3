// The desktop's own figures: how long until it is ready, and what it holds when nothing happens.

import { readFileSync, rmSync } from 'node:fs';
import { Desktop } from '../e2e/harness.ts';

type Print = (line: string) => void;

/** Prints time to ready on a fresh home and on one that has been used, and the memory of each process when idle. */
export async function benchDesktop(print: Print): Promise<void> {
  const first = await Desktop.start();
  const { home } = first;
  await first.stop();
  const again: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const started = await Desktop.start({ home });
    again.push(started.readyMs);
    if (round === 2) {
      for (const pid of [started.process.pid ?? 0, ...started.descendants()]) {
        print(`| memory of ${nameOf(pid)} | ${residentMb(pid)} MB | |`);
      }
    }
    await started.stop();
  }
  rmSync(home, { recursive: true, force: true });
  print(`| ready, fresh home | ${Math.round(first.readyMs)} ms | bar 2,000 ms |`);
  print(`| ready, used home (3 starts) | ${again.map(ms => Math.round(ms)).join(', ')} ms | bar 2,000 ms |`);
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

function nameOf(pid: number): string {
  const parts = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return (
    parts.find(part => /\.(ts|mjs)$/.test(part))?.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '') ??
    parts[0] ??
    String(pid)
  );
}
