import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MARK } from '../../../main/supervise/child-environment.ts';
import { openLedger } from '../../../main/supervise/ledger.ts';
import { processTable } from '../../../main/supervise/process-table.ts';
import { living, scratch, startFamily } from './family.ts';

let home: string;
const started: number[] = [];
beforeEach(() => {
  home = scratch();
});
afterEach(async () => {
  for (const pid of await living(started.splice(0))) process.kill(pid, 'SIGKILL');
  rmSync(home, { recursive: true });
});

async function family(env: Record<string, string>) {
  const made = await startFamily(env);
  started.push(...made.all);
  return made;
}

test('A3 A4 F-50 a whole family is ended, also the one in a session of its own that ignores TERM', async () => {
  const ledger = openLedger(home);
  const mark = ledger.newMark();
  const { pid, all } = await family({ [MARK]: mark });
  await ledger.record(pid, 'a family', mark);

  const { ended, survivors } = await ledger.end(mark, 100);

  expect(survivors).toEqual([]);
  expect(ended.map(row => row.pid).sort()).toEqual([...all].sort());
  expect(await living(all)).toEqual([]);
});

test('F-50 stragglers are found by their mark when the leader is already gone', async () => {
  const ledger = openLedger(home);
  const mark = ledger.newMark();
  const { pid, descendants } = await family({ [MARK]: mark });
  await ledger.record(pid, 'a family', mark);
  process.kill(pid, 'SIGKILL');

  await ledger.end(mark, 0);

  expect(await living(descendants)).toEqual([]);
});

test('A5 the start after a crash names and ends what was left, and nothing of another home', async () => {
  const before = openLedger(home);
  const mark = before.newMark();
  const ours = await family({ [MARK]: mark });
  await before.record(ours.pid, 'runner of Demo', mark);
  const elsewhere = scratch();
  const theirs = await family({ [MARK]: openLedger(elsewhere).newMark() });

  const left = await openLedger(home).settle();

  expect(await living(ours.all)).toEqual([]);
  expect((await living(theirs.all)).length).toBe(3);
  expect(left.every(each => each.ended)).toBe(true);
  expect(left.find(each => each.pid === ours.pid)?.what).toBe('runner of Demo');
  rmSync(elsewhere, { recursive: true });
});

test('A5 a pid that another program has by now is left alone', async () => {
  const table = processTable();
  const other = spawn(process.execPath, ['-e', 'setInterval(()=>{},1e6)'], { stdio: 'ignore' });
  await once(other, 'spawn');
  started.push(other.pid!);
  const ledger = openLedger(home);
  await ledger.record(other.pid!, 'relay', ledger.newMark());
  const file = join(home, 'processes.json');
  const start = (await table.one(other.pid!))!.start;
  writeFileSync(file, readFileSync(file, 'utf8').replace(start, 'an earlier life'));

  expect(await openLedger(home).settle()).toEqual([]);
  expect(await living([other.pid!])).toEqual([other.pid!]);
});

test('a start that still runs keeps its ledger', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(()=>{},1e6)'], { stdio: 'ignore' });
  await once(other, 'spawn');
  started.push(other.pid!);
  const first = openLedger(home);
  await first.settle();
  const file = join(home, 'processes.json');
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  saved.main = { ...saved.main, pid: other.pid, start: (await processTable().one(other.pid!))!.start };
  writeFileSync(file, JSON.stringify(saved));

  await expect(openLedger(home).settle()).rejects.toThrow(`process ${other.pid}`);
});

test('a torn ledger file counts as empty', async () => {
  writeFileSync(join(home, 'processes.json'), '{"version":1,"id":"ab');
  expect(await openLedger(home).settle()).toEqual([]);
});

test('the list of processes names what each is', async () => {
  const ledger = openLedger(home);
  await ledger.settle();
  const mark = ledger.newMark();
  const { pid, all } = await family({ [MARK]: mark });
  await ledger.record(pid, 'runner of Demo', mark);

  const rows = await ledger.processes();

  expect(rows.find(row => row.pid === process.pid)?.what).toBe('main');
  expect(rows.find(row => row.pid === pid)?.what).toBe('runner of Demo');
  expect(rows.map(row => row.pid)).toEqual(expect.arrayContaining(all));
  await ledger.end(mark, 0);
});
