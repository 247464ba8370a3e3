// Where the program's own files are: sources in a checkout, bundles under dist/ in a package. The only place that
// knows the difference.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type ProgramFiles = {
  /** Folder of package.json. */
  root: string;
  version: string;
  /** The built dashboard. */
  dashboard: string;
  /** Modules that are started as processes of their own. */
  relay: string;
  runner: string;
  keychain: string;
  /** The agent that ships: an ACP program. */
  demoAgent: string;
};

/** Finds the program's files from this module's place, wherever a bundler put it. */
export function programFiles(): ProgramFiles {
  const root = rootFrom(import.meta.dirname);
  // Plain Node reads no archive: what others start lies beside it in a package.
  const beside = root.endsWith('.asar') ? join(dirname(root), 'program') : root;
  const source = existsSync(join(root, 'main', 'program-files.ts'));
  const module = (path: string, under = root) =>
    source ? join(under, `${path}.ts`) : join(under, 'dist', `${path}.js`);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return {
    root,
    version,
    dashboard: join(root, 'dist', 'renderer'),
    relay: module('relay/process'),
    runner: join(root, 'tiny.mjs'),
    keychain: module('main/vault/keychain-process'),
    demoAgent: module('runner/demo/demo-agent', beside),
  };
}

function rootFrom(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'package.json');
    // Bundles may carry a package.json of their own that only says "module".
    if (existsSync(file) && 'version' in (JSON.parse(readFileSync(file, 'utf8')) as object)) return at;
    if (dirname(at) === at) throw new Error(`no package.json above ${folder}`);
  }
}
