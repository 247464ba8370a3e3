// Searching by words (NIP-50): what of an event is searched, which words a query asks for, and how well they fit. User
// text is only ever compared as words; it never reaches the engine as syntax.

import type { NostrEvent } from './event.ts';

/** Tags that hold words for people, beside the content. */
const TEXT_TAGS = new Set(['title', 'subject', 'name', 'summary', 'alt', 'description']);
/** A word as the index cuts them: letters and digits of any script. */
const WORD = /[\p{L}\p{N}\p{Co}]+/gu;
/** `language:en` and the like: extensions of NIP-50 we do not know are to be ignored. */
const EXTENSION = /^[a-z]+:\S+$/;

/** The words of a text: without marks, in lower case. */
export function words(text: string): string[] {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().match(WORD) ?? [];
}

/** The words a query asks for, each once; none when it holds only signs or extensions. */
export function searchWords(query: string): string[] {
  const parts = query.split(/\s+/).filter(part => !EXTENSION.test(part));
  return [...new Set(words(parts.join(' ')))];
}

/** What of an event is searched. */
export function searchText(event: Pick<NostrEvent, 'tags' | 'content'>): string {
  const named = event.tags.filter(([name, value]) => TEXT_TAGS.has(name ?? '') && value !== undefined);
  return [...named.map(tag => tag[1]), event.content].join('\n');
}

/** A test for one query: does the event hold every word of it? A query without words fits nothing. */
export function searchTest(query: string): (event: Pick<NostrEvent, 'tags' | 'content'>) => boolean {
  const wanted = searchWords(query);
  if (wanted.length === 0) return () => false;
  return event => {
    const held = new Set(words(searchText(event)));
    return wanted.every(word => held.has(word));
  };
}

/** How well an event that fits answers the query: often, early and in few words is better. */
export function searchScore(query: string, event: Pick<NostrEvent, 'tags' | 'content'>): number {
  const held = words(searchText(event));
  const length = 0.25 + (0.75 * held.length) / 60;
  let score = 0;
  for (const word of searchWords(query)) {
    const times = held.filter(one => one === word).length;
    score += times / (times + 1.2 * length);
  }
  return score;
}
