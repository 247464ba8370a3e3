// The inbox: everything that waits, newest first, then what became of the rest; and one request at its own address.

import { Button } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { ApprovalView } from '../../main/contract/approvals.ts';
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
  const more = shown.length > limit || open.hasNextPage;

  return (
    <PageColumn title="Approvals" lead={<Waiting count={open.hasNextPage ? total : waiting} />}>
      <FailureNote error={open.error} onRetry={() => void open.refetch()} />
      {open.isPending ? <RowSkeletons rows={3} height={160} /> : null}
      {open.isSuccess && shown.length === 0 ? (
        <Empty
          sentence="Nothing waits for you. When an agent needs a decision, it appears here and as a banner."
          action={{ label: 'Open the rooms', href: address('rooms') }}
        />
      ) : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: J, K and Shift+N move between the cards inside */}
      <div className={classes.cards} onKeyDown={event => moveBetween(event, shown)}>
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
  const place = useRef<HTMLDivElement>(null);
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
      <FailureNote error={one.error} onRetry={() => void one.refetch()} />
      {one.isPending ? <RowSkeletons rows={1} height={240} /> : null}
      {one.data === undefined ? null : (
        // biome-ignore lint/a11y/noStaticElementInteractions: J, K and Shift+N go to the next request
        <div className={classes.cards} ref={place} onKeyDown={event => goBetween(event, ids, id)}>
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

function plainKey(event: KeyboardEvent): string | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (isTyping(event.target)) return null;
  return event.shiftKey ? `shift+${event.key.toLowerCase()}` : event.key.toLowerCase();
}

function moveBetween(event: KeyboardEvent, items: readonly ApprovalView[]): void {
  const key = plainKey(event);
  const card =
    event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-approval]') : null;
  const from = card?.dataset.approval ?? null;
  const newest = items.find(item => item.state === 'open')?.id ?? null;
  const ids = items.map(item => item.id);
  const to =
    key === 'j'
      ? neighbour(ids, from, 1)
      : key === 'k'
        ? neighbour(ids, from, -1)
        : key === 'shift+n'
          ? newest
          : null;
  if (to === null) return;
  event.preventDefault();
  document.getElementById(cardId(to))?.focus();
}

function goBetween(event: KeyboardEvent, ids: readonly string[], id: string): void {
  const key = plainKey(event);
  const to =
    key === 'j'
      ? neighbour(ids, ids.includes(id) ? id : null, 1)
      : key === 'k'
        ? neighbour(ids, ids.includes(id) ? id : null, -1)
        : key === 'shift+n'
          ? (ids[0] ?? null)
          : null;
  if (to === null) return;
  event.preventDefault();
  go(address('approvals', to));
}
