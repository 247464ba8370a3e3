// The grants the relay holds, as `listagents` answers them (spec/management.md section 2), kept fresh.

import { z } from 'zod';
import { KIND } from '../../relay/protocol/kinds.ts';
import { coalesce } from '../coalesce.ts';
import { type GrantView, grantScope } from '../contract/agents.ts';
import type { Live } from '../live.ts';
import { NextTime } from '../next-time.ts';
import type { RelayLink } from '../relay-link.ts';
import { grantWords } from './grant-words.ts';

const agentGrant = z.object({
  pubkey: z.string(),
  owner: z.string(),
  event_id: z.string(),
  name: z.string(),
  expires: z.number(),
  paused: z.boolean(),
  revoked: z.number(),
  scope: grantScope,
});
const agentSummary = agentGrant.extend({ lastEvent: z.number().default(0) });
export type AgentSummary = z.infer<typeof agentSummary>;

export type GrantBook = {
  get(pubkey: string): AgentSummary | undefined;
  list(): AgentSummary[];
  /** Reads the relay now. Throws CallFailure. */
  refresh(): Promise<void>;
  /** Reads the relay soon: somebody saw a grant change without an event for it (a pause). */
  doubt(): void;
  onChange(listener: () => void): () => void;
  close(): void;
};

/** Opens the book; it fills itself once the relay answers and after every change there. */
export function openGrants(link: RelayLink, live: Live, failed: (error: unknown) => void): GrantBook {
  let grants = new Map<string, AgentSummary>();
  const listeners = new Set<() => void>();

  const tell = () => {
    expiry.set(rows().map(grant => grant.expires * 1000));
    for (const listener of listeners) listener();
  };
  // A grant ends by itself: whoever shows it has to hear of that as of any other change.
  const expiry = new NextTime(tell);
  const rows = () => [...grants.values()];
  const refresh = async () => {
    const rows = z.array(agentSummary).parse(await link.call('listagents'));
    grants = new Map(rows.map(row => [row.pubkey, row]));
    tell();
  };
  const soon = coalesce(20, refresh, failed);
  const stops = [
    live.onLive(() => soon.ask()),
    live.on([KIND.agentGrant, KIND.memberAdded, KIND.memberRemoved], () => soon.ask()),
    live.on([KIND.deletion], event => {
      // Only a deletion that names one of the grants changes this book.
      const named = event.tags.flatMap(tag => tag[1] ?? []);
      const touched = [...grants.values()].some(grant =>
        named.some(value => value === grant.event_id || value.endsWith(`:${grant.pubkey}`)),
      );
      if (touched) soon.ask();
    }),
  ];
  return {
    get: pubkey => grants.get(pubkey),
    list: rows,
    refresh,
    doubt: () => soon.ask(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      soon.close();
      expiry.clear();
      for (const stop of stops) stop();
    },
  };
}

/** A grant as the dashboard shows it. `input` is the relay's AgentGrant; throws when it is none. */
export function grantView(input: unknown): GrantView {
  const grant = agentGrant.parse(input);
  return {
    event: grant.event_id,
    owner: grant.owner,
    name: grant.name,
    expires: grant.expires,
    paused: grant.paused,
    revoked: grant.revoked,
    scope: grant.scope,
    words: grantWords(grant.scope, grant.expires),
  };
}
