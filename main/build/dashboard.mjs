// Builds the dashboard into dist/renderer when it is missing or older than its sources. Plain JavaScript: npm's
// `prepare` runs it on whatever Node is there.

import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(fileURLToPath(import.meta.url), '..', '..', '..');
const output = join(root, 'dist', 'renderer');
const sources = ['renderer', 'main/contract', 'relay/protocol', 'package-lock.json'];

/** 'fresh', 'stale' (a build is due), or 'no sources' (a package: what is there is all there is). */
export function dashboardState() {
  if (!existsSync(join(root, 'renderer', 'vite.config.ts'))) return 'no sources';
  const index = join(output, 'index.html');
  if (!existsSync(index)) return 'stale';
  const built = statSync(index).mtimeMs;
  return sources.some(path => newest(join(root, path)) > built) ? 'stale' : 'fresh';
}

/** True when vite is installed, which an install with --omit=dev leaves out. */
export function canBuild() {
  return existsSync(join(root, 'node_modules', 'vite', 'package.json'));
}

/**
 * Builds beside the old output and swaps the two, so that a dashboard being served never misses a file for longer
 * than a rename. Throws what vite throws.
 */
export async function buildDashboard() {
  const fresh = `${output}.${process.pid}`;
  const old = `${fresh}.old`;
  const { build } = await import('vite');
  try {
    await build({
      root: join(root, 'renderer'),
      configFile: join(root, 'renderer', 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: fresh, emptyOutDir: true },
    });
    if (existsSync(output)) renameSync(output, old);
    renameSync(fresh, output);
  } finally {
    rmSync(old, { recursive: true, force: true });
    rmSync(fresh, { recursive: true, force: true });
  }
}

function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  let latest = 0;
  for (const entry of readdirSync(path)) latest = Math.max(latest, newest(join(path, entry)));
  return latest;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildDashboard();
