// Finding whom a text names as `@name`. Pure.

import type { Party } from '../../main/contract/app.ts';

const BEFORE = /[\s([{"'*_]/;

/** A stretch of text: plain, or the name of somebody. */
export type Span = { text: string; party?: Party };

/**
 * The text cut where it names one of the parties as `@name`. The longest name wins, and a name counts only when no
 * letter or digit follows it.
 */
export function mentionSpans(text: string, parties: readonly Party[]): Span[] {
  if (!text.includes('@')) return [{ text }];
  const byLength = [...parties]
    .filter(party => party.name !== '')
    .sort((a, b) => b.name.length - a.name.length);
  const spans: Span[] = [];
  let plain = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (at > 0 && !BEFORE.test(text[at - 1] ?? '')) continue;
    const party = byLength.find(one => namedAt(text, at + 1, one.name));
    if (!party) continue;
    if (at > plain) spans.push({ text: text.slice(plain, at) });
    plain = at + 1 + party.name.length;
    spans.push({ text: text.slice(at, plain), party });
    at = plain - 1;
  }
  if (plain < text.length) spans.push({ text: text.slice(plain) });
  return spans;
}

function namedAt(text: string, at: number, name: string): boolean {
  if (text.slice(at, at + name.length).toLowerCase() !== name.toLowerCase()) return false;
  return !/^[\p{L}\p{N}]/u.test(text.slice(at + name.length, at + name.length + 2));
}

/** Keys a text names, each once. Of two with one name, the one that was picked from the list is meant. */
export function mentionedKeys(text: string, parties: readonly Party[], picked: readonly string[]): string[] {
  const ordered = [...parties].sort(
    (a, b) => Number(picked.includes(b.pubkey)) - Number(picked.includes(a.pubkey)),
  );
  const keys = new Set<string>();
  for (const span of mentionSpans(text, ordered)) if (span.party) keys.add(span.party.pubkey);
  return [...keys].slice(0, 16);
}
