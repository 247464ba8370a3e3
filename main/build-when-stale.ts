// In a checkout the dashboard is built at the start when it is missing or older than its sources.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canBuild, dashboardState } from './build/dashboard.mjs';
import type { ProgramFiles } from './program-files.ts';

/** Builds in a process of its own, so that none of the bundler's memory stays. Throws when there is nothing to show. */
export async function buildWhenStale(files: ProgramFiles): Promise<void> {
  if (dashboardState() !== 'stale') return;
  const there = existsSync(join(files.dashboard, 'index.html'));
  if (!canBuild()) {
    if (there) return;
    throw new Error('the dashboard is not built and vite is not installed; run npm ci');
  }
  console.error('Building the dashboard, because its sources are newer.');
  const words = await build(files);
  if (words === null) return;
  if (!there) throw new Error(`the dashboard could not be built: ${words}`);
  console.error(`The dashboard could not be built, the earlier one is used: ${words}`);
}

/** Null when it went well, else the last line of what the bundler said. */
function build(files: ProgramFiles): Promise<string | null> {
  return new Promise(done => {
    const script = join(files.root, 'main', 'build', 'dashboard.mjs');
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', chunk => {
      said = (said + chunk).slice(-4000);
    });
    child.once('error', error => done(error.message));
    child.once('close', code => done(code === 0 ? null : lastLine(said)));
  });
}

function lastLine(text: string): string {
  const lines = text.split('\n').filter(line => line.trim() !== '' && !/^\s+at /.test(line));
  return (lines.find(line => /error/i.test(line)) ?? lines.at(-1) ?? 'no reason given').trim().slice(0, 300);
}
