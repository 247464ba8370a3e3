// What a grant lets through (spec/agent-grants.md section 2): one question a function, and the whole check in the order
// in which the relay refuses.

import type { NostrEvent } from './event.ts';
import type { GrantScope, GrantState, RepositoryLevel } from './grant.ts';
import { KIND } from './kinds.ts';
import { namedSiteLabel, rootSiteLabel } from './site.ts';
import { expirationOf, isHex64, tagValue, tagValues } from './tags.ts';

const ALWAYS: readonly number[] = [KIND.profile, KIND.relayList, KIND.auth];
const WIKI_PROPOSE: readonly number[] = [KIND.wikiPage, KIND.wikiMerge];
const WIKI_EDIT: readonly number[] = [KIND.wikiPage, KIND.wikiMerge, KIND.wikiRedirect];
const JOBS_REQUEST: readonly number[] = [KIND.jobRequest, KIND.jobCancel];
const JOBS_SERVE: readonly number[] = [KIND.jobAccepted, KIND.jobProgress, KIND.jobResult, KIND.jobError];
const SITES: readonly number[] = [KIND.rootSite, KIND.namedSite];
const STATUS: readonly number[] = [KIND.statusOpen, KIND.statusApplied, KIND.statusClosed, KIND.statusDraft];
const REPOSITORY: readonly number[] = [
  KIND.patch,
  KIND.pullRequest,
  KIND.pullRequestUpdate,
  KIND.issue,
  KIND.comment,
  ...STATUS,
];

/** Whether the scope admits a kind: by `k`, by role, or because every agent may publish it. */
export function allowsKind(scope: GrantScope, kind: number): boolean {
  if (ALWAYS.includes(kind) || scope.kinds.includes(kind)) return true;
  if (scope.wiki === 'propose' && WIKI_PROPOSE.includes(kind)) return true;
  if (scope.wiki === 'edit' && WIKI_EDIT.includes(kind)) return true;
  if ((scope.jobs === 'request' || scope.jobs === 'both') && JOBS_REQUEST.includes(kind)) return true;
  if ((scope.jobs === 'serve' || scope.jobs === 'both') && JOBS_SERVE.includes(kind)) return true;
  return scope.sites !== undefined && scope.sites.length > 0 && SITES.includes(kind);
}

export function allowsRoom(scope: GrantScope, room: string): boolean {
  return scope.rooms.includes(room);
}

export type RepositoryAddress = { owner: string; identifier: string };

/** The level granted on a repository, or undefined. */
export function repositoryLevel(scope: GrantScope, address: RepositoryAddress): RepositoryLevel | undefined {
  const { owner, identifier } = address;
  return scope.repos.find(entry => entry.owner === owner && entry.identifier === identifier)?.level;
}

/** The repositories an event names in `a` and `A`, each once. */
export function repositoryAddresses(event: Pick<NostrEvent, 'tags'>): RepositoryAddress[] {
  const found = new Map<string, RepositoryAddress>();
  for (const tag of event.tags) {
    if (tag[0] !== 'a' && tag[0] !== 'A') continue;
    const [kind, owner, ...rest] = (tag[1] ?? '').split(':');
    const identifier = rest.join(':');
    if (kind !== String(KIND.repository) || !isHex64(owner) || identifier === '') continue;
    found.set(`${owner}:${identifier}`, { owner, identifier });
  }
  return [...found.values()];
}

/**
 * How long a site under that label may live: days, null for ever, undefined when no entry covers it. Of several entries
 * that cover it the longest counts.
 */
export function siteLifetime(scope: GrantScope, label: string): number | null | undefined {
  const covering = (scope.sites ?? []).filter(entry => entry.label === label || entry.label === '*');
  if (covering.length === 0) return undefined;
  let longest = 0;
  for (const { ttl } of covering) {
    if (ttl === undefined) return null;
    longest = Math.max(longest, ttl);
  }
  return longest;
}

/** Terms of an agent's upload (spec/sites-and-blobs.md section 5): days it is kept, null for ever. */
export function uploadTerms(scope: GrantScope): { days: number | null; encrypted: boolean } {
  const sites = scope.sites ?? [];
  const ttls = sites.map(entry => entry.ttl);
  const lasting = sites.length === 0 || ttls.includes(undefined);
  const days = lasting ? null : Math.max(...ttls.map(ttl => ttl ?? 0));
  return { days, encrypted: sites.some(entry => entry.encrypted === true) };
}

/** Why a grant in that state lets nothing through; null when it is active. */
export function grantStateRefusal(state: GrantState): string | null {
  if (state === 'active') return null;
  return `restricted: agent grant ${state === 'expired' ? 'has expired' : `is ${state}`}`;
}

/**
 * Why the scope does not let the event through, or null: kind, room, site, repository, status, in that order. `now` in
 * Unix seconds bounds a site's lifetime. State comes before this (grantStateRefusal), the rate after it.
 */
export function scopeRefusal(scope: GrantScope, event: NostrEvent, now: number): string | null {
  if (!allowsKind(scope, event.kind)) return `restricted: agent grant does not allow kind ${event.kind}`;
  return outsideKindRefusal(scope, event, now);
}

/** As scopeRefusal for an event whose kind is admitted by another rule (a request for more access). */
export function outsideKindRefusal(scope: GrantScope, event: NostrEvent, now: number): string | null {
  // Every `h`, not only the first: a second one would make the event show in another room's queries.
  const outside = tagValues(event, 'h').find(room => room !== '' && !allowsRoom(scope, room));
  if (outside !== undefined) return `restricted: agent grant does not allow room ${outside}`;
  return siteRefusal(scope, event, now) ?? repositoryRefusal(scope, event);
}

/** Why the event is past the agent's rate; `rate` is events a minute. */
export function rateRefusal(rate: number): string {
  return `restricted: agent grant does not allow more than ${rate} events per minute`;
}

function siteRefusal(scope: GrantScope, event: NostrEvent, now: number): string | null {
  if (!SITES.includes(event.kind)) return null;
  const label =
    event.kind === KIND.rootSite
      ? rootSiteLabel(event.pubkey)
      : namedSiteLabel(event.pubkey, tagValue(event, 'd') ?? '');
  const days = siteLifetime(scope, label);
  if (days === undefined) return `restricted: agent grant does not allow site ${label}`;
  if (days === null) return null;
  const latest = now + days * 86_400;
  const expires = expirationOf(event);
  const lead = `invalid: agent grant allows site ${label} for ${days} days:`;
  if (expires === undefined) return `${lead} add an expiration tag no later than ${latest}`;
  return expires <= latest ? null : `${lead} set the expiration tag no later than ${latest}`;
}

function repositoryRefusal(scope: GrantScope, event: NostrEvent): string | null {
  if (!REPOSITORY.includes(event.kind)) return null;
  const addresses = repositoryAddresses(event);
  if (addresses.length === 0 && event.kind !== KIND.comment) {
    return 'restricted: agent grant does not allow repository events without a repository address';
  }
  const levels = addresses.map(address => ({ ...address, level: repositoryLevel(scope, address) }));
  const missing = levels.find(({ level }) => level === undefined);
  if (missing !== undefined) {
    return `restricted: agent grant does not allow repository ${missing.owner}:${missing.identifier}`;
  }
  if (!STATUS.includes(event.kind)) return null;
  const low = levels.find(({ level }) => level !== 'maintain');
  if (low === undefined) return null;
  return `restricted: agent grant does not allow status changes in repository ${low.owner}:${low.identifier}`;
}
