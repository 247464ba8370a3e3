// The ledger: every process this desktop started, by pid and start time, kept in a file so that the start after a
// crash can name and end what was left, and only that (cases A5 F-50; design.md "Quit").

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { MARK } from './child-environment.ts';
import { collectTree, type Ended, endTree, type Known, stillAlive } from './end-tree.ts';
import { type ProcessRow, type ProcessTable, processTable } from './process-table.ts';

const entry = z.object({ pid: z.number().int(), start: z.string(), what: z.string(), mark: z.string() });
const shape = z.object({
  version: z.literal(1),
  id: z.string(),
  main: entry.nullable(),
  entries: z.array(entry),
});
type Entry = z.infer<typeof entry>;

/** A process left over from an earlier start, and whether it could be ended. */
export type Leftover = { pid: number; what: string; ended: boolean };
export type LedgerProcess = ProcessRow & { what: string };

export type Ledger = {
  /** A fresh mark for the environment of one child and all it will start. */
  newMark(): string;
  /** Notes a started process. Resolves when the file says so. */
  record(pid: number, what: string, mark: string): Promise<void>;
  /** Forgets a process whose whole tree is gone. */
  forget(mark: string): void;
  /** The living tree of one child, for ending later: taken before anything is killed. */
  tree(mark: string): Promise<Known[]>;
  /** Ends what carries the mark, what hangs below it, and `also`, but not `spare`; kills after `grace` ms. */
  end(mark: string, grace: number, also?: Known[], spare?: number): Promise<Ended>;
  /** Every living process of this desktop: main, what it started, and theirs. */
  processes(): Promise<LedgerProcess[]>;
  /** Takes the ledger over from an earlier start and ends what that left. Throws when that start still runs. */
  settle(): Promise<Leftover[]>;
};

/** Opens the ledger of a home folder. A file that cannot be read counts as empty: marks are then all there is. */
export function openLedger(home: string, table: ProcessTable = processTable()): Ledger {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const file = join(home, 'processes.json');
  const earlier = read(file);
  const id = earlier?.id ?? randomBytes(8).toString('hex');
  let main: Entry | null = earlier?.main ?? null;
  let entries: Entry[] = earlier?.entries ?? [];

  const save = () => {
    const text = JSON.stringify({ version: 1, id, main, entries });
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  const rootsOf = (mark: string) => entries.filter(each => each.mark === mark);
  const withMark = (prefix: string, roots: Known[]) => ({
    roots,
    options: { table, mark: { variable: MARK, prefix } },
  });

  return {
    newMark: () => `${id}.${randomBytes(4).toString('hex')}.`,
    async record(pid, what, mark) {
      const row = await table.one(pid);
      // It may have ended already; its children would still be found by the mark.
      entries = entries.filter(each => each.mark !== mark);
      entries.push({ pid, start: row?.start ?? '', what, mark });
      save();
    },
    forget(mark) {
      if (!entries.some(each => each.mark === mark)) return;
      entries = entries.filter(each => each.mark !== mark);
      save();
    },
    tree(mark) {
      const { roots, options } = withMark(mark, rootsOf(mark));
      return collectTree(roots, options);
    },
    end(mark, grace, also = [], spare) {
      const { roots, options } = withMark(mark, [...rootsOf(mark), ...also]);
      return endTree(roots, { ...options, grace, ...(spare === undefined ? {} : { spare }) });
    },
    async processes() {
      const { roots, options } = withMark(`${id}.`, entries);
      const rows = await collectTree(roots, options);
      const named = rows.map(row => ({ ...row, what: nameOf(row, entries) }));
      const self = await table.one(process.pid);
      return self ? [{ ...self, what: 'main' }, ...named] : named;
    },
    async settle() {
      if (main && main.pid !== process.pid && (await stillAlive([main], table)).length > 0) {
        throw new Error(`Another Tiny Desktop (process ${main.pid}) uses ${home}; quit it first`);
      }
      const { roots, options } = withMark(`${id}.`, entries);
      const { ended, survivors } = await endTree(roots, { ...options, grace: 500 });
      const name = (row: ProcessRow) => nameOf(row, entries);
      const left = [
        ...ended.map(row => ({ pid: row.pid, what: name(row), ended: true })),
        ...survivors.map(row => ({ pid: row.pid, what: name(row), ended: false })),
      ];
      const self = await table.one(process.pid);
      main = { pid: process.pid, start: self?.start ?? '', what: 'main', mark: '' };
      entries = [];
      save();
      return left;
    },
  };
}

function nameOf(row: ProcessRow, entries: Entry[]): string {
  return entries.find(each => each.pid === row.pid && each.start === row.start)?.what ?? row.command;
}

function read(file: string): z.infer<typeof shape> | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // No file yet: the first start in this home.
    return null;
  }
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    // Torn by a full disk, or from another version. Nothing in it can be trusted.
    return null;
  }
}
