// How far an import has come, kept in the data folder so that one that was interrupted goes on where it was. Losing the
// note costs time only: events that are there already are accepted as duplicates.

import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { StoreRefusal } from '../store/refusal.ts';

const noteSchema = z.object({
  file: z.string(),
  size: z.number(),
  modified: z.number(),
  offset: z.number().int().min(0),
  lines: z.number().int().min(0),
  stored: z.number().int().min(0),
  duplicates: z.number().int().min(0),
  refused: z.number().int().min(0),
});

export type ImportCount = { lines: number; stored: number; duplicates: number; refused: number };

/** What has been done of a file: lines before `offset` are settled. */
export type ImportState = ImportCount & { offset: number };

export class ImportNote {
  readonly #path: string;
  readonly #identity: { file: string; size: number; modified: number };

  /** Throws StoreRefusal when there is no such file. */
  constructor(data: string, file: string) {
    this.#path = join(data, 'import.json');
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() !== true) throw new StoreRefusal(`there is no file ${file} to import`);
    this.#identity = { file: resolve(file), size: found.size, modified: found.mtimeMs };
  }

  /** What an earlier run left of the same, unchanged file; the beginning otherwise. */
  read(): ImportState {
    const note = noteSchema.safeParse(this.#stored());
    if (!note.success) return START;
    const { file, size, modified, ...state } = note.data;
    const mine = this.#identity;
    return file === mine.file && size === mine.size && modified === mine.modified ? state : START;
  }

  write(state: ImportState): void {
    writeFileSync(`${this.#path}.partial`, JSON.stringify({ ...this.#identity, ...state }), { mode: 0o600 });
    renameSync(`${this.#path}.partial`, this.#path);
  }

  /** The file has been read to its end. */
  remove(): void {
    rmSync(this.#path, { force: true });
  }

  #stored(): unknown {
    try {
      return JSON.parse(readFileSync(this.#path, 'utf8'));
    } catch {
      // No note, or half a note: start at the beginning, which is always right.
      return undefined;
    }
  }
}

export const START: ImportState = { offset: 0, lines: 0, stored: 0, duplicates: 0, refused: 0 };
