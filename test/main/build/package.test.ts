import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundle, root } from '../../../main/build/bundle.mjs';
import { archiveAddress, archiveProblem } from '../../../main/build/package.mjs';
import { stage, stagedFiles, stagePackage } from '../../../main/build/stage.mjs';
import { temporaryHome } from '../quiet.ts';

const run = promisify(execFile);
const need = createRequire(join(root, 'package.json'));

describe('what a package is made of', () => {
  beforeAll(async () => {
    await bundle();
    expect(stagePackage()).toEqual([]);
  });

  test('no source, no source map and no test ships', () => {
    for (const part of ['app', 'program']) {
      const files = stagedFiles(join(stage, part));
      expect(files.filter(file => /\.(ts|tsx|map)$|(^|\/)tests?\//.test(file))).toEqual([]);
      expect(files).toContain('dist/relay/verify/signature-worker.js');
      expect(files.filter(file => file.endsWith('.node'))).toHaveLength(2);
    }
    expect(stagedFiles(join(stage, 'app'))).toContain('dist/main/preload.cjs');
  });

  test('the preload is one file that needs nothing but electron', () => {
    const preload = readFileSync(join(stage, 'app/dist/main/preload.cjs'), 'utf8');
    expect([...preload.matchAll(/require\("([^"]+)"\)/g)].map(match => match[1])).toEqual(['electron']);
  });

  test.skipIf(process.platform === 'win32')(
    'its commands run on the Node that ships with it, and the desktop starts',
    async () => {
      const tiny = join(stage, 'bin', 'tiny');
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      const env = { PATH: '/usr/bin:/bin', TINY_VAULT_PASSPHRASE: 'correct horse battery' };
      expect((await run(tiny, ['--version'], { env })).stdout).toBe(`${version}\n`);
      expect((await run(join(stage, 'bin', 'tinyagent'), ['--help'], { env })).stdout).toContain('tinyagent');
      const home = temporaryHome();
      const args = [
        'desktop',
        '--json',
        '--no-open',
        '--shell',
        'browser',
        '--relay-port',
        '0',
        '--home',
        home.path,
      ];
      const child = execFile(tiny, args, { env });
      const [line] = (await once(child.stdout ?? expect.unreachable(), 'data')) as [string];
      expect(JSON.parse(line)).toMatchObject({ ready: true, relay: expect.stringMatching(/^ws:/) });
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    },
  );
});

test("F-61 electron-builder's own schema accepts the configuration, and the fuses are set", async () => {
  const { load } = need('js-yaml');
  const { DebugLogger } = need('builder-util');
  const { validateConfiguration } = need('app-builder-lib/out/util/config/config.js');
  const config = load(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));
  await validateConfiguration(config, new DebugLogger(false));
  expect(config.electronFuses).toMatchInlineSnapshot(`
    {
      "enableCookieEncryption": true,
      "enableEmbeddedAsarIntegrityValidation": true,
      "enableNodeCliInspectArguments": false,
      "enableNodeOptionsEnvironmentVariable": false,
      "grantFileProtocolExtraPrivileges": false,
      "loadBrowserProcessSpecificV8Snapshot": false,
      "onlyLoadAppFromAsar": true,
      "runAsNode": false,
    }
  `);
  await expect(validateConfiguration({ ...config, nonsense: true }, new DebugLogger(false))).rejects.toThrow(
    'nonsense',
  );
});

test('the icons are there for every state of the tray', () => {
  for (const name of [
    'icon',
    ...['idle', 'working', 'waiting', 'problem'].flatMap(state => [`tray-${state}`, `tray-${state}Template`]),
  ]) {
    expect(statSync(join(root, 'assets', `${name}.png`)).size).toBeGreaterThan(100);
  }
});

test("packaging says at once when Electron's archive cannot be had", async () => {
  const server = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = archiveAddress(
    '45.0.0',
    { ELECTRON_MIRROR: `http://127.0.0.1:${port}/` },
    { platform: 'linux', arch: 'x64' },
  );
  expect(address).toBe(`http://127.0.0.1:${port}/v45.0.0/electron-v45.0.0-linux-x64.zip`);
  expect(await archiveProblem(address)).toBe(`${address} answers 404`);
  server.close();
  await once(server, 'close');
  expect(await archiveProblem(address)).toContain('cannot be reached');
});
