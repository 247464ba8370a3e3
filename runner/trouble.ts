// Failures that trying again only makes worse: a used-up quota and a missing sign-in (case B4). Looked for in what a
// program gives as the reason of a failure, never in its answers, which may speak of anything.

export type Trouble = 'quota' | 'authentication';

const QUOTA: readonly RegExp[] = [
  /\b(insufficient[_ ]quota|quota (exceeded|exhausted)|exceeded your (current )?quota|RESOURCE_EXHAUSTED)\b/i,
  /\b(usage|credit|spending|monthly|weekly|daily|plan) limit (reached|exceeded|hit)\b/i,
  /\b(hit|reached|exceeded) your (usage|credit|spending|monthly|weekly|daily|plan)? ?limit\b/i,
  /\bcredit balance is too low\b|\bout of (credits|quota)\b|\bbilling[_ ](hard[_ ]limit|not[_ ]active)\b/i,
  /\b(payment required|402 payment)\b/i,
];

const AUTHENTICATION: readonly RegExp[] = [
  /\b(invalid|incorrect|missing|expired|revoked|no) (x-)?api[- _]?key\b/i,
  /\bapi[- _]?key (is )?(invalid|incorrect|missing|expired|not valid|required|not set|not found)\b/i,
  /\b(not|are not|aren't) (logged|signed) in\b|\bplease (log|sign) ?in\b|\b(run|use) `?\/?login\b/i,
  /\b(authentication|authorization) (is )?(required|failed|expired)\b|\bauthentication_error\b/i,
  /\b(token|session|credentials?) (has |have )?(expired|been revoked)\b|\b401 unauthorized\b/i,
  /\b(auth method|authentication method|auth type) .{0,40}\b(not set|must be|set an)\b|\bset an auth method\b/i,
];

/** What kind of trouble a reason speaks of; null for any other failure. */
export function troubleIn(reason: string): Trouble | null {
  if (QUOTA.some(pattern => pattern.test(reason))) return 'quota';
  return AUTHENTICATION.some(pattern => pattern.test(reason)) ? 'authentication' : null;
}
