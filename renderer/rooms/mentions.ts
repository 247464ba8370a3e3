// Completing a name behind `@` while writing. Pure.

import type { Party } from '../../main/contract/app.ts';

/** The name being typed: what stands after `@`, and where the `@` is. */
export type Typing = { at: number; query: string };

const BEFORE = /[\s([{"'*_]/;

/** The mention under the caret, if one is being typed: `@` at a word's start, nothing but the name since. */
export function mentionAt(text: string, caret: number): Typing | undefined {
  const at = text.lastIndexOf('@', caret - 1);
  if (at < 0) return undefined;
  if (at > 0 && !BEFORE.test(text[at - 1] ?? '')) return undefined;
  const query = text.slice(at + 1, caret);
  if (query.length > 40 || /[\n@]/.test(query) || /\s\S*\s/.test(query)) return undefined;
  return { at, query };
}

/** Who fits what was typed: names that begin with it, then names with a later word that does, agents first. */
export function completions(parties: readonly Party[], query: string, limit = 8): Party[] {
  const wanted = query.toLowerCase();
  const rank = (party: Party): number => {
    const name = party.name.toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (name.split(/[\s_-]+/).some(word => word.startsWith(wanted))) return 1;
    return party.npub.startsWith(wanted) && wanted.length > 4 ? 2 : 3;
  };
  return parties
    .filter(party => !party.me)
    .map(party => ({ party, rank: rank(party) }))
    .filter(({ rank }) => rank < 3)
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        Number(b.party.agent) - Number(a.party.agent) ||
        a.party.name.localeCompare(b.party.name),
    )
    .slice(0, limit)
    .map(({ party }) => party);
}

/** The text with the name put in place of what was typed, and where the caret then stands. */
export function complete(text: string, typing: Typing, name: string): { text: string; caret: number } {
  const head = `${text.slice(0, typing.at)}@${name} `;
  const tail = text.slice(typing.at + 1 + typing.query.length).replace(/^ /, '');
  return { text: head + tail, caret: head.length };
}
