// The filter of an event callback (seed "Callbacks", spec/callbacks.md section 1): a NIP-01 filter of few keys, read
// strictly, and what of it an agent's grant must cover.

import type { NostrEvent } from './event.ts';
import { matcher } from './filter.ts';
import type { GrantScope, GrantState } from './grant.ts';
import { grantStateRefusal } from './grant-scope.ts';
import type { Parsed } from './reasons.ts';
import { isHex64, isRoomId } from './tags.ts';

export type CallbackFilter = {
  kinds: number[];
  authors?: string[];
  '#a'?: string[];
  '#e'?: string[];
  '#p'?: string[];
  '#h'?: string[];
};

const MAX_KINDS = 32;
const MAX_VALUES = 8;

type ListKey = Exclude<keyof CallbackFilter, 'kinds'>;

const LISTS: Readonly<Record<ListKey, { test: (value: unknown) => value is string; what: string }>> = {
  authors: { test: isHex64, what: 'public keys of 64 lower-case hex characters' },
  '#a': { test: isAddress, what: 'addresses <kind>:<pubkey>:<identifier>' },
  '#e': { test: isHex64, what: 'event ids of 64 lower-case hex characters' },
  '#p': { test: isHex64, what: 'public keys of 64 lower-case hex characters' },
  '#h': { test: isRoomId, what: 'room ids' },
};

/** Reads a filter from outside; the refusal starts `invalid: callback filter` and names the key. */
export function parseCallbackFilter(input: unknown): Parsed<CallbackFilter> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return invalid('must be an object');
  const given = new Map(Object.entries(input));
  // A callback sees only what arrives after it is registered, so a start changes nothing.
  given.delete('since');
  const kinds = given.get('kinds');
  given.delete('kinds');
  if (!isList(kinds, MAX_KINDS) || !kinds.every(isKind)) {
    return invalid(`kinds must be 1 to ${MAX_KINDS} whole numbers from 0 to 65535`);
  }
  const filter: CallbackFilter = { kinds: [...new Set(kinds)] };
  for (const [key, values] of given) {
    if (!isListKey(key)) return invalid(`has an unknown key ${key.slice(0, 32)}`);
    const { test, what } = LISTS[key];
    if (!isList(values, MAX_VALUES) || !values.every(test)) {
      return invalid(`${key} must be 1 to ${MAX_VALUES} ${what}`);
    }
    filter[key] = [...new Set(values)];
  }
  return { ok: true, value: filter };
}

/** Is it an event this callback waits for? */
export function callbackMatcher(filter: CallbackFilter): (event: NostrEvent) => boolean {
  return matcher(filter);
}

/** Why an agent under that grant may not wait for this, or null. Kinds are not limited by the grant. */
export function callbackCoverage(
  filter: CallbackFilter,
  grant: { scope: GrantScope; state: GrantState } | null,
): string | null {
  if (grant === null) return 'restricted: agent grant is not active';
  if (grant.state !== 'active') return grantStateRefusal(grant.state);
  const room = filter['#h']?.find(id => !grant.scope.rooms.includes(id));
  if (room !== undefined) return `restricted: agent grant does not cover room ${room}`;
  for (const address of filter['#a'] ?? []) {
    const repository = repositoryOf(address);
    if (repository === null) continue;
    const { owner, identifier } = repository;
    const covered = grant.scope.repos.some(entry => entry.owner === owner && entry.identifier === identifier);
    if (!covered) return `restricted: agent grant does not cover repository ${identifier}`;
  }
  return null;
}

const REPOSITORY = '30617';

function repositoryOf(address: string): { owner: string; identifier: string } | null {
  const [kind, owner = '', ...identifier] = address.split(':');
  return kind === REPOSITORY ? { owner, identifier: identifier.join(':') } : null;
}

function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 1024 || !value.isWellFormed()) return false;
  const [kind = '', pubkey, ...identifier] = value.split(':');
  return /^(0|[1-9]\d{0,4})$/.test(kind) && isKind(Number(kind)) && isHex64(pubkey) && identifier.length > 0;
}

function isListKey(key: string): key is ListKey {
  return Object.hasOwn(LISTS, key);
}

function isList(value: unknown, max: number): value is unknown[] {
  return Array.isArray(value) && value.length >= 1 && value.length <= max;
}

function isKind(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535;
}

function invalid(text: string): { ok: false; refusal: string } {
  return { ok: false, refusal: `invalid: callback filter ${text}` };
}
