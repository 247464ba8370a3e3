// Starts `tinyagent` and collects what it says.

import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const entry = resolve(import.meta.dirname, 'connector-entry.ts');

export function start(args: string[], env: NodeJS.ProcessEnv) {
  return spawn(process.execPath, [entry, ...args], { env: { PATH: process.env.PATH, ...env } });
}

export function run(args: string[], env: NodeJS.ProcessEnv = {}, input = '') {
  const child = start(args, env);
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', chunk => {
    stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  return new Promise<{ code: number | null; stdout: string; stderr: string }>(done =>
    child.once('close', code => done({ code, stdout, stderr })),
  );
}
