// The agent grant, kind 30392 (spec/agent-grants.md section 1): read strictly from an event, with the state it is in.
// What a grant lets through is in grant-scope.ts.

import type { NostrEvent } from './event.ts';
import type { Parsed } from './reasons.ts';
import { parseSiteLabel } from './site.ts';
import { isHex64, tagsNamed, tagValue, tagValues } from './tags.ts';

export type RepositoryLevel = 'propose' | 'read' | 'maintain';
export type RepositoryEntry = { owner: string; identifier: string; level: RepositoryLevel };
/** `ttl` in days; without one what is published under the entry never expires. */
export type SiteEntry = { label: string; ttl?: number; encrypted?: true };
export type WikiAccess = 'propose' | 'edit';
export type JobAccess = 'request' | 'serve' | 'both';

/** What an agent may write. `rate` is events a minute. */
export type GrantScope = {
  kinds: number[];
  rooms: string[];
  repos: RepositoryEntry[];
  wiki?: WikiAccess;
  jobs?: JobAccess;
  sites?: SiteEntry[];
  rate: number;
};

/** What a grant event says. `expires` in Unix seconds; in the past it means revoke. */
export type Grant = { agent: string; name: string; expires: number; scope: GrantScope };

/** The effective grant of an agent as the relay keeps it; `revoked` in Unix seconds, 0 when it is not. */
export type AgentGrant = {
  pubkey: string;
  owner: string;
  event_id: string;
  name: string;
  expires: number;
  paused: boolean;
  revoked: number;
  scope: GrantScope;
};

export type GrantState = 'active' | 'paused' | 'revoked' | 'expired';

export const MAX_GRANT_DAYS = 365;
const MAX_ENTRIES = 256;
const DEFAULT_RATE = 60;

/** Reads a grant; `now` in Unix seconds bounds its expiration. Refusals start `invalid: agent grant`. */
export function parseGrant(event: NostrEvent, now: number): Parsed<Grant> {
  try {
    const agent = agentOf(event);
    const expires = expiresOf(event, now);
    checkContent(event.content);
    const name = cut((scalar(event, 'name') ?? '').trim(), 64).trimEnd();
    return { ok: true, value: { agent, name, expires, scope: scopeOf(event, agent) } };
  } catch (error) {
    if (error instanceof GrantError) return { ok: false, refusal: `invalid: agent grant ${error.message}` };
    throw error;
  }
}

/** Revoked wins over paused, paused over expired. */
export function grantState(
  grant: Pick<AgentGrant, 'paused' | 'revoked' | 'expires'>,
  now: number,
): GrantState {
  if (grant.revoked !== 0) return 'revoked';
  if (grant.paused) return 'paused';
  return grant.expires > now ? 'active' : 'expired';
}

/** Leaves parseGrant as a refusal; nobody else sees it. */
class GrantError extends Error {}

function agentOf(event: NostrEvent): string {
  const agent = tagValue(event, 'd');
  if (!isHex64(agent)) throw new GrantError("d tag must be the agent's public key in hex");
  if (agent === event.pubkey) throw new GrantError('d tag must name another key than the signer');
  if (tagValue(event, 'p') !== agent) throw new GrantError("p tag must repeat the agent's public key");
  return agent;
}

function expiresOf(event: NostrEvent, now: number): number {
  const value = scalar(event, 'expiration');
  if (value === undefined) throw new GrantError('needs an expiration tag');
  const expires = integer(value, 15);
  if (expires === null || expires < 1) throw new GrantError('expiration must be a Unix time in seconds');
  if (expires > now + MAX_GRANT_DAYS * 86_400) {
    throw new GrantError(`expiration must be at most ${MAX_GRANT_DAYS} days from now`);
  }
  return expires;
}

function checkContent(content: string): void {
  if (content === '') return;
  try {
    JSON.parse(content);
  } catch {
    // The parser's own words point into somebody's private note: ours do not.
    throw new GrantError('content must be empty or JSON');
  }
}

