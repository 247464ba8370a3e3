// The browser the end-to-end tests drive: an installed one, else Playwright's, else Debian's, else a plain word on
// what to install.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge'];
const known = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

function installed() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const name of names)
    for (const folder of folders) if (folder && existsSync(join(folder, name))) return join(folder, name);
  return known.find(path => existsSync(path)) ?? null;
}

/** Path of a Chromium-like browser; throws with what to install when none can be had. */
export async function findBrowser() {
  if (process.env.TINY_TEST_BROWSER) return process.env.TINY_TEST_BROWSER;
  const found = installed();
  if (found) return found;
  const { chromium } = await import('playwright');
  if (existsSync(chromium.executablePath())) return chromium.executablePath();
  console.error('No browser found; trying Playwright’s.');
  spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../node_modules/playwright/cli.js'), 'install', 'chromium'],
    {
      stdio: 'ignore',
      timeout: 120_000,
    },
  );
  if (existsSync(chromium.executablePath())) return chromium.executablePath();
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.error('Playwright’s cannot be had here; trying Debian’s.');
    try {
      execFileSync('apt-get', ['update'], { stdio: 'ignore' });
      execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], {
        stdio: 'ignore',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    } catch (error) {
      console.error(`apt-get could not install chromium: ${error.message}`);
    }
    const debian = installed();
    if (debian) return debian;
  }
  throw new Error(
    'The tests drive a real browser: install Chromium or Chrome, or set TINY_TEST_BROWSER to its path.',
  );
}

export const browserArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
