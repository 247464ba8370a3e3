// Who is who: names from grants, profiles (kind 0) and the relay's members, in that order.

import { npubEncode } from 'nostr-tools/nip19';
import { z } from 'zod';
import type { NostrEvent } from '../relay/protocol/event.ts';
import { KIND } from '../relay/protocol/kinds.ts';
import type { GrantBook } from './agents/grants.ts';
import { coalesce } from './coalesce.ts';
import type { Party } from './contract/app.ts';
import type { Live } from './live.ts';
import type { RelayLink } from './relay-link.ts';

export type People = {
  /** Everyone known by name: the owner first, then agents, then members. */
  list(): Party[];
  nameOf(pubkey: string): string;
  isAgent(pubkey: string): boolean;
  onChange(listener: (people: Party[]) => void): () => void;
  close(): void;
};

const members = z.object({
  members: z.array(z.object({ pubkey: z.string(), name: z.string(), role: z.string() })),
});

export type PeopleParts = {
  link: RelayLink;
  live: Live;
  grants: GrantBook;
  failed(error: unknown): void;
};

/** Opens the list; it fills itself once the relay answers. */
export function createPeople(parts: PeopleParts): People {
  const { link, live, grants } = parts;
  const memberNames = new Map<string, string>();
  const profiles = new Map<string, { name: string; at: number }>();
  const listeners = new Set<(people: Party[]) => void>();

  const nameOf = (pubkey: string): string =>
    grants.get(pubkey)?.name ||
    profiles.get(pubkey)?.name ||
    memberNames.get(pubkey) ||
    (pubkey === link.owner ? 'You' : `${npubEncode(pubkey).slice(0, 12)}…`);
  const isAgent = (pubkey: string) => grants.get(pubkey) !== undefined;
  const party = (pubkey: string): Party => ({
    pubkey,
    npub: npubEncode(pubkey),
    name: nameOf(pubkey),
    agent: isAgent(pubkey),
    me: pubkey === link.owner,
  });
  const list = () => {
    const agents = grants.list().map(grant => grant.pubkey);
    return [...new Set([link.owner, ...agents, ...memberNames.keys()])].map(party);
  };
  const tell = () => {
    for (const listener of listeners) listener(list());
  };
  const takeProfile = (event: NostrEvent) => {
    const known = profiles.get(event.pubkey);
    if (known && known.at >= event.created_at) return;
    profiles.set(event.pubkey, { name: profileName(event.content), at: event.created_at });
  };
  const soon = coalesce(
    50,
    async () => {
      const answer = members.parse(await link.call('listmembers'));
      memberNames.clear();
      for (const { pubkey, name } of answer.members) memberNames.set(pubkey, name);
      const authors = list().map(each => each.pubkey);
      for (const event of await link.query([{ kinds: [KIND.profile], authors }])) takeProfile(event);
      tell();
    },
    parts.failed,
  );
  const stops = [
    live.onLive(() => soon.ask()),
    live.on([KIND.memberAdded, KIND.memberRemoved, KIND.agentGrant], () => soon.ask()),
    live.on([KIND.profile], event => {
      takeProfile(event);
      tell();
    }),
    grants.onChange(tell),
  ];
  return {
    list,
    nameOf,
    isAgent,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      soon.close();
      for (const stop of stops) stop();
    },
  };
}

function profileName(content: string): string {
  try {
    const profile: unknown = JSON.parse(content);
    if (typeof profile !== 'object' || profile === null) return '';
    const { display_name, name } = profile as { display_name?: unknown; name?: unknown };
    for (const value of [display_name, name]) {
      if (typeof value === 'string' && value.trim() !== '') return value.trim().slice(0, 64);
    }
    return '';
  } catch {
    // Anybody may publish any content as a profile: then it has no name.
    return '';
  }
}
