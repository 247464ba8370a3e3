// Who may import whom (docs/architecture.md). Reads the import statements of every source file.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const top = resolve(import.meta.dirname, '..');

/** First rule whose `from` matches decides which of our own folders a file may import. */
const rules: { from: RegExp; may: RegExp }[] = [
  { from: /^relay\/protocol\//, may: /^relay\/protocol\// },
  { from: /^relay\/client\//, may: /^relay\/(client|protocol)\// },
  { from: /^relay\//, may: /^relay\// },
  { from: /^runner\//, may: /^(runner\/|relay\/(protocol|client)\/)/ },
  { from: /^main\/contract\//, may: /^(main\/contract\/|relay\/protocol\/)/ },
  { from: /^main\//, may: /^(main\/|relay\/(protocol|client)\/)/ },
  { from: /^renderer\//, may: /^(renderer\/|main\/contract\/|relay\/protocol\/)/ },
];

const electronUsers = new Set(['main/shell/electron.ts', 'main/main.ts', 'main/shell/preload.ts']);
const importing =
  /(?:^|\n)\s*(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.(ts|tsx|mts|mjs)$/.test(entry.name)) yield path;
  }
}

/** Every breach of the import rules, as `file imports what`. */
export function breaches(): string[] {
  const found: string[] = [];
  for (const folder of ['relay', 'runner', 'main', 'renderer']) {
    for (const path of sources(join(top, folder))) {
      const file = relative(top, path).split(sep).join('/');
      for (const match of readFileSync(path, 'utf8').matchAll(importing)) {
        const target = match[1] ?? match[2] ?? '';
        const fault = faultOf(file, target);
        if (fault) found.push(`${file} imports ${target}: ${fault}`);
      }
    }
  }
  return found;
}

function faultOf(file: string, target: string): string | null {
  if (target === 'electron' || target.startsWith('electron/')) {
    return electronUsers.has(file) ? null : 'only the Electron shell may import electron';
  }
  if (file.startsWith('relay/protocol/') && target.startsWith('node:')) return 'the protocol knows no Node';
  if (file.startsWith('main/contract/') && target.startsWith('node:')) return 'the contract knows no Node';
  if (file.startsWith('renderer/') && target.startsWith('node:') && file !== 'renderer/vite.config.ts') {
    return 'the dashboard knows no Node';
  }
  if (!target.startsWith('.')) return null;
  // The version is told by package.json alone.
  if (/^(\.\.\/)+package\.json$/.test(target)) return null;
  const own = relative(top, resolve(top, dirname(file), target))
    .split(sep)
    .join('/');
  const rule = rules.find(({ from }) => from.test(file));
  return rule && !rule.may.test(own) ? 'outside what this folder may import' : null;
}
