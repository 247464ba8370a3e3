// What nearly every test of main needs: a home that goes away, and a log that keeps what was said.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach } from 'vitest';
import { type Home, openHome } from '../../main/home.ts';
import type { Logger } from '../../main/logs.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function temporaryHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-main-'));
  folders.push(folder);
  return openHome(folder, {});
}

export function keptLog(): { log: Logger; said: string[] } {
  const said: string[] = [];
  return { said, log: pino({ level: 'debug' }, { write: (line: string) => void said.push(line) }) };
}
