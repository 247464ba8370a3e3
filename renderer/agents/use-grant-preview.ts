// The grant a form would become, judged by main a moment after the last change.

import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { GrantDraft, GrantPreview } from '../../main/contract/agents.ts';
import { call, failureOf } from '../bridge.ts';
import type { LivePreview } from './use-create.ts';

export type Judged = { grant: GrantDraft; pubkey: string; base?: string };

/** Nothing is asked while what is typed is wrong (`null`). */
export function useFormPreview(judged: Judged | null): LivePreview {
  // As text: equal drafts must be equal values, or every drawing would set the timer anew.
  const now = JSON.stringify(judged);
  const [asked] = useDebouncedValue(now, 250);
  const settled = JSON.parse(asked) as Judged | null;
  const query = useQuery<GrantPreview, Error>({
    queryKey: ['agents.previewGrant', settled],
    queryFn: () => call('agents.previewGrant', settled as Judged),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    staleTime: 0,
  });
  // A key that cannot be read is a problem of its field, not of the page.
  const fields = query.error === null ? undefined : failureOf(query.error).fields;
  const refused = fields && { words: [], tags: [], problems: fields };
  return {
    data: refused ?? query.data,
    error: refused ? null : query.error,
    current: now === asked && settled !== null && !query.isFetching,
    blank: [],
  };
}
