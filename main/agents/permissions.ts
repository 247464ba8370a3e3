// What a person allowed one agent beforehand: remembered permissions in agents/<key>/permissions.json, those for one
// job and the bypass in memory only, so that a start of the program asks again. The runner enforces them.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  BYPASS,
  type PermissionRule,
  permissionRule,
  type StandingPermissions,
  toolWords,
} from '../../relay/protocol/permission-rule.ts';
import { writeWhole } from '../home.ts';
import { NextTime } from '../next-time.ts';

const stored = z.object({ version: z.literal(1), rules: z.array(permissionRule) });
/** How many permissions for jobs are kept beside the lasting ones; jobs end long before that. */
const MOST_OF_JOBS = 64;

/** What a person agreed to: `tool` for good, or for one job. */
export type Remembered = { by: string; tool: string; job?: string };

export class AgentPermissions {
  readonly #file: string;
  readonly #changed: () => void;
  #standing: StandingPermissions = { rules: [], bypass: null };
  readonly #end = new NextTime(() => this.#look());

  /** `changed` is told of every change, also of the end of a bypass. */
  constructor(folder: string, changed: () => void) {
    this.#file = join(folder, 'permissions.json');
    this.#changed = changed;
    this.#standing = { rules: read(this.#file), bypass: null };
  }

  get standing(): StandingPermissions {
    return this.#standing;
  }

  /** Remembers; answers the id, or null when it was covered already. */
  remember({ by, tool, job }: Remembered): string | null {
    const { rules } = this.#standing;
    const covered = (rule: PermissionRule) =>
      rule.by === by && rule.tool === tool && (rule.job === undefined || rule.job === job);
    if (rules.some(covered)) return null;
    const rule = { id: randomUUID(), by, tool, createdAt: Date.now(), ...(job === undefined ? {} : { job }) };
    const jobs = rules.filter(each => each.job !== undefined).slice(-MOST_OF_JOBS);
    this.#set({ rules: [...rules.filter(each => each.job === undefined), ...jobs, rule] });
    return rule.id;
  }

  /** Takes one back; one that is not there is as good. */
  forget(id: string): void {
    this.#set({ rules: this.#standing.rules.filter(rule => rule.id !== id) });
  }

  /** What was allowed for that job is over with it. */
  jobEnded(job: string): void {
    if (!this.#standing.rules.some(rule => rule.job === job)) return;
    this.#set({ rules: this.#standing.rules.filter(rule => rule.job !== job) });
  }

  /** Lets everything that `by` asks for pass without a question for so long; 0 ends it. */
  bypass(by: string, minutes: number): void {
    const since = Date.now();
    this.#set({ bypass: minutes === 0 ? null : { by, since, until: since + minutes * 60_000 } });
  }

  /** How the yes reads that allowed something beforehand; null when there is none of that id. */
  words(id: string): string | null {
    const { rules, bypass } = this.#standing;
    if (id === BYPASS) return bypass && 'no questions were to be asked for a while';
    const rule = rules.find(each => each.id === id);
    if (rule === undefined) return null;
    const may = toolWords(rule.tool) ?? rule.tool;
    return rule.job === undefined ? `it may always ${may}` : `it may ${may} for this job`;
  }

  close(): void {
    this.#end.clear();
  }

  #set(patch: Partial<StandingPermissions>): void {
    const before = lasting(this.#standing.rules);
    this.#standing = { ...this.#standing, ...patch };
    const after = lasting(this.#standing.rules);
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      writeWhole(this.#file, `${JSON.stringify({ version: 1, rules: after }, null, 2)}\n`);
    }
    const { bypass } = this.#standing;
    this.#end.set(bypass === null ? [] : [bypass.until]);
    this.#changed();
  }

  #look(): void {
    const { bypass } = this.#standing;
    if (bypass !== null && bypass.until <= Date.now()) this.#set({ bypass: null });
    else if (bypass !== null) this.#end.set([bypass.until]);
  }
}

function lasting(rules: PermissionRule[]): PermissionRule[] {
  return rules.filter(rule => rule.job === undefined);
}

function read(file: string): PermissionRule[] {
  try {
    return lasting(stored.parse(JSON.parse(readFileSync(file, 'utf8'))).rules);
  } catch {
    // None yet, or not to be read: then every action is asked, which is always safe.
    return [];
  }
}
