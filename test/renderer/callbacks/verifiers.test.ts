// The code a person is given to paste checks what the relay really sends.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { signatureOf } from '../../../relay/callbacks/deliver.ts';
import { VERIFIERS } from '../../../renderer/callbacks/verifiers.ts';

const secret = 'a-secret-of-tests';
const body = JSON.stringify({ content: 'Grüße, 日本' });
const good = signatureOf(body, secret);
const cases: [string | null, boolean][] = [
  [good, true],
  [`${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`, false],
  [good.slice(0, -1), false],
  ['ü', false],
  ['', false],
  [null, false],
];

function file(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-verifier-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test('in Node', async () => {
  const { isFromRelay } = await import(pathToFileURL(file('verify.mjs', VERIFIERS.node.text)).href);
  for (const [header, is] of cases) expect(isFromRelay(Buffer.from(body), header, secret)).toBe(is);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)('in Python', () => {
  const checks = `
import json, sys
given = json.load(sys.stdin)
print(json.dumps([is_from_relay(given["body"].encode(), header, given["secret"]) for header in given["headers"]]))
`;
  const program = file('verify.py', `${VERIFIERS.python.text}${checks}`);
  const input = JSON.stringify({ body, secret, headers: cases.map(([header]) => header) });
  const { stdout, stderr } = spawnSync('python3', [program], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual(cases.map(([, is]) => is));
});
