// Proving a key on a connection (NIP-42): what the 22242 must say before its signature is looked at.

import type { Urls } from '../context.ts';
import { LIMITS } from '../limits.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { KIND } from '../protocol/kinds.ts';
import { parseEvent } from '../protocol/parse-event.ts';
import type { Parsed } from '../protocol/reasons.ts';
import { tagValue } from '../protocol/tags.ts';
import { hasOwnId } from '../verify/verified-event.ts';

/** Seconds an AUTH event may lie before or after now. */
const WINDOW = 600;

export type AuthTerms = { challenge: string; urls: Urls; now: number };

/** The event when everything but its signature is right, or `invalid:` naming what is not. */
export function parseAuth(input: unknown, { challenge, urls, now }: AuthTerms): Parsed<NostrEvent> {
  const parsed = parseEvent(input, LIMITS);
  if (!parsed.ok) return parsed;
  const event = parsed.value;
  if (event.kind !== KIND.auth) return invalid(`an AUTH event is of kind ${KIND.auth}`);
  if (Math.abs(now - event.created_at) > WINDOW) {
    return invalid(`the AUTH event must be made within ${WINDOW} seconds of now`);
  }
  if (tagValue(event, 'challenge') !== challenge)
    return invalid('the challenge is not the one of this connection');
  const relay = tagValue(event, 'relay') ?? '';
  if (!isRelayAddress(relay, urls)) return invalid('the relay tag names another relay');
  return hasOwnId(event) ? parsed : invalid('the id is not that of the event');
}

/** Our address in any spelling: scheme, letter case, default port and a trailing slash do not matter. */
function isRelayAddress(text: string, urls: Urls): boolean {
  if (!URL.canParse(text)) return false;
  const { pathname, search } = new URL(text);
  return pathname === '/' && search === '' && urls.isOurUrl(text);
}

function invalid(text: string): { ok: false; refusal: string } {
  return { ok: false, refusal: `invalid: ${text}` };
}
