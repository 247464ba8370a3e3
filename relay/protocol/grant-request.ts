// An agent's request for more access (kind 1111 with `request=grant`) and the grant that answers it
// (spec/agent-grants.md section 4, spec/interactions-and-approvals.md section 5). Pure: what the relay holds comes in.

import { z } from 'zod';
import type { EventTemplate, NostrEvent } from './event.ts';
import { type GrantScope, parseGrant } from './grant.ts';
import { KIND } from './kinds.ts';
import type { Parsed } from './reasons.ts';
import { characters, expirationOf, isHex64, tagsNamed, tagValue } from './tags.ts';

const MAX_REASON = 500;

const repository = z.strictObject({
  owner: z.string().trim(),
  identifier: z.string().trim(),
  level: z.enum(['propose', 'read', 'maintain']),
});
const site = z.strictObject({
  label: z.string().trim(),
  ttl: z.number().int().min(1).max(365).optional(),
  encrypted: z.boolean().optional(),
});
/** What a request may ask for; nothing else is taken. */
export const changesSchema = z.strictObject({
  kinds: z.array(z.number().int().min(0).max(65_535)).optional(),
  rooms: z.array(z.string().regex(/^[a-z0-9_-]{1,64}$/)).optional(),
  repos: z.array(repository).optional(),
  sites: z.array(site).optional(),
  wiki: z.enum(['propose', 'edit']).optional(),
  jobs: z.enum(['request', 'serve', 'both']).optional(),
  rate: z.number().int().min(1).max(600).optional(),
});
const patchSchema = z.strictObject({ base: z.string().refine(isHex64), changes: changesSchema });

export type GrantChanges = z.infer<typeof changesSchema>;

/** A well-formed request: `base` is the grant event it was made against, `operator` that grant's signer. */
export type GrantRequest = {
  id: string;
  agent: string;
  operator: string;
  base: string;
  changes: GrantChanges;
  reason: string;
  /** Unix seconds. */
  expires?: number;
};

/** True for an event that claims to be a request for more access, well-formed or not. */
export function isGrantRequest(event: Pick<NostrEvent, 'kind' | 'tags'>): boolean {
  return event.kind === KIND.comment && tagValue(event, 'request')?.trim().toLowerCase() === 'grant';
}

/** Reads a request; refusals start `invalid: grant request`. */
export function parseGrantRequest(event: NostrEvent): Parsed<GrantRequest> {
  const refused = (text: string) => ({ ok: false as const, refusal: `invalid: grant request ${text}` });
  const base = tagValue(event, 'e');
  const operator = tagValue(event, 'p');
  if (!isHex64(base)) return refused('e tag must name the current grant');
  if (!isHex64(operator) || operator === event.pubkey) return refused("p tag must name the grant's operator");
  const wrong = wrongTag(event, base, operator);
  if (wrong !== null) return refused(wrong);
  const reason = event.content.trim();
  const length = characters(reason);
  if (length < 1 || length > MAX_REASON) return refused(`reason must be 1 to ${MAX_REASON} characters`);
  const expires = expirationOf(event);
  if (Number.isNaN(expires)) return refused('expiration must be a Unix time in seconds');
  const patch = patchSchema.safeParse(parseJson(tagValue(event, 'grant') ?? ''));
  if (!patch.success) return refused(`grant tag ${describe(patch.error)}`);
  if (patch.data.base !== base) return refused('grant tag base must be the grant named in the e tag');
  const { changes } = patch.data;
  const repeated = repeatedIdentity(changes);
  if (repeated !== null) return refused(`grant tag lists ${repeated} twice`);
  const request = { id: event.id, agent: event.pubkey, operator, base, changes, reason };
  return { ok: true, value: expires === undefined ? request : { ...request, expires } };
}

/** What is wrong with the tags: a missing, repeated, unknown or differing one; null when all are as they must be. */
function wrongTag(event: NostrEvent, base: string, operator: string): string | null {
  const fixed: Record<string, string[]> = {
    E: [base, '', operator],
    e: [base, '', operator],
    K: [String(KIND.agentGrant)],
    k: [String(KIND.agentGrant)],
    P: [operator],
    p: [operator],
    request: ['grant'],
  };
  const free = ['grant', 'subject', 'expiration'];
  const seen = new Set<string>();
  for (const [name = '', ...values] of event.tags) {
    if (seen.has(name)) return `repeats the ${name} tag`;
    seen.add(name);
    if (free.includes(name)) {
      if (values.length !== 1) return `${name} tag must hold one value`;
      continue;
    }
    const wanted = Object.hasOwn(fixed, name) ? fixed[name] : undefined;
    if (wanted === undefined) return `may not carry a ${name} tag`;
    if (!sameList(values, wanted)) return `${name} tag must name the current grant and its operator`;
  }
  const missing = [...Object.keys(fixed), 'grant'].find(name => !seen.has(name));
  return missing === undefined ? null : `needs the ${missing} tag`;
}

function repeatedIdentity(changes: GrantChanges): string | null {
  const lists: [string, string[]][] = [
    ['a kind', (changes.kinds ?? []).map(String)],
    ['a room', changes.rooms ?? []],
    ['a repository', (changes.repos ?? []).map(repo => `${repo.owner}:${repo.identifier}`)],
    ['a site', (changes.sites ?? []).map(entry => entry.label)],
  ];
  return lists.find(([, values]) => new Set(values).size < values.length)?.[0] ?? null;
}

