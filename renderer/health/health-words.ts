// Health in words: the sum of all checks, the order they are read in, sizes. Pure.

import type { HealthCheck } from '../../main/contract/health.ts';

const WEIGHT = { bad: 0, warning: 1, good: 2 } as const;

/** What needs looking after stands first; otherwise main's order. */
export function worstFirst(checks: readonly HealthCheck[]): HealthCheck[] {
  return [...checks].sort((a, b) => WEIGHT[a.state] - WEIGHT[b.state]);
}

export function summaryOf(checks: readonly HealthCheck[]): string {
  const bad = checks.filter(check => check.state === 'bad').length;
  const warnings = checks.filter(check => check.state === 'warning').length;
  if (bad === 0 && warnings === 0) return 'All good';
  const parts = [
    bad === 0 ? '' : `${bad} bad`,
    warnings === 0 ? '' : warnings === 1 ? '1 warning' : `${warnings} warnings`,
  ];
  return parts.filter(part => part !== '').join(', ');
}

/** Bytes as "84 MB". */
export function memoryWords(bytes: number): string {
  const mega = bytes / 1_000_000;
  return mega < 1000 ? `${Math.max(1, Math.round(mega))} MB` : `${(mega / 1000).toFixed(1)} GB`;
}
