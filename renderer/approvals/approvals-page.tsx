// The inbox: everything that waits, newest first, then what became of the rest; and one request at its own address.

import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { BypassNotice } from '../agents/bypass.tsx';
import { useCall } from '../bridge.ts';
import { address, go } from '../frame/router.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { useAppState } from '../parts/live.ts';
import { PageColumn, Section } from '../parts/page.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { ApprovalCard, cardId, isTyping } from './approval-card.tsx';
import classes from './approvals.module.css';
import { HistoryRows } from './history-rows.tsx';
import { inbox, neighbour } from './inbox.ts';
import { itemsOf, useInboxPages } from './live.ts';
import { useMoveKeys } from './move-keys.ts';
import { OtherAnswers } from './other-answers.tsx';

const FIRST = 20;

export function ApprovalsPage() {
  const open = useInboxPages('open');
  const all = useInboxPages('all');
  const total = useAppState()?.waiting ?? 0;
  const now = Math.floor(Date.now() / 1000);
  const shown = useKept(inbox(itemsOf(open.data), now).waiting, itemsOf(open.data));
  const [limit, setLimit] = useState(FIRST);
  const waiting = shown.filter(item => item.state === 'open').length;
  const held = useHeld(shown.map(item => item.id));
  const keptIds = new Set(shown.map(item => item.id));
  const history = inbox(itemsOf(all.data), now).history.filter(item => !keptIds.has(item.id));
  const cards = shown.slice(0, limit);
  useMoveKeys(move => {
    const ids = cards.map(item => item.id);
    const focused = document.activeElement?.closest<HTMLElement>('[data-approval]')?.dataset.approval ?? null;
    const newest = cards.find(item => item.state === 'open')?.id ?? null;
    const to = move === 'newest' ? newest : neighbour(ids, focused, move);
    if (to !== null) document.getElementById(cardId(to))?.focus();
  });
  const more = shown.length > limit || open.hasNextPage;

  return (
    <PageColumn title="Approvals" lead={<Waiting count={open.hasNextPage ? total : waiting} />}>
      <BypassNotice />
      <FailureNote error={open.error} onRetry={() => void open.refetch()} />
      {open.isPending ? <RowSkeletons rows={3} height={160} /> : null}
      {open.isSuccess && shown.length === 0 ? (
        <Empty
          sentence="Nothing waits for you. When an agent needs a decision, it appears here and as a banner."
          action={{ label: 'Open the rooms', href: address('rooms') }}
        />
      ) : null}
      <div className={classes.cards}>
        {cards.map(item => (
          <ApprovalCard key={item.id} item={item} held={held} linked />
        ))}
      </div>
      {more ? (
        <div className={classes.more}>
          <Button
            variant="default"
            onClick={() => {
              setLimit(limit + FIRST);
              if (open.hasNextPage && shown.length < limit + FIRST) void open.fetchNextPage();
            }}
          >
            Show more that wait
          </Button>
        </div>
      ) : null}
      {history.length > 0 || all.hasNextPage ? (
        <Section title="History">
          <HistoryRows items={history} />
          {all.hasNextPage ? (
            <div className={classes.more}>
              <Button
                variant="default"
                disabled={all.isFetchingNextPage}
                onClick={() => void all.fetchNextPage()}
              >
                Show older
              </Button>
            </div>
          ) : null}
        </Section>
      ) : null}
      <FailureNote error={open.error === null ? all.error : null} onRetry={() => void all.refetch()} />
    </PageColumn>
  );
}

/** One request at `#/approvals/<id>`. */
export function ApprovalPage({ id }: { id: string }) {
  const one = useCall('approvals.get', { id });
  const open = useInboxPages('open');
  const waiting = inbox(itemsOf(open.data), Math.floor(Date.now() / 1000)).waiting;
  const ids = waiting.map(item => item.id);
  useMoveKeys(move => {
    const to = move === 'newest' ? (ids[0] ?? null) : neighbour(ids, ids.includes(id) ? id : null, move);
    if (to !== null) go(address('approvals', to));
  });
  const ready = one.data !== undefined;

  useEffect(() => {
    // Opened from a banner or a link: its keys should mean this card, unless the person is typing already.
    if (ready && !isTyping(document.activeElement)) document.getElementById(cardId(id))?.focus();
  }, [id, ready]);

  return (
    <PageColumn
      title="Approval"
      actions={
        <Button component="a" href={address('approvals')} variant="subtle" size="xs">
          All approvals
        </Button>
      }
    >
      <BypassNotice />
      <FailureNote error={one.error} onRetry={() => void one.refetch()} />
      {one.isPending ? <RowSkeletons rows={1} height={240} /> : null}
      {one.data === undefined ? null : (
        <div className={classes.cards}>
          <ApprovalCard item={one.data.item} more={ids.filter(other => other !== id).length} key={id} />
          <OtherAnswers item={one.data.item} answers={one.data.answers} />
        </div>
      )}
    </PageColumn>
  );
}

function Waiting({ count }: { count: number }) {
  return count === 0 ? null : (
    <span className={classes.rowWhen} aria-live="polite">
      {count === 1 ? '1 waits' : `${count} wait`}
    </span>
  );
}

/** What waits, and what was settled while the page was looked at: a card never leaves from under the hand. */
function useKept(waiting: ApprovalView[], items: ApprovalView[]): ApprovalView[] {
  const kept = useRef(new Set<string>());
  for (const item of waiting) kept.current.add(item.id);
  return items
    .filter(item => kept.current.has(item.id))
    .sort((a, b) => b.created_at - a.created_at || a.id.localeCompare(b.id));
}

const HOLD = 500;

/** True for a moment after a new card pushed the others down, so that a press meant for one never lands on another. */
function useHeld(ids: readonly string[]): boolean {
  const before = useRef<ReadonlySet<string> | null>(null);
  const [held, setHeld] = useState(false);
  const key = ids.join();
  useEffect(() => {
    const now = new Set(key === '' ? [] : key.split(','));
    const old = before.current;
    before.current = now;
    if (old === null || old.size === 0 || [...now].every(id => old.has(id))) return;
    setHeld(true);
    const timer = setTimeout(() => setHeld(false), HOLD);
    return () => clearTimeout(timer);
  }, [key]);
  return held;
}
