// Permissions a person gave beforehand: which later actions of an agent they cover, and how that reads. The desktop
// keeps them and hands them to its runner; the runner enforces them. Asking is what happens without one.

import { z } from 'zod';

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const ms = z.number().int().nonnegative();

/** A remembered yes of `by` for one kind of tool: while one job lasts when `job` names it, else until it is revoked. */
export const permissionRule = z.object({
  id: z.string().min(1).max(64),
  by: hex,
  /** Kind of tool as the Agent Client Protocol names it. */
  tool: z.string().min(1).max(64),
  job: hex.optional(),
  createdAt: ms,
});
export type PermissionRule = z.infer<typeof permissionRule>;

/** Everything is allowed without asking until `until`, for what `by` asked the agent to do. */
export const permissionBypass = z.object({ by: hex, since: ms, until: ms });
export type PermissionBypass = z.infer<typeof permissionBypass>;

export const standingPermissions = z.object({
  rules: z.array(permissionRule).max(256),
  bypass: permissionBypass.nullable(),
});
export type StandingPermissions = z.infer<typeof standingPermissions>;

/** What stands in the `rule` tag of a prompt that a bypass allowed. */
export const BYPASS = 'bypass';

/** One question: who would be asked, for which job and kind of tool, and when (ms since 1970). */
export type Question = { asked: string; job: string; tool: string; now: number };

/** The id of what allows it beforehand, or null: then the person is asked. */
export function allowedBeforehand(
  { rules, bypass }: StandingPermissions,
  { asked, job, tool, now }: Question,
): string | null {
  // A yes holds for the work of the one who gave it; somebody else's work asks that somebody.
  if (bypass !== null && bypass.by === asked && now < bypass.until) return BYPASS;
  const rule = rules.find(
    each =>
      each.by === asked &&
      each.tool === tool &&
      toolWords(tool) !== null &&
      (each.job === undefined || each.job === job),
  );
  return rule?.id ?? null;
}

const TOOLS: Readonly<Record<string, string>> = {
  read: 'read files',
  edit: 'change files',
  delete: 'delete files',
  move: 'move files',
  search: 'search files',
  execute: 'run commands',
  think: 'think',
  fetch: 'fetch from the network',
};

/** What a kind of tool does; null for one that says nothing, which therefore is never allowed beforehand. */
export function toolWords(tool: string): string | null {
  return Object.hasOwn(TOOLS, tool) ? (TOOLS[tool] ?? null) : null;
}
