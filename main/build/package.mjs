// `npm run package`: dashboard, bundles, layout, then electron-builder. Says at once and plainly when Electron's archive
// cannot be had, rather than after minutes of work.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, root } from './bundle.mjs';
import { buildDashboard } from './dashboard.mjs';
import { stagePackage } from './stage.mjs';

/** Where electron-builder will fetch Electron from. */
export function archiveAddress(
  version,
  env = process.env,
  { platform = process.platform, arch = process.arch } = {},
) {
  const mirror = env.ELECTRON_MIRROR ?? 'https://github.com/electron/electron/releases/download/';
  return `${mirror}v${version}/electron-v${version}-${platform}-${arch}.zip`;
}

/** Null when the archive can be had, else why not. `ask` is fetch. */
export async function archiveProblem(address, ask = fetch) {
  try {
    const response = await ask(address, {
      method: 'HEAD',
      redirect: 'follow',
      signal: AbortSignal.timeout(15_000),
    });
    return response.ok ? null : `${address} answers ${response.status}`;
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return `${address} cannot be reached: ${cause}`;
  }
}

async function main() {
  const { version } = JSON.parse(
    readFileSync(join(root, 'node_modules', 'electron', 'package.json'), 'utf8'),
  );
  // A folder with Electron unpacked is as good as the archive.
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  const problem = folder
    ? existsSync(folder)
      ? null
      : `ELECTRON_OVERRIDE_DIST_PATH names ${folder}, which is not there`
    : await archiveProblem(archiveAddress(version));
  if (problem) return `Electron cannot be had, so there is nothing to package: ${problem}`;
  await buildDashboard();
  await bundle();
  const [missing] = stagePackage();
  if (missing) return missing;
  const { build } = await import('electron-builder');
  await build({
    projectDir: root,
    config: {
      extends: join(root, 'electron-builder.yml'),
      electronVersion: version,
      ...(folder ? { electronDist: folder } : {}),
    },
  });
  return null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problem = await main();
  if (problem) {
    console.error(problem);
    process.exitCode = 1;
  }
}
