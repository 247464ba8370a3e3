// What an agent may do without asking, as a person reads it.

import { type PermissionRule, toolWords } from '../../relay/protocol/permission-rule.ts';

/** A remembered permission as one sentence. */
export function ruleWords(rule: Pick<PermissionRule, 'tool' | 'job'>): string {
  const may = toolWords(rule.tool) ?? `use "${rule.tool}"`;
  return rule.job === undefined ? `It may ${may} without asking` : `It may ${may} without asking, in one job`;
}

/** What saying "always" means, one thought a line. */
export function alwaysWords(tool: string): string[] {
  const may = toolWords(tool) ?? `use "${tool}"`;
  return [
    `It may ${may} without asking you, now and in every job you give it later.`,
    'That is any action of this kind, whatever it names: other files, other folders, other commands.',
    'Other kinds of action are still asked, and so is work that others give it.',
    'Each use stands in Approvals afterwards, with this permission named.',
    "You can take it back at any time on the agent's page, under Permissions.",
  ];
}

/** A time of day, or with the day when it is another one. */
export function clock(at: number, now = Date.now()): string {
  const time = new Date(at);
  const sameDay = time.toDateString() === new Date(now).toDateString();
  return time.toLocaleString(
    undefined,
    sameDay ? { timeStyle: 'short' } : { dateStyle: 'short', timeStyle: 'short' },
  );
}
