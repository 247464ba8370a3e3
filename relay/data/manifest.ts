// The list of a backup's files with size and hash. A backup is what its manifest says and nothing else.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StoreRefusal } from '../store/refusal.ts';
import { digestOf, filesUnder, isMissing } from './files.ts';

export const MANIFEST = 'manifest.json';

const manifestSchema = z.object({
  format: z.literal(1),
  /** Schema of the database in it. */
  schema: z.number().int().positive(),
  /** ISO 8601. */
  made: z.string(),
  files: z
    .array(
      z.object({
        path: z.string().min(1).refine(isPlainPath, 'must stay inside the backup'),
        bytes: z.number().int().min(0),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .min(1),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** Reads the manifest of a backup and compares every file with it; throws StoreRefusal naming the first difference. */
export async function verifiedManifest(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const expected = new Map(manifest.files.map(file => [file.path, file]));
  const extra = (await filesUnder(folder)).find(path => path !== MANIFEST && !expected.has(path));
  if (extra !== undefined)
    throw new StoreRefusal(`${join(folder, extra)} is not in the manifest of the backup`);
  for (const file of manifest.files) {
    const path = join(folder, file.path);
    const found = await digestOf(path).catch((error: unknown) => {
      if (isMissing(error)) throw new StoreRefusal(`the backup is not whole: ${path} is missing`);
      throw error;
    });
    if (found.bytes !== file.bytes || found.sha256 !== file.sha256) {
      throw new StoreRefusal(`the backup is damaged: ${path} is not what its manifest says`);
    }
  }
  return manifest;
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) throw new StoreRefusal(`${folder} is no backup: it has no ${MANIFEST}`);
    throw error;
  });
  const parsed = manifestSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new StoreRefusal(
    `${path} is not usable: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Told by the schema, which refuses what is no object.
    return undefined;
  }
}

function isPlainPath(path: string): boolean {
  return !/[\\\0]/.test(path) && path.split('/').every(part => part !== '' && part !== '.' && part !== '..');
}