/** The replacement an operator would sign, with the scope it gives. `unsigned` is to be signed exactly as it is. */
export type GrantReplacement = { unsigned: EventTemplate; scope: GrantScope };

/**
 * Applies a request to the grant it was made against. Refuses (`invalid:`) values a grant may not hold and a request
 * that changes nothing. `now` in Unix seconds.
 */
export function replaceGrant(request: GrantRequest, base: NostrEvent, now: number): Parsed<GrantReplacement> {
  const tags = [
    ...changedTags(
      base.tags.filter(tag => !isProvenance(tag)),
      request.changes,
    ),
    ['grant-request', request.id],
    ['grant-base', request.base],
    ['e', request.id, '', 'grant-request'],
  ];
  const created_at = Math.max(now, base.created_at + 1);
  const unsigned = { kind: KIND.agentGrant, created_at, tags, content: base.content };
  const before = parseGrant(base, base.created_at);
  const after = parseGrant({ ...base, ...unsigned }, now);
  if (!after.ok) return after;
  if (before.ok && sameScope(before.value.scope, after.value.scope)) {
    return { ok: false, refusal: 'invalid: grant request asks for nothing the grant does not allow already' };
  }
  return { ok: true, value: { unsigned, scope: after.value.scope } };
}

/** The request and base a grant says it answers; null for an ordinary grant. */
export function grantProvenance(grant: Pick<NostrEvent, 'tags'>): { request: string; base: string } | null {
  const request = tagValue(grant, 'grant-request');
  const base = tagValue(grant, 'grant-base');
  if (request === undefined && base === undefined) return null;
  return { request: request ?? '', base: base ?? '' };
}

/** Whether a signed grant is the reviewed template: same tags, same content, later than its base. */
export function isReviewedGrant(grant: NostrEvent, reviewed: EventTemplate, base: NostrEvent): boolean {
  return (
    grant.kind === reviewed.kind &&
    grant.content === reviewed.content &&
    grant.created_at > base.created_at &&
    grant.tags.length === reviewed.tags.length &&
    grant.tags.every((tag, index) => sameList(tag, reviewed.tags[index] ?? []))
  );
}

function isProvenance(tag: readonly string[]): boolean {
  return (
    tag[0] === 'grant-request' || tag[0] === 'grant-base' || (tag[0] === 'e' && tag[3] === 'grant-request')
  );
}

function changedTags(base: string[][], changes: GrantChanges): string[][] {
  let tags = base.map(tag => [...tag]);
  for (const kind of changes.kinds ?? []) tags = added(tags, ['k', String(kind)]);
  for (const room of changes.rooms ?? []) tags = added(tags, ['room', room]);
  for (const { owner, identifier, level } of changes.repos ?? []) {
    const prefix = `${owner}:${identifier}:`;
    const same = (value: string) => value.startsWith(prefix) && !value.slice(prefix.length).includes(':');
    tags = replaced(tags, ['repo', `${prefix}${level}`], same);
  }
  for (const { label, ttl, encrypted } of changes.sites ?? []) {
    const flags = [
      ...(ttl === undefined ? [] : [`ttl=${ttl}`]),
      ...(encrypted === true ? ['encrypted'] : []),
    ];
    tags = replaced(tags, ['sites', label, ...flags], value => value === label);
  }
  for (const field of ['wiki', 'jobs', 'rate'] as const) {
    const value = changes[field];
    if (value !== undefined) tags = replaced(tags, [field, String(value)], () => true);
  }
  return tags;
}

function added(tags: string[][], tag: string[]): string[][] {
  const there = tagsNamed({ tags }, tag[0] ?? '').some(existing => existing[1]?.trim() === tag[1]);
  return there ? tags : [...tags, tag];
}

/** The tag in the place of the first of its name that `same` takes, further ones dropped; at the end without one. */
function replaced(tags: string[][], tag: string[], same: (value: string) => boolean): string[][] {
  const matches = (existing: string[]) => existing[0] === tag[0] && same((existing[1] ?? '').trim());
  const at = tags.findIndex(matches);
  if (at === -1) return [...tags, tag];
  return tags.flatMap((existing, index) => (index === at ? [tag] : matches(existing) ? [] : [existing]));
}

/** Equal in effect: the same entries in any order. */
export function sameScope(one: GrantScope, other: GrantScope): boolean {
  return scopeKey(one) === scopeKey(other);
}

function scopeKey(scope: GrantScope): string {
  const sites = (scope.sites ?? []).map(({ label, ttl, encrypted }) => [label, ttl ?? 0, encrypted === true]);
  const repos = scope.repos.map(({ owner, identifier, level }) => [owner, identifier, level]);
  const lists = [scope.kinds, scope.rooms, repos, sites].map(list =>
    list.map(entry => JSON.stringify(entry)).sort(),
  );
  return JSON.stringify([lists, scope.wiki ?? '', scope.jobs ?? '', scope.rate]);
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

function describe(error: z.ZodError): string {
  const issue = error.issues[0];
  const path = issue?.path.join('.') ?? '';
  return path === '' ? 'must hold {"base","changes"} as JSON' : `${path}: ${issue?.message ?? 'not usable'}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused by the schema, in words of ours.
    return undefined;
  }
}
