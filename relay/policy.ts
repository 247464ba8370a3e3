// The policy of the relay: its fields, defaults, checks and the merge of a patch (spec/management.md 7).
// Fields of features the relay does not serve yet are not listed; a stored policy keeps those it does not know.

import { z } from 'zod';
import { isHex64 } from './protocol/tags.ts';

const text = (max: number) => z.string().max(max);
const kind = z.number().int().min(0).max(65535);
const webAddress = z.union([z.literal(''), z.url({ protocol: /^https$/ })]);

const features = z.object({
  count: z.boolean().default(true),
  /** What words are searched in: every kind with text, prose alone, or nothing. */
  search: z.enum(['full', 'prose', 'off']).default('prose'),
  /** Reconciling by negentropy (NIP-77). */
  sync: z.boolean().default(true),
  jobs: z.boolean().default(true),
});

const memberInvites = z.object({
  depth: z.number().int().min(0).default(0),
  quota: z.number().int().min(0).default(0),
});

const policySchema = z.object({
  owner: z.union([z.literal(''), z.string().refine(isHex64, 'must be a hex public key')]).default(''),
  name: text(200).default(''),
  description: text(4000).default(''),
  icon: text(2000).default(''),
  banner: text(2000).default(''),
  contact: text(2000).default(''),
  postingPolicy: webAddress.default(''),
  privacyPolicy: webAddress.default(''),
  tags: z.array(text(100)).default([]),
  languageTags: z.array(text(20)).default([]),
  relayCountries: z.array(text(3)).default([]),
  reads: z.enum(['open', 'auth', 'members']).default('members'),
  writes: z.enum(['open', 'allowlist', 'wot', 'owner']).default('allowlist'),
  openKinds: z.array(kind).default([]),
  guestReplies: z.boolean().default(false),
  allowedKinds: z.array(kind).default([]),
  blockedKinds: z.array(kind).default([]),
  blockedWords: z.array(text(200)).default([]),
  blockedWordsInTags: z.boolean().default(false),
  directoryPublic: z.boolean().default(true),
  reportThreshold: z.number().int().min(0).default(0),
  joinTerms: text(20_000).default(''),
  memberInvites: memberInvites.default({ depth: 0, quota: 0 }),
  minPow: z.number().int().min(0).max(255).default(0),
  maxFuture: z.number().int().min(0).default(900),
  rooms: z.number().int().min(0).default(64),
  features: features.default({ count: true, search: 'prose', sync: true, jobs: true }),
  /** Callbacks one key may hold; 0 closes them for everyone but the owner, who has no limit. */
  callbacks: z.number().int().min(0).default(4),
  /** Where a POST may go; `loopback` allows this machine as well, for development. */
  callbackTargets: z.enum(['public', 'loopback']).default('public'),
});

export type Policy = Readonly<z.infer<typeof policySchema>>;

/** Fields that merge one level deep instead of being replaced. */
const MERGED = ['features', 'memberInvites'] as const;

/** The policy of a relay nobody has configured (spec/decisions.md 8). */
export function defaultPolicy(): Policy {
  return policySchema.parse({});
}

/** A stored policy, newer fields with their defaults; throws when it is no policy at all. */
export function parsePolicy(stored: unknown): Policy {
  return policySchema.parse(stored);
}

/** The policy after a patch, or the field and reason it was refused for. Unknown keys and `owner` are ignored. */
export function mergePolicy(policy: Policy, patch: unknown): { policy: Policy } | { refusal: string } {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    return { refusal: 'invalid: policy patch must be an object' };
  }
  const next: Record<string, unknown> = { ...policy };
  for (const [field, value] of Object.entries(patch)) {
    if (field === 'owner' || !Object.hasOwn(policySchema.shape, field)) continue;
    next[field] = mergedField(policy, field, value);
  }
  const parsed = policySchema.safeParse(next);
  if (parsed.success) return { policy: parsed.data };
  const issue = parsed.error.issues[0];
  return { refusal: `invalid: policy ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not usable'}` };
}

function mergedField(policy: Policy, field: string, value: unknown): unknown {
  const merges = MERGED.find(name => name === field);
  if (merges === undefined) return value === null ? undefined : value;
  if (value === null) return undefined;
  return typeof value === 'object' ? { ...policy[merges], ...value } : value;
}
