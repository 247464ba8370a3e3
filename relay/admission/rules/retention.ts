// An event older than its kind is kept (policy of retention, spec/management.md section 5) would be gone at once.

import type { Rule } from '../rule.ts';

const DAY = 86_400;

export const retention: Rule = ({ event }, { store, now }) => {
  const days = store.retention.daysOf(event.kind);
  if (days === null || event.created_at > now() - days * DAY) return null;
  return `blocked: events of kind ${event.kind} are kept for ${days} days`;
};
