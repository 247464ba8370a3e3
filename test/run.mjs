// `npm test`: finds a browser, builds the dashboard, runs every test, and ends with one line of figures.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from './browser.mjs';

const top = join(import.meta.dirname, '..');
const node = process.execPath;
const scratch = mkdtempSync(join(tmpdir(), 'tiny-test-'));
const report = join(scratch, 'report.json');

function end(passed, failed, skipped, why) {
  rmSync(scratch, { recursive: true, force: true });
  if (why) console.error(why);
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}

let browser;
try {
  browser = await findBrowser();
} catch (error) {
  end(0, 1, 0, error.message);
}

const built = spawnSync(
  node,
  [join(top, 'node_modules/vite/bin/vite.js'), 'build', 'renderer', '--logLevel', 'warn'],
  {
    cwd: top,
    stdio: 'inherit',
  },
);
if (built.status !== 0) end(0, 1, 0, 'The dashboard did not build.');

const filters = process.argv.slice(2);
const tests = spawnSync(
  node,
  [
    join(top, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'test/vitest.config.ts',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...filters,
  ],
  { cwd: top, stdio: 'inherit', env: { ...process.env, TINY_TEST_BROWSER: browser } },
);

let figures;
try {
  figures = JSON.parse(readFileSync(report, 'utf8'));
} catch (error) {
  end(0, 1, 0, `The test runner left no report (exit ${tests.status ?? tests.signal}): ${error.message}`);
}
const failed =
  figures.numFailedTests +
  (figures.numFailedTestSuites > 0 && figures.numFailedTests === 0 ? figures.numFailedTestSuites : 0);
// A runner that died of something no test caught is a failure, whatever it counted.
end(figures.numPassedTests, failed > 0 ? failed : tests.status === 0 ? 0 : 1, figures.numPendingTests);
