// Filters (NIP-01): read strictly, and one test of an event against a filter that stored and live queries share.

import type { Filter, NostrEvent } from './event.ts';
import type { Parsed } from './reasons.ts';
import { searchTest } from './search.ts';
import { isHex64 } from './tags.ts';

/** How much one REQ may ask: filters, values in one list. */
export type FilterCaps = { filters: number; filterValues: number };

const TAG_KEY = /^#[a-zA-Z]$/;
/** Longest text to search for. */
const MAX_SEARCH = 512;
/** Tags whose values are ids or keys, so that anything else can only be a mistake. */
const HEX_TAGS = new Set(['#e', '#p']);

/** The filters of a REQ or COUNT; one bad filter refuses them all. */
export function parseFilters(input: readonly unknown[], caps: FilterCaps): Parsed<Filter[]> {
  if (input.length === 0) return invalid('bad filter: at least one is needed');
  if (input.length > caps.filters) return invalid(`bad filter: more than ${caps.filters} in one request`);
  const filters: Filter[] = [];
  for (const one of input) {
    const parsed = parseFilter(one, caps);
    if (!parsed.ok) return parsed;
    filters.push(parsed.value);
  }
  return { ok: true, value: filters };
}

/** One filter with its lists free of repetition, or `invalid: bad filter` naming the key. */
export function parseFilter(input: unknown, caps: FilterCaps): Parsed<Filter> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return invalid('bad filter: must be an object');
  }
  const filter: Filter = {};
  for (const [key, value] of Object.entries(input)) {
    const problem = readKey(filter, key, value, caps);
    if (problem !== null) return invalid(`bad filter: ${problem}`);
  }
  return { ok: true, value: filter };
}

/** Reads one key into the filter; a text says why it cannot. */
function readKey(filter: Filter, key: string, value: unknown, caps: FilterCaps): string | null {
  if (key === 'since' || key === 'until' || key === 'limit') {
    if (!isCount(value)) return `${key} must be a whole number`;
    filter[key] = value;
    return null;
  }
  if (key === 'search') {
    if (!isText(value) || value.length > MAX_SEARCH)
      return `search must be a text of at most ${MAX_SEARCH} characters`;
    filter.search = value;
    return null;
  }
  const isTag = TAG_KEY.test(key);
  if (!isTag && key !== 'ids' && key !== 'authors' && key !== 'kinds')
    return `unknown key ${key.slice(0, 32)}`;
  if (!Array.isArray(value) || value.length === 0) return `${key} must be a list with at least one value`;
  if (value.length > caps.filterValues) return `${key} has more than ${caps.filterValues} values`;
  if (key === 'kinds') {
    if (!value.every(isKind)) return 'kinds must be numbers from 0 to 65535';
    filter.kinds = [...new Set<number>(value)];
    return null;
  }
  const test = isTag && !HEX_TAGS.has(key) ? isText : isHex64;
  if (!value.every(test)) {
    return test === isHex64 ? `${key} must be 64 hex characters each` : `${key} must be texts`;
  }
  const values = [...new Set<string>(value)];
  if (isTag) filter[key as `#${string}`] = values;
  else filter[key as 'ids' | 'authors'] = values;
  return null;
}

export type Matcher = (event: NostrEvent) => boolean;

/** A test for one filter, made once and asked often. `limit` is no condition. */
export function matcher(filter: Filter): Matcher {
  const ids = filter.ids && new Set(filter.ids);
  const authors = filter.authors && new Set(filter.authors);
  const kinds = filter.kinds && new Set(filter.kinds);
  const { since, until } = filter;
  const search = filter.search === undefined ? undefined : searchTest(filter.search);
  const tags: [string, Set<string>][] = tagConditions(filter).map(([name, values]) => [
    name,
    new Set(values),
  ]);
  return event => {
    if (since !== undefined && event.created_at < since) return false;
    if (until !== undefined && event.created_at > until) return false;
    if (kinds !== undefined && !kinds.has(event.kind)) return false;
    if (authors !== undefined && !authors.has(event.pubkey)) return false;
    if (ids !== undefined && !ids.has(event.id)) return false;
    for (const [name, values] of tags) if (!hasTag(event, name, values)) return false;
    return search === undefined || search(event);
  };
}

function hasTag(event: NostrEvent, name: string, values: ReadonlySet<string>): boolean {
  for (const tag of event.tags) {
    if (tag[0] === name && tag[1] !== undefined && values.has(tag[1])) return true;
  }
  return false;
}

/** Does the event match the filter? */
export function matches(filter: Filter, event: NostrEvent): boolean {
  return matcher(filter)(event);
}

/** The tag conditions of a filter as letter and values. */
export function tagConditions(filter: Filter): [string, string[]][] {
  const found: [string, string[]][] = [];
  for (const key in filter) {
    if (!key.startsWith('#')) continue;
    const values = filter[key as `#${string}`];
    if (values !== undefined) found.push([key.slice(1), values]);
  }
  return found;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isKind(value: unknown): value is number {
  return isCount(value) && value <= 65_535;
}

function invalid(text: string): { ok: false; refusal: string } {
  return { ok: false, refusal: `invalid: ${text}` };
}
