// What the desktop keeps of an agent besides its key: agents/<pubkey>/agent.json. The key is in the vault, the
// queue journal is the runner's.

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { limits, program, runView } from '../contract/agents.ts';
import { hex64, millis } from '../contract/contract.ts';
import { writeWhole } from '../home.ts';

const recordShape = z.object({
  version: z.literal(1),
  pubkey: hex64,
  name: z.string(),
  program,
  limits: limits.prefault({}),
  rooms: z.array(z.string()),
  createdAt: millis,
  /** Whether the person wants it to run. */
  wanted: z.boolean(),
  /** Why it waits for a person, kept across restarts (case B4). */
  suspended: z.object({ reason: z.string(), since: millis }).nullable(),
  /** A working folder that was made for it. */
  madeFolder: z.string().optional(),
  /** Runs the person stopped while no runner was there to hear it. */
  cancelled: z.array(hex64).default([]),
});
export type AgentRecord = z.infer<typeof recordShape>;

const runsShape = z.array(runView);
export type StoredRuns = z.infer<typeof runsShape>;

export type AgentFolder = {
  readonly path: string;
  /** Where the runner keeps its queue journal. */
  readonly stateFile: string;
  readonly logFile: string;
  save(record: AgentRecord): void;
  saveRuns(runs: StoredRuns): void;
  loadRuns(): StoredRuns;
  remove(): void;
};

/** The folder of one agent, made 0700 when it is not there. */
export function agentFolder(agents: string, pubkey: string): AgentFolder {
  const path = join(agents, pubkey);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const runsFile = join(path, 'runs.json');
  return {
    path,
    stateFile: join(path, 'queue.json'),
    logFile: join(path, 'log.jsonl'),
    save: record => writeWhole(join(path, 'agent.json'), `${JSON.stringify(record, null, 2)}\n`),
    saveRuns: runs => writeWhole(runsFile, JSON.stringify(runs)),
    loadRuns() {
      try {
        return runsShape.parse(JSON.parse(readFileSync(runsFile, 'utf8')));
      } catch {
        // No run yet, or a shape of another version: history is worth nothing to the work itself.
        return [];
      }
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Every agent that has a readable record; `broken` names folders whose record cannot be read. */
export function loadRecords(agents: string): { records: AgentRecord[]; broken: string[] } {
  const records: AgentRecord[] = [];
  const broken: string[] = [];
  for (const entry of readdirSync(agents, { withFileTypes: true })) {
    if (!entry.isDirectory() || !/^[0-9a-f]{64}$/.test(entry.name)) continue;
    try {
      const record = recordShape.parse(
        JSON.parse(readFileSync(join(agents, entry.name, 'agent.json'), 'utf8')),
      );
      if (record.pubkey === entry.name) records.push(record);
      else broken.push(entry.name);
    } catch {
      // Reported, never repaired by making something new in its place (case F3).
      broken.push(entry.name);
    }
  }
  return { records, broken };
}
