// What every page looks at and pushes keep fresh: the program's state, people, rooms, agents.

import { useQuery } from '@tanstack/react-query';
import type { AgentView } from '../../main/contract/agents.ts';
import type { AppState, Party } from '../../main/contract/app.ts';
import type { RoomSummary } from '../../main/contract/rooms.ts';
import { call, useCall } from '../bridge.ts';
import { npubOf, shortKey } from './key.tsx';
import { type StandsAt, standing } from './standing.ts';

const nobody: Party[] = [];
const noRooms: RoomSummary[] = [];
const noAgents: AgentView[] = [];

/** State of the program; undefined until main answered for the first time. */
export function useAppState(): AppState | undefined {
  return useCall('app.state', {}).data;
}

/** Everyone known by name. */
export function usePeople(): Party[] {
  return useCall('app.people', {}).data ?? nobody;
}

/** The rooms the person sees; empty until they are known. */
export function useRooms(): RoomSummary[] {
  return useCall('rooms.list', {}).data ?? noRooms;
}

/** Every agent; empty until they are known. */
export function useAgents(): AgentView[] {
  return useCall('agents.list', {}).data ?? noAgents;
}

/** Where a message stands with the agents it names; drawn anew only when that changes. */
export function useStanding(event: string, named: readonly string[]): StandsAt[] {
  return (
    useQuery({
      queryKey: ['agents.list', {}],
      queryFn: () => call('agents.list', {}),
      enabled: named.length > 0,
      select: agents => standing(agents, event, named),
    }).data ?? []
  );
}

/** How to name a key, with a short npub for those nobody named. */
export function partyOf(people: Party[], pubkey: string): Party {
  const known = people.find(party => party.pubkey === pubkey);
  if (known && known.name !== '') return known;
  const npub = npubOf(pubkey);
  return { pubkey, npub, name: shortKey(npub), agent: known?.agent ?? false, me: known?.me ?? false };
}

/** The person or agent behind a key. */
export function useParty(pubkey: string): Party {
  return partyOf(usePeople(), pubkey);
}