function scopeOf(event: NostrEvent, agent: string): GrantScope {
  const wiki = choice(event, 'wiki', ['propose', 'edit'] as const);
  const jobs = choice(event, 'jobs', ['request', 'serve', 'both'] as const);
  const sites = entries(event, 'sites', tag => siteEntry(tag, agent));
  return {
    kinds: entries(event, 'k', kindEntry),
    rooms: entries(event, 'room', roomEntry),
    repos: entries(event, 'repo', repositoryEntry),
    ...(wiki === undefined ? {} : { wiki }),
    ...(jobs === undefined ? {} : { jobs }),
    ...(sites.length === 0 ? {} : { sites }),
    rate: rateOf(event),
  };
}

type Entry<T> = { identity: string; entry: T };

/** Every tag of that name as an entry; of two with one identity the first stays. */
function entries<T>(event: NostrEvent, name: string, read: (tag: string[]) => Entry<T>): T[] {
  const found = new Map<string, T>();
  for (const tag of tagsNamed(event, name)) {
    const { identity, entry } = read(tag);
    if (!found.has(identity)) found.set(identity, entry);
    if (found.size > MAX_ENTRIES)
      throw new GrantError(`lists more than ${MAX_ENTRIES} entries in ${name} tags`);
  }
  return [...found.values()];
}

function kindEntry(tag: string[]): Entry<number> {
  const kind = integer(tag[1] ?? '', 5);
  if (kind === null || kind > 65_535) throw new GrantError('k tag must be a kind from 0 to 65535');
  return { identity: String(kind), entry: kind };
}

function roomEntry(tag: string[]): Entry<string> {
  const room = (tag[1] ?? '').trim();
  if (room === '' || bytes(room) > 128) throw new GrantError('room tag must be 1 to 128 bytes');
  return { identity: room, entry: room };
}

function repositoryEntry(tag: string[]): Entry<RepositoryEntry> {
  const match = /^([0-9a-f]{64}):([\s\S]+):(propose|read|maintain)$/.exec((tag[1] ?? '').trim());
  const [, owner = '', identifier = '', level = ''] = match ?? [];
  if (match === null || bytes(identifier) > 256) {
    throw new GrantError('repo tag must be <owner>:<identifier>:<propose, read or maintain>');
  }
  const entry = { owner, identifier, level: level as RepositoryLevel };
  return { identity: `${owner}:${identifier}`, entry };
}

function siteEntry(tag: string[], agent: string): Entry<SiteEntry> {
  const [, label = '', ...flags] = tag;
  checkSiteLabel(label, agent);
  const entry: SiteEntry = { label };
  for (const flag of flags) {
    if (flag === 'encrypted') entry.encrypted = true;
    else if (flag.startsWith('ttl=')) entry.ttl = siteTtl(flag.slice(4));
    else throw new GrantError('sites tag allows only ttl=<days> and encrypted after the label');
  }
  return { identity: label, entry };
}

function checkSiteLabel(label: string, agent: string): void {
  if (label === '*') return;
  const site = parseSiteLabel(label);
  if (site === null || site.type === 'snapshot') throw new GrantError('sites tag needs a site label or *');
  if (site.pubkey !== agent) throw new GrantError("sites tag must name a site under the agent's own key");
}

function siteTtl(text: string): number {
  const days = integer(text, 3);
  if (days === null || days < 1 || days > 365)
    throw new GrantError('sites ttl must be between 1 and 365 days');
  return days;
}

function rateOf(event: NostrEvent): number {
  const value = scalar(event, 'rate');
  if (value === undefined) return DEFAULT_RATE;
  const rate = integer(value, 3);
  if (rate === null || rate < 1 || rate > 600)
    throw new GrantError('rate must be from 1 to 600 events a minute');
  return rate;
}

function choice<T extends string>(event: NostrEvent, name: string, allowed: readonly T[]): T | undefined {
  const value = scalar(event, name);
  if (value === undefined) return undefined;
  const found = allowed.find(candidate => candidate === value);
  if (found === undefined) throw new GrantError(`${name} tag must be ${inWords(allowed)}`);
  return found;
}

/** Of several tags of a scalar the first that has a value counts. */
function scalar(event: NostrEvent, name: string): string | undefined {
  return tagValues(event, name).find(value => value !== '');
}

/** A decimal integer without sign, leading zeros or other notation; null otherwise. */
function integer(text: string, maxDigits: number): number | null {
  return /^(0|[1-9]\d*)$/.test(text) && text.length <= maxDigits ? Number(text) : null;
}

function inWords(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

function cut(text: string, characters: number): string {
  return [...text].slice(0, characters).join('');
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
