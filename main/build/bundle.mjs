// `npm run build`, second half: everything that is not the dashboard as plain JavaScript under dist/, dependencies
// included, so that a package ships no sources and only the modules that cannot be bundled. Node and Electron load it.

import { rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export const root = join(fileURLToPath(import.meta.url), '..', '..', '..');
const dist = join(root, 'dist');

/** Modules that are started by their path: commands, processes, Electron's entry. */
const entries = [
  'main/cli',
  'main/main',
  'main/vault/keychain-process',
  'relay/cli',
  'relay/process',
  'runner/cli',
  'runner/connector/cli',
  'runner/demo/demo-agent',
];

/** Native or self-locating, so they stay modules of their own and ship under node_modules. */
export const external = ['better-sqlite3', 'keytar', 'tiny-secp256k1'];
const outside = [/^node:/, 'electron', 'vite', ...external, 'bufferutil', 'utf-8-validate'];

/**
 * `new URL('./worker.ts', import.meta.url)` names a module by its place among the sources. In a bundle the place is
 * another: the module is built as an entry and the address follows it.
 */
const ownFiles = {
  name: 'own-files',
  enforce: 'pre',
  transform(code, id) {
    if (id.includes('node_modules') || !code.includes('import.meta.url')) return null;
    const named = /new URL\(\s*'(\.[^']+)',\s*import\.meta\.url\s*\)/g;
    const next = code.replace(named, (_whole, path) => {
      const file = resolve(dirname(id), path);
      // What is no module (package.json) ships in its own place, one level above dist/.
      if (!file.endsWith('.ts')) return `new URL('own-file:../${relative(root, file)}', import.meta.url)`;
      const name = relative(root, file).replace(/\.ts$/, '.js');
      this.emitFile({ type: 'chunk', id: file, fileName: name });
      return `new URL('own-file:${name}', import.meta.url)`;
    });
    return next === code ? null : { code: next, map: null };
  },
  renderChunk(code, { fileName }) {
    const next = code.replace(/own-file:([\w./-]+)/g, (_whole, name) => {
      const path = relative(dirname(fileName), name);
      return path.startsWith('.') ? path : `./${path}`;
    });
    return next === code ? null : { code: next, map: null };
  },
};

export async function bundle() {
  for (const folder of ['main', 'relay', 'runner', 'chunks'])
    rmSync(join(dist, folder), { recursive: true, force: true });
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [ownFiles],
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: dist,
      emptyOutDir: false,
      target: 'node22',
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(entries.map(path => [path, join(root, `${path}.ts`)])),
        external: outside,
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  });
  // A sandboxed preload is one CommonJS file.
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      outDir: join(dist, 'main'),
      emptyOutDir: false,
      target: 'es2024',
      minify: false,
      lib: { entry: join(root, 'main/shell/preload.ts'), formats: ['cjs'], fileName: () => 'preload.cjs' },
      rolldownOptions: { external: ['electron'] },
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
