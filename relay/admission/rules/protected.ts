// Protected events (NIP-70): taken from their author alone, on a connection that has proved it. A repost must not
// carry one past that.

import type { Origin } from '../../context.ts';
import type { NostrEvent } from '../../protocol/event.ts';
import { KIND } from '../../protocol/kinds.ts';
import type { Rule } from '../rule.ts';

export const protectedEvent: Rule = ({ event, origin }) => {
  if (isProtected(event)) return authorRefusal(event, origin);
  const isRepost = event.kind === KIND.repost || event.kind === KIND.genericRepost;
  return isRepost && embedsProtected(event.content) ? 'blocked: a protected event is not reposted' : null;
};

function isProtected(event: { tags: unknown[] }): boolean {
  return event.tags.some(tag => Array.isArray(tag) && tag[0] === '-');
}

function authorRefusal(event: NostrEvent, origin: Origin): string | null {
  if (origin.via === 'import') return 'blocked: a protected event is only taken from its author';
  if (origin.keys.includes(event.pubkey)) return null;
  return origin.keys.length === 0
    ? 'auth-required: a protected event is only taken from its author'
    : 'restricted: a protected event is only taken from its author';
}

function embedsProtected(content: string): boolean {
  if (!content.includes('"-"')) return false;
  try {
    const inner: unknown = JSON.parse(content);
    return (
      typeof inner === 'object' &&
      inner !== null &&
      'tags' in inner &&
      Array.isArray(inner.tags) &&
      isProtected({ tags: inner.tags })
    );
  } catch {
    // Not an event inside: nothing to protect.
    return false;
  }
}
