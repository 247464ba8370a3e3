// Hands an address or a folder to the system: the default browser, the file manager. Only what we made ourselves is
// handed on, and never through a command line that a shell would read.

import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '../logs.ts';

type Opener = { command: string; args: string[] };

/** Opens a dashboard address in the default browser; false when the system has no way to. */
export function openInBrowser(address: string, log: Pick<Logger, 'warn'>): Promise<boolean> {
  return open(address, log);
}

/** Shows a file's folder, or the folder itself. */
export function revealPath(path: string, log: Pick<Logger, 'warn'>): Promise<boolean> {
  const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
  return open(folder, log);
}

async function open(what: string, log: Pick<Logger, 'warn'>): Promise<boolean> {
  for (const { command, args } of openers(what)) {
    if (await started(command, args)) return true;
  }
  log.warn('nothing on this system opens a browser or a folder');
  return false;
}

function openers(what: string): Opener[] {
  if (process.platform === 'darwin') return [{ command: 'open', args: [what] }];
  if (process.platform === 'win32') {
    return [{ command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', what] }];
  }
  return [
    { command: 'xdg-open', args: [what] },
    { command: 'wslview', args: [what] },
    { command: 'gio', args: ['open', what] },
  ];
}

// Started is enough: the opener may live as long as the browser does, so it is let go of.
function started(command: string, args: string[]): Promise<boolean> {
  return new Promise(done => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true, windowsHide: true });
    child.once('spawn', () => {
      child.unref();
      done(true);
    });
    child.once('error', () => done(false));
  });
}
