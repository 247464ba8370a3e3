// Limits of an agent in words, and what is wrong with a number while it is typed.

import type { z } from 'zod';
import type { Limits } from '../../main/contract/agents.ts';

/** Numbers may be empty while they are typed. */
export type LimitValues = {
  runMinutes: number | '';
  promptSeconds: number | '';
  onExpiry: Limits['onExpiry'];
};

const EXPIRY: Record<Limits['onExpiry'], string> = {
  refuse: 'that action is refused, the job goes on',
  stop: 'the job is stopped',
  wait: 'it waits until the job ends',
};

export function expiryWords(onExpiry: Limits['onExpiry']): string {
  return EXPIRY[onExpiry];
}

const RANGES: Partial<Record<string, string>> = {
  runMinutes: 'Write a number, 1 to 1440',
  promptSeconds: 'Write a number, 5 to 600',
};

/** The complaint about one field, or null; what is no number at all is asked for in our words. */
export function limitProblem(error: z.ZodError | undefined, field: string): string | null {
  const issue = error?.issues.find(each => each.path.at(-1) === field);
  if (issue === undefined) return null;
  return /^At /.test(issue.message) ? issue.message : (RANGES[field] ?? issue.message);
}
