// browseprofile: a key's profile and write relays (spec/browse-queries.md section 9).

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import { type Answer, answer, type Caller, type MethodTable, refuse } from '../management/method.ts';
import { KIND } from '../protocol/kinds.ts';
import { isHex64, tagsNamed } from '../protocol/tags.ts';
import { query, readerOf, visible } from './query.ts';

const profileParams = z.object({ pubkey: z.string().optional() });

export const profileQueries: MethodTable = {
  browseprofile: query('reader', profileParams, browseProfile),
};

function browseProfile(context: RelayContext, caller: Caller, params: z.infer<typeof profileParams>): Answer {
  const pubkey = params.pubkey ?? caller.pubkey;
  if (!isHex64(pubkey)) return refuse('invalid: pubkey must be a public key in hex');
  const newest = (kind: number) =>
    visible(context, readerOf(caller), { kinds: [kind], authors: [pubkey] }).next().value ?? null;
  const event = newest(KIND.profile);
  const list = newest(KIND.relayList);
  const relays =
    list === null ? [] : tagsNamed(list, 'r').filter(tag => tag[2] !== 'read' && tag[1] !== undefined);
  return answer({
    pubkey,
    event,
    profile: profileOf(event?.content ?? ''),
    relays: relays.map(tag => tag[1]),
  });
}

/** The fields of a profile; a content that is no object has none. */
function profileOf(content: string): object {
  try {
    const profile: unknown = JSON.parse(content);
    return typeof profile === 'object' && profile !== null && !Array.isArray(profile) ? profile : {};
  } catch {
    // Anybody may publish a kind 0 with any content.
    return {};
  }
}
