// A grant as sentences a person can check (seed "Grant an agent"), one thought each.

import type { GrantScope } from '../contract/agents.ts';

const KIND_WORDS: Record<number, string> = {
  1: 'post short notes',
  5: 'take back what it wrote',
  7: 'react to messages',
  9: 'write messages',
  11: 'start threads',
  12: 'reply in threads',
  1111: 'comment',
  1617: 'send patches',
  1618: 'open pull requests',
  1621: 'open issues',
  20001: 'show that it is working',
  20002: 'show that it is typing',
  30023: 'publish articles',
  40003: 'edit its messages',
};

/** The sentences; `expires` in Unix seconds. */
export function grantWords(scope: GrantScope, expires: number): string[] {
  const words: string[] = [];
  if (scope.rooms.length > 0) {
    words.push(`It may post in ${scope.rooms.length === 1 ? 'the room' : 'the rooms'} ${list(scope.rooms)}.`);
  } else words.push('It may post in no room.');
  const known = scope.kinds.flatMap(kind => KIND_WORDS[kind] ?? []);
  const unknown = scope.kinds.filter(kind => KIND_WORDS[kind] === undefined);
  if (known.length > 0) words.push(`It may ${list(known)}.`);
  if (unknown.length > 0) words.push(`It may also publish events of kind ${list(unknown.map(String))}.`);
  if (scope.kinds.length === 0 && !scope.jobs) words.push('It may publish nothing but its own profile.');
  if (scope.jobs) words.push(jobWords(scope.jobs));
  if (scope.wiki === 'propose') words.push('It may propose wiki pages; each waits until you approve it.');
  if (scope.wiki === 'edit') words.push('It may change wiki pages at once.');
  for (const { owner, identifier, level } of scope.repos) {
    words.push(`In the repository ${identifier} of ${owner.slice(0, 8)} it may ${levelWords(level)}.`);
  }
  for (const { label, ttl, encrypted } of scope.sites ?? []) {
    const which = label === '*' ? 'any site under its key' : `the site ${label}`;
    const life = ttl === undefined ? '' : ` for ${ttl} ${ttl === 1 ? 'day' : 'days'}`;
    words.push(`It may publish ${which}${life}${encrypted ? ', with encrypted files only' : ''}.`);
  }
  words.push(`It may publish at most ${scope.rate} ${scope.rate === 1 ? 'event' : 'events'} a minute.`);
  words.push(`This ends on ${new Date(expires * 1000).toISOString().slice(0, 10)}, or when you revoke it.`);
  return words;
}

function jobWords(jobs: NonNullable<GrantScope['jobs']>): string {
  if (jobs === 'request') return 'It may ask others to do long tasks.';
  if (jobs === 'serve') return 'It may take on long tasks it is asked to do.';
  return 'It may ask others to do long tasks and take on those it is asked to do.';
}

function levelWords(level: 'propose' | 'read' | 'maintain'): string {
  if (level === 'propose') return 'propose issues, patches and comments that wait for approval';
  if (level === 'read') return 'open issues, patches and comments';
  return 'act as a maintainer';
}

function list(items: readonly string[]): string {
  if (items.length <= 1) return items[0] ?? '';
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
