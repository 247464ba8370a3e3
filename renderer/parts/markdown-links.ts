// What Markdown leaves plain and people mean as links: bare web addresses, `@name`, and `nostr:npub…` (NIP-27).
// Works on the parsed tree, so that nothing inside code is touched.

import { decode } from 'nostr-tools/nip19';
import type { Party } from '../../main/contract/app.ts';
import { mentionSpans } from './mention-spans.ts';

/** The part of a Markdown tree that is looked at here. */
type Node = {
  type: string;
  value?: string;
  url?: string;
  children?: Node[];
  data?: { hProperties?: Record<string, string> };
};

const LINK = /(https?:\/\/[^\s<>"'`]+)|(nostr:(?:npub|nprofile)1[02-9ac-hj-np-z]{20,})/g;
// Where a sentence goes on after an address.
const TRAILING = /[.,;:!?)\]}]+$/;
const LEFT_ALONE = new Set(['link', 'linkReference', 'code', 'inlineCode', 'definition', 'html']);

/** A remark plugin; `name` gives how to call a key that is named by its npub. */
export function markdownLinks(parties: readonly Party[], name: (pubkey: string) => Party) {
  const mention = (party: Party, text: string): Node => ({
    type: 'link',
    url: party.agent ? `#/agents/${party.pubkey}` : `#mention`,
    children: [{ type: 'text', value: text }],
    data: { hProperties: { 'data-mention': party.me ? 'me' : 'other', title: party.npub } },
  });

  const named = (text: string): Node[] =>
    mentionSpans(text, parties).map(span =>
      span.party ? mention(span.party, `@${span.party.name}`) : { type: 'text', value: span.text },
    );

  const cut = (text: string): Node[] => {
    const nodes: Node[] = [];
    let plain = 0;
    for (const match of text.matchAll(LINK)) {
      const link = match[0].replace(TRAILING, '');
      const node = link.startsWith('nostr:') ? referenced(link.slice(6), name, mention) : webLink(link);
      if (!node) continue;
      if (match.index > plain) nodes.push(...named(text.slice(plain, match.index)));
      nodes.push(node);
      plain = match.index + link.length;
    }
    if (plain < text.length) nodes.push(...named(text.slice(plain)));
    return nodes;
  };

  const walk = (node: Node): void => {
    if (!node.children || LEFT_ALONE.has(node.type)) return;
    node.children = node.children.flatMap(child => {
      if (child.type === 'text' && child.value !== undefined) return cut(child.value);
      walk(child);
      return [child];
    });
  };
  return () => walk as (tree: unknown) => void;
}

function webLink(url: string): Node {
  return { type: 'link', url, children: [{ type: 'text', value: url }] };
}

function referenced(
  code: string,
  name: (pubkey: string) => Party,
  mention: (party: Party, text: string) => Node,
): Node | undefined {
  try {
    const found = decode(code);
    const pubkey =
      found.type === 'npub' ? found.data : found.type === 'nprofile' ? found.data.pubkey : undefined;
    if (pubkey === undefined) return undefined;
    const party = name(pubkey);
    return mention(party, `@${party.name}`);
  } catch {
    // A damaged reference is shown as it was written.
    return undefined;
  }
}
