import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { startRelay } from '../../../relay/relay.ts';
import { signed, temporaryFolder } from './stored.ts';

const PROGRAM = join(import.meta.dirname, 'run-command.ts');

async function tiny(...words: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code: Number(code), ...output };
}

/** A relay's data folder with an owner, a room and what was said in it. */
async function madeRelay(data: string) {
  const owner = signerFrom(generateSecret());
  const relay = await startRelay({ data, port: 0, owner: owner.pubkey, name: 'test' });
  const now = Math.floor(Date.now() / 1000);
  const events = [
    signed(owner, {
      kind: 9007,
      at: now,
      tags: [
        ['h', 'build'],
        ['name', 'Build'],
      ],
    }),
    ...Array.from({ length: 30 }, (_, i) =>
      signed(owner, { kind: 9, at: now, tags: [['h', 'build']], content: `${i}` }),
    ),
  ];
  const origin = { via: 'socket', keys: [owner.pubkey] } as const;
  for (const event of events) {
    expect(await relay.context.admission.publish(event, origin)).toEqual({ accepted: true, message: '' });
  }
  return { owner, events, relay };
}

test('the commands do their work on a real folder and answer one line of JSON', async () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const { relay, events, owner } = await madeRelay(at('data'));

  // Beside the running relay.
  const copied = await tiny('backup', at('copy'), '--data', at('data'));
  expect(copied).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(copied.stdout)).toMatchObject({ folder: at('copy') });
  const checked = await tiny('check', '--data', at('data'));
  expect(checked).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(checked.stdout)).toMatchObject({ problems: 0 });
  const exported = await tiny('export', at('events.jsonl'), '--data', at('data'));
  expect(exported.code).toBe(0);
  const busy = await tiny('import', at('events.jsonl'), '--data', at('data'));
  expect(busy).toMatchObject({ code: 1, stdout: '' });
  expect(busy.stderr).toMatch(/^error: another relay is running on the data folder .*\n$/);
  await relay.close();

  const restored = await tiny('restore', at('copy'), '--data', at('back'));
  expect(restored.code).toBe(0);
  const back = await startRelay({ data: at('back'), port: 0 });
  expect(back.self).toBe(relay.self);
  expect(back.owner).toBe(owner.pubkey);
  expect(back.context.store.rooms.get('build')?.name).toBe('Build');
  for (const event of events) expect(back.context.store.events.get(event.id)).toEqual(event);
  await back.close();

  expect(await tiny('nothing')).toMatchObject({ code: 9 });
});

test('an import enters at admission: what the rules refuse is named by line, what they take changes the relay', async () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const { relay, events, owner } = await madeRelay(at('data'));
  await relay.close();
  expect((await tiny('export', at('events.jsonl'), '--data', at('data'))).code).toBe(0);
  const stranger = signerFrom(generateSecret());
  const nowhere = signed(stranger, {
    kind: 9,
    at: Math.floor(Date.now() / 1000),
    tags: [['h', 'nowhere']],
    content: 'hi',
  });
  const lines = readFileSync(at('events.jsonl'), 'utf8');
  writeFileSync(at('events.jsonl'), `${lines}${JSON.stringify(nowhere)}\nnot json\n`);
  const other = await startRelay({ data: at('other'), port: 0, owner: owner.pubkey });
  await other.close();
  const done = await tiny('import', at('events.jsonl'), '--data', at('other'));
  expect(done.code).toBe(0);
  const count = lines.split('\n').length - 1;
  expect(done.stderr).toMatch(
    new RegExp(
      `line ${count + 1}: invalid: unknown room nowhere\nline ${count + 2}: invalid: line is not JSON\n$`,
    ),
  );
  expect(JSON.parse(done.stdout)).toMatchObject({ lines: count + 2, finished: true });
  const after = await startRelay({ data: at('other'), port: 0 });
  expect(after.context.store.rooms.get('build')?.created_by).toBe(owner.pubkey);
  for (const event of events) expect(after.context.store.events.get(event.id)).toEqual(event);
  await after.close();
});

test('problems go to standard error and make the exit code 1', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const { relay, events } = await madeRelay(data);
  await relay.close();
  const db = new Database(join(data, 'events.db'));
  db.prepare('UPDATE events SET kind = 1 WHERE json LIKE ?').run(`%${events[3]!.id}%`);
  db.close();
  const checked = await tiny('check', '--data', data);
  expect(checked.code).toBe(1);
  expect(checked.stderr).toContain(`event ${events[3]!.id}: its row has another kind or time`);
  expect(JSON.parse(checked.stdout)).toMatchObject({ problems: 1 });
  expect(await tiny('check')).toMatchObject({ code: 1, stderr: 'error: check needs --data DIR\n' });
  expect((await tiny('backup', '--data', data)).stderr).toMatch(/^error: missing required argument/);
  expect((await tiny('import', join(folder, 'none'), '--data', join(folder, 'new'))).stderr).toMatch(
    /no file/,
  );
  expect(existsSync(join(folder, 'new'))).toBe(false);
  expect((await tiny('check', '--help')).stdout).toMatch(/Usage: tiny relay check/);
});
