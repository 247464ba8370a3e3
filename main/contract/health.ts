// Health: each check with its result, and the program's own log.

import { z } from 'zod';
import { logLine } from './agents.ts';
import { feature, millis, nothing } from './contract.ts';

export const healthCheck = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(['good', 'warning', 'bad']),
  /** What was found. */
  finding: z.string(),
  /** What to do about it, when something is to be done. */
  advice: z.string().optional(),
  at: millis,
});
export type HealthCheck = z.infer<typeof healthCheck>;

/** One process of the program, as the ledger knows it. */
export const ledgerRow = z.object({
  pid: z.number().int(),
  parent: z.number().int(),
  what: z.string(),
  since: millis,
  memory: z.number().optional(),
});

export const health = feature({
  calls: {
    check: { args: nothing, result: z.array(healthCheck) },
    processes: { args: nothing, result: z.array(ledgerRow) },
    log: {
      args: z.object({ limit: z.number().int().min(1).max(2000).default(500) }),
      result: z.array(logLine),
    },
  },
  pushes: { log: logLine },
});
