// Reasons for OK, CLOSED and HTTP errors: `prefix: text` (NIP-01, NIP-42, spec/README.md). The prefix is contract,
// the text is for people.

export const REASON_PREFIXES = [
  'duplicate',
  'pow',
  'blocked',
  'closed',
  'rate-limited',
  'invalid',
  'restricted',
  'mute',
  'error',
  'auth-required',
  'unsupported',
  'conflict',
  'not found',
  'info',
] as const;

export type ReasonPrefix = (typeof REASON_PREFIXES)[number];

/** The prefix of a reason, or undefined when it carries none that is known. */
export function reasonPrefix(reason: string): ReasonPrefix | undefined {
  const end = reason.indexOf(':');
  return end < 0 ? undefined : REASON_PREFIXES.find(prefix => prefix === reason.slice(0, end));
}

/** The reason without its prefix. */
export function reasonText(reason: string): string {
  return reasonPrefix(reason) === undefined ? reason : reason.slice(reason.indexOf(':') + 1).trim();
}

/** A value, or the refusal (`prefix: text`) that says why there is none. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; refusal: string };
