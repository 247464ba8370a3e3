// What the person may choose, each with an effect. The file is settings.json in the home folder.

import { z } from 'zod';
import { feature, nothing } from './contract.ts';

export const noticeCategory = z.enum(['messages', 'replies', 'mentions', 'approvals', 'relay']);

export const settingsShape = z.object({
  /** Raised with each change of shape; a file from a newer program is left untouched. */
  version: z.literal(1),
  scheme: z.enum(['auto', 'light', 'dark']),
  notices: z.record(noticeCategory, z.boolean()),
  welcomeDone: z.boolean(),
  /** Per room, created_at up to which the person has read. */
  readTo: z.record(z.string(), z.number().int()),
});
export type Settings = z.infer<typeof settingsShape>;

export const settings = feature({
  calls: {
    get: { args: nothing, result: settingsShape },
    change: { args: settingsShape.pick({ scheme: true, notices: true }).partial(), result: settingsShape },
  },
  pushes: { changed: settingsShape },
});
