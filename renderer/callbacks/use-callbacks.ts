// The callbacks and what a person may do to them: one list for every page, and buttons that change it at once.

import { useMutation, useQuery } from '@tanstack/react-query';
import type { CallbackList, CallbackView } from '../../main/contract/callbacks.ts';
import { call, queries, useCall } from '../bridge.ts';
import { address, goInstead } from '../frame/router.ts';
import { partyOf, usePeople, useRooms } from '../parts/live.ts';
import type { Names } from './callback-words.ts';

const LIST = ['callbacks.list', {}] as const;

/** As it was last told; for places that only count or show a few. */
export function useCallbackList(): CallbackList | undefined {
  return useCall('callbacks.list', {}).data;
}

/**
 * Read anew while its page is open: an agent registers at the relay, which tells nobody, so there is no push for it.
 */
export function useCallbacks() {
  return useQuery<CallbackList, Error>({
    queryKey: LIST,
    queryFn: () => call('callbacks.list', {}),
    refetchOnMount: 'always',
    refetchInterval: 20_000,
  });
}

/** How keys and rooms are called. */
export function useNames(): Names {
  const people = usePeople();
  const rooms = useRooms();
  return {
    party: pubkey => {
      const party = partyOf(people, pubkey);
      return party.me ? 'you' : party.name;
    },
    room: id => rooms.find(room => room.id === id)?.name || id,
  };
}

export type CallbackAct = 'pause' | 'resume';

/** The buttons of one callback: `pending` names what is under way, `error` is the last failure. */
export function useCallbackActs(id: string) {
  const acting = useMutation<CallbackView, Error, CallbackAct>({
    mutationFn: act => call(`callbacks.${act}`, { id }),
    onSuccess: next => change(list => list.map(one => (one.id === id ? { ...one, ...next } : one))),
  });
  const removing = useMutation<unknown, Error, void>({
    mutationFn: () => call('callbacks.remove', { id }),
    onSuccess: () => {
      change(list => list.filter(one => one.id !== id));
      if (window.location.hash === address('callbacks', id)) goInstead(address('callbacks'));
    },
  });
  return {
    act: acting.mutate,
    remove: removing.mutate,
    pending: acting.isPending ? acting.variables : removing.isPending ? 'remove' : null,
    error: acting.error ?? removing.error,
  };
}
export type CallbackActs = ReturnType<typeof useCallbackActs>;

function change(how: (items: CallbackView[]) => CallbackView[]): void {
  queries.setQueryData<CallbackList>(LIST, list => list && { ...list, items: how(list.items) });
}
