// The published MCP conformance suite against /mcp, through a proxy that signs. It runs when the suite is installed: as
// a development dependency, or in the folder TINY_MCP_CONFORMANCE names.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Edge } from '../http/edge.ts';
import { GAPS } from './conformance-gaps.ts';
import { type SigningProxy, startSigningProxy } from './signing-proxy.ts';

const run = promisify(execFile);
const PACKAGE = 'node_modules/@modelcontextprotocol/conformance';
const roots = [process.env.TINY_MCP_CONFORMANCE, join(import.meta.dirname, '../../..')];
const suite = roots
  .filter(root => root !== undefined)
  .map(root => join(root, PACKAGE))
  .find(existsSync);

type Check = { id: string; status: string; errorMessage?: string };

describe.skipIf(suite === undefined)('the published conformance suite', () => {
  let edge: Edge;
  let proxy: SigningProxy;
  let output: string;
  beforeAll(async () => {
    edge = await Edge.start();
    await edge.room('general');
    proxy = await startSigningProxy(edge.relay.http, edge.owner);
    output = await mkdtemp(join(tmpdir(), 'tiny-conformance-'));
  });
  afterAll(async () => {
    await proxy.close();
    await edge.close();
    await rm(output, { recursive: true, force: true });
  });

  test.each(['2026-07-28', '2025-11-25'] as const)(
    '%s but for the known gaps',
    async revision => {
      const folder = join(output, revision);
      const program = join(suite ?? '', 'dist/index.js');
      const args = ['server', '--url', `${proxy.url}/mcp`, '--requirements', revision, '-o', folder];
      // It ends with 1 for every failing check; what failed is judged below.
      await run(process.execPath, [program, ...args], { timeout: 120_000 }).catch(error => {
        if (error.code !== 1) throw error;
      });
      const checks = await checksIn(folder);
      expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(30);
      const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
      const known = GAPS[revision].flatMap(gap => gap.checks);
      expect([...new Set(failed)].sort()).toEqual([...known].sort());
    },
    120_000,
  );
});

/** Every check of the scenarios, those of extensions the endpoint does not announce left out. */
async function checksIn(folder: string): Promise<Check[]> {
  const found: Check[] = [];
  for (const scenario of await readdir(folder)) {
    if (scenario.startsWith('server-tasks-')) continue;
    found.push(...(JSON.parse(await readFile(join(folder, scenario, 'checks.json'), 'utf8')) as Check[]));
  }
  return found;
}
