// Lays a package out under dist/package: `app` is what Electron loads, `program` is what plain Node runs (tiny,
// tinyagent, the demo agent), and `node` the Node binary those need. No source and no source map is in any of them.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { external, root } from './bundle.mjs';

export const stage = join(root, 'dist', 'package');

/** Lays everything out for a platform and an architecture. Answers what it could not lay out, in words. */
export function stagePackage({ platform = process.platform, arch = process.arch } = {}) {
  rmSync(stage, { recursive: true, force: true });
  const app = join(stage, 'app');
  const program = join(stage, 'program');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const target of [app, program]) {
    layOut(target, manifest);
    for (const name of shipped()) copyModule(name, target, { platform, arch });
  }
  cpSync(join(root, 'assets'), join(app, 'assets'), {
    recursive: true,
    filter: path => !path.endsWith('.svg'),
  });
  const problems = copyNode({ platform, arch });
  writeCommands(join(stage, 'bin'));
  return problems;
}

function layOut(target, { name, version, license, main, description, dependencies }) {
  for (const file of ['tiny.mjs', 'tinyagent.mjs', 'main/launch.mjs']) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(root, file), join(target, file));
  }
  for (const folder of ['chunks', 'main', 'relay', 'runner', 'renderer']) {
    const filter = path => !path.endsWith('.map');
    cpSync(join(root, 'dist', folder), join(target, 'dist', folder), { recursive: true, filter });
  }
  const kept = Object.fromEntries(external.map(each => [each, dependencies[each]]));
  const own = { name, version, description, license, main, type: 'module', dependencies: kept };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
}

/** Only needed to compile, which nothing of ours is. */
const compileOnly = new Set(['node-addon-api', 'prebuild-install', 'node-gyp-build']);

/** The modules that stay modules, with what they need themselves. */
function shipped() {
  const found = new Set();
  const add = name => {
    if (found.has(name)) return;
    found.add(name);
    const { dependencies = {} } = JSON.parse(
      readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'),
    );
    for (const each of Object.keys(dependencies)) if (!compileOnly.has(each)) add(each);
  };
  external.forEach(add);
  return [...found];
}

// Prebuilt binaries come for every platform in one folder; one of them is needed. Sources are not.
function copyModule(name, target, { platform, arch }) {
  const from = join(root, 'node_modules', name);
  const skipped = ['deps', 'src', 'build', 'script', 'binding.gyp', 'node_modules', 'test', 'docs'];
  cpSync(from, join(target, 'node_modules', name), {
    recursive: true,
    dereference: true,
    filter(path) {
      const inside = path.slice(from.length + 1);
      if (skipped.includes(inside) && !(inside === 'src' && name !== 'better-sqlite3' && name !== 'keytar'))
        return false;
      if (/\.(map|ts|md)$/.test(inside) && !/license/i.test(inside)) return false;
      const prebuilt = /^prebuilds\/([^/]+?)(\.node)?(\/|$)/.exec(inside)?.[1];
      return prebuilt === undefined || prebuilt === `${platform}-${arch}`;
    },
  });
}

function copyNode({ platform, arch }) {
  const name = platform === 'win32' ? 'node.exe' : 'node';
  const own = platform === process.platform && arch === process.arch;
  const candidates = [
    join(root, 'node_modules', `node-${platform === 'win32' ? 'win' : platform}-${arch}`, 'bin', name),
    ...(own ? [join(root, 'node_modules', 'node', 'bin', name)] : []),
  ];
  const found = candidates.find(path => existsSync(path));
  if (!found) return [`there is no Node binary for ${platform} ${arch} to ship (build on that system)`];
  mkdirSync(join(stage, 'node'), { recursive: true });
  cpSync(found, join(stage, 'node', name), { dereference: true });
  chmodSync(join(stage, 'node', name), 0o755);
  return [];
}

/** `tiny` and `tinyagent` as a terminal starts them after an installation. */
function writeCommands(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of ['tiny', 'tinyagent']) {
    const unix = `#!/bin/sh
# Starts ${name} on the Node that ships with Tiny Desktop.
self=$(readlink -f "$0" 2>/dev/null || echo "$0")
resources=$(dirname "$(dirname "$self")")
exec "$resources/node/node" "$resources/program/${name}.mjs" "$@"
`;
    writeFileSync(join(folder, name), unix, { mode: 0o755 });
    const windows = `@"%~dp0..\\node\\node.exe" "%~dp0..\\program\\${name}.mjs" %*\r\n`;
    writeFileSync(join(folder, `${name}.cmd`), windows);
  }
}

/** Files of a staged tree, relative to it. */
export function stagedFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
