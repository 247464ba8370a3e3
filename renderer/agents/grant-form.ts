// The whole grant form (seed "Add an agent"): what it holds, one repository or site a line, and the draft it becomes.

import { type GrantDraft, type GrantView, grantDraft } from '../../main/contract/agents.ts';
import { npubToHex } from '../parts/npub.ts';
import type { Problems } from './draft.ts';

const DAY = 86_400_000;

/** Kinds by what they let an agent do; any other is added by its number. */
export const FORM_KINDS: readonly { kind: number; words: string }[] = [
  { kind: 9, words: 'Write messages in its rooms' },
  { kind: 5, words: 'Take back what it wrote' },
  { kind: 7, words: 'React to messages' },
  { kind: 1111, words: 'Comment on posts and pages' },
  { kind: 40003, words: 'Edit its messages' },
  { kind: 20001, words: 'Show that it is working' },
  { kind: 20002, words: 'Show that it is typing' },
  { kind: 1, words: 'Post short notes' },
  { kind: 30023, words: 'Publish articles' },
];

export type GrantValues = {
  name: string;
  rooms: string[];
  kinds: number[];
  serves: boolean;
  requests: boolean;
  wiki: GrantDraft['wiki'];
  /** One a line: `<owner>:<identifier>:propose`, `:read` or `:maintain`. */
  repos: string;
  /** One a line: `<label> [ttl=<days>] [encrypted]`. */
  sites: string;
  rate: number | '';
  /** The day it ends, as in a date field. */
  ends: string;
};

/** A new grant; it ends 90 days from now. */
export function newGrant(room: string | undefined, now = Date.now()): GrantValues {
  return {
    name: '',
    rooms: room === undefined ? [] : [room],
    kinds: [9, 5, 20001, 20002],
    serves: true,
    requests: true,
    wiki: 'none',
    repos: '',
    sites: '',
    rate: 60,
    ends: dayOf(now + 90 * DAY),
  };
}

/** The form filled with a grant that is there; one that is over is offered for 90 days more. */
export function valuesOf(grant: GrantView, now = Date.now()): GrantValues {
  const { scope, name, expires } = grant;
  return {
    name,
    rooms: scope.rooms,
    kinds: scope.kinds,
    serves: scope.jobs === 'serve' || scope.jobs === 'both',
    requests: scope.jobs === 'request' || scope.jobs === 'both',
    wiki: scope.wiki ?? 'none',
    repos: scope.repos.map(({ owner, identifier, level }) => `${owner}:${identifier}:${level}`).join('\n'),
    sites: (scope.sites ?? []).map(siteLine).join('\n'),
    rate: scope.rate,
    ends: dayOf(expires * 1000 > now ? expires * 1000 : now + 90 * DAY),
  };
}

export type CheckedGrant = { draft: GrantDraft; problems: null } | { draft: null; problems: Problems };

/** The draft, or a problem per field. `keep` is the end of the grant being edited, kept to the second on its own day. */
export function checkGrant(values: GrantValues, keep?: number): CheckedGrant {
  const { serves, requests } = values;
  const repos = readRepos(values.repos);
  const sites = readSites(values.sites);
  const expires = endOf(values.ends, keep);
  const parsed = grantDraft.safeParse({
    name: values.name,
    rooms: values.rooms,
    kinds: values.kinds,
    repos: repos.entries,
    sites: sites.entries,
    wiki: values.wiki,
    jobs: serves && requests ? 'both' : serves ? 'serve' : requests ? 'request' : 'none',
    rate: values.rate === '' ? undefined : values.rate,
    expires: expires ?? undefined,
  });
  const problems: Record<string, string> = {};
  if (repos.problem !== null) problems.repos = repos.problem;
  if (sites.problem !== null) problems.sites = sites.problem;
  for (const issue of parsed.error?.issues ?? []) {
    const [path = ''] = issue.path.map(String);
    problems[path] ??= path === 'expires' ? 'Choose a day' : numberWords(path, issue.message);
  }
  if (parsed.success && Object.keys(problems).length === 0) return { draft: parsed.data, problems: null };
  return { draft: null, problems };
}

function numberWords(path: string, message: string): string {
  return path === 'rate' && !/^At /.test(message) ? 'Write a number, 1 to 600' : message;
}

type Lines<T> = { entries: T[]; problem: string | null };

/** Repositories, one a line; the owner as hex or npub. */
export function readRepos(text: string): Lines<GrantDraft['repos'][number]> {
  return readLines(
    text,
    line => {
      const [, owner = '', identifier = '', level = ''] =
        /^([^:\s]+):(.+):(propose|read|maintain)$/.exec(line) ?? [];
      const key = npubToHex(owner);
      if (key === null || identifier === '') return null;
      return { owner: key, identifier, level: level as GrantDraft['repos'][number]['level'] };
    },
    line => `"${line}" is no repository: write <owner>:<identifier>:propose, :read or :maintain`,
  );
}

/** Sites, one a line. */
export function readSites(text: string): Lines<GrantDraft['sites'][number]> {
  return readLines(
    text,
    line => {
      const [label = '', ...flags] = line.split(/\s+/);
      const site: GrantDraft['sites'][number] = { label };
      for (const flag of flags) {
        const [, days] = /^ttl=([1-9]\d{0,2})$/.exec(flag) ?? [];
        if (days !== undefined && Number(days) <= 365) site.ttl = Number(days);
        else if (flag === 'encrypted') site.encrypted = true;
        else return null;
      }
      return site;
    },
    line => `"${line}" is no site: write <label>, then ttl=<days> or encrypted if wanted`,
  );
}

function readLines<T>(
  text: string,
  read: (line: string) => T | null,
  words: (line: string) => string,
): Lines<T> {
  const lines = text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
  const entries: T[] = [];
  for (const line of lines) {
    const entry = read(line);
    if (entry === null) return { entries, problem: words(line) };
    entries.push(entry);
  }
  return { entries, problem: null };
}

function siteLine({ label, ttl, encrypted }: GrantDraft['sites'][number]): string {
  return [
    label,
    ...(ttl === undefined ? [] : [`ttl=${ttl}`]),
    ...(encrypted === true ? ['encrypted'] : []),
  ].join(' ');
}

/** A day as a date field writes it, in local time. */
export function dayOf(ms: number): string {
  const day = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** The end of that day in Unix seconds, or null; a day that already ends the grant keeps its very moment. */
export function endOf(day: string, keep?: number): number | null {
  if (keep !== undefined && dayOf(keep * 1000) === day) return keep;
  const end = new Date(`${day}T23:59:59`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(end.getTime())) return null;
  // The last day a grant may have ends before its midnight.
  return Math.min(Math.floor(end.getTime() / 1000), latestEnd(end));
}

const LONGEST = 365 * DAY;

function latestEnd(end: Date): number {
  const latest = Date.now() + LONGEST - 60_000;
  return dayOf(latest) === dayOf(end.getTime()) ? Math.floor(latest / 1000) : Number.POSITIVE_INFINITY;
}
