// Making an agent, and the grant it would get while the form is filled in.

import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { AgentDraft, AgentView, GrantPreview } from '../../main/contract/agents.ts';
import { call, queries } from '../bridge.ts';
import { address, goInstead } from '../frame/router.ts';
import { type FormValues, previewDraft } from './draft.ts';

/** Key, grant, rooms and start in one call; opens the agent's page when it is done. */
export function useCreate() {
  return useMutation<AgentView, Error, AgentDraft>({
    mutationFn: draft => call('agents.create', draft),
    // What was made for a moment was shown for a moment.
    onError: () => void queries.invalidateQueries({ queryKey: ['agents.list'] }),
    onSuccess: agent => {
      queries.setQueryData(['agents.get', { pubkey: agent.pubkey }], agent);
      void queries.invalidateQueries({ queryKey: ['agents.list'] });
      goInstead(address('agents', agent.pubkey));
    },
  });
}

export type LivePreview = {
  data: GrantPreview | undefined;
  error: Error | null;
  /** True when main judged exactly what is in the form now. */
  current: boolean;
  /** Fields still empty, whose stand-ins main judged. */
  blank: readonly string[];
};

/** Asks main a moment after the last change; nothing is asked while what is typed is wrong. */
export function useGrantPreview(values: FormValues): LivePreview {
  // As text: equal drafts must be equal values, or every drawing would set the timer anew.
  const now = JSON.stringify(previewDraft(values));
  const [asked] = useDebouncedValue(now, 250);
  const settled = JSON.parse(asked) as ReturnType<typeof previewDraft>;
  const query = useQuery<GrantPreview, Error>({
    queryKey: ['agents.preview', settled?.draft],
    queryFn: () => call('agents.preview', settled?.draft as AgentDraft),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    // Files and rooms may have changed since the same form was judged.
    staleTime: 0,
  });
  return {
    data: query.data,
    error: query.error,
    current: now === asked && settled !== null && !query.isFetching,
    blank: settled?.blank ?? [],
  };
}
