// `npm run check`: format, lint, types and import rules, side by side; prints only what is wrong.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { breaches } from './layers.ts';

const top = join(import.meta.dirname, '..');
const bin = name => join(top, 'node_modules', '.bin', name + (process.platform === 'win32' ? '.cmd' : ''));

function run(name, command, args) {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd: top,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    child.stdout.on('data', chunk => (output += chunk));
    child.stderr.on('data', chunk => (output += chunk));
    child.on('error', error => resolve({ name, ok: false, output: String(error) }));
    child.on('close', code => resolve({ name, ok: code === 0, output }));
  });
}

const folders = readdirSync(top).filter(name => existsSync(join(top, name, 'tsconfig.json')));
const results = await Promise.all([
  run('format and lint', bin('biome'), ['ci', '--colors=off', '.']),
  ...folders.map(folder => run(`types of ${folder}`, bin('tsc'), ['-p', folder])),
  run('types of the service worker', bin('tsc'), ['-p', 'renderer/tsconfig.worker.json']),
]);
const crossed = breaches();
results.push({ name: 'import rules', ok: crossed.length === 0, output: crossed.join('\n') });

for (const { name, ok, output } of results) {
  if (!ok) console.error(`${name}:\n${output.trim()}\n`);
}
const failed = results.filter(({ ok }) => !ok);
console.log(
  failed.length === 0 ? 'check: all good' : `check: ${failed.map(({ name }) => name).join(', ')} failed`,
);
process.exit(failed.length === 0 ? 0 : 1);
