// The inbox as the dashboard holds it: pages of main's list, kept true by pushes also while no approvals page is
// open, so that coming back never shows what was answered elsewhere (case E7).

import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import type { CallResult } from '../../main/contract/features.ts';
import { call, onPush, queries } from '../bridge.ts';
import { withChanged } from './inbox.ts';

type Page = CallResult<'approvals.list'>;
type Pages = InfiniteData<Page, string>;
type One = CallResult<'approvals.get'>;
type ListState = 'open' | 'all';

const LIST = 'approvals.list.pages';

/** Pages of the inbox; `fetchNextPage` continues where main said it goes on. */
export function useInboxPages(state: ListState) {
  return useInfiniteQuery<Page, Error, Pages, [string, ListState], string>({
    queryKey: [LIST, state],
    queryFn: ({ pageParam }) =>
      call('approvals.list', pageParam === '' ? { state } : { state, cursor: pageParam }),
    initialPageParam: '',
    getNextPageParam: page => (page.next_cursor === '' ? undefined : page.next_cursor),
  });
}

/** Every item of the pages, each once, in main's order. */
export function itemsOf(pages: Pages | undefined): ApprovalView[] {
  const seen = new Map<string, ApprovalView>();
  for (const page of pages?.pages ?? []) for (const item of page.items) seen.set(item.id, item);
  return [...seen.values()];
}

/** Puts a view main just gave into everything that shows it. */
export function take(changed: ApprovalView): void {
  queries.setQueriesData<Pages>({ queryKey: [LIST] }, pages => pages && placed(pages, changed));
  queries.setQueryData<One>(['approvals.get', { id: changed.id }], one => one && { ...one, item: changed });
}

function placed(pages: Pages, changed: ApprovalView): Pages {
  const holder = pages.pages.findIndex(page => page.items.some(item => item.id === changed.id));
  const target = holder === -1 ? 0 : holder;
  return {
    ...pages,
    pages: pages.pages.map((page, index) =>
      index === target ? { ...page, items: withChanged(page.items, changed) } : page,
    ),
  };
}

// The frame keeps `approvals.get` true (frame/keep-fresh.ts); the pages of the list are ours.
onPush('approvals.changed', take);

// What went on while the relay was away was not pushed.
onPush('rooms.stale', () => void queries.invalidateQueries({ queryKey: [LIST] }));
