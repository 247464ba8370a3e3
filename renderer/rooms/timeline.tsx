// The conversation as it scrolls: oldest above, the end followed only by who is at the end, drawn only where it is
// looked at.

import { Button, Loader } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { memo, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useNow } from '../parts/now.ts';
import { dayWord, exactTime } from '../parts/time-words.ts';
import type { Entry } from './conversation.ts';
import { type Block, blocksOf, type Row, rowsOf } from './rows.ts';
import classes from './timeline.module.css';
import { useEnd } from './use-end.ts';

export type TimelineProps = {
  entries: readonly Entry[];
  readTo: number | undefined;
  me: string;
  earlier: boolean;
  loadingEarlier: boolean;
  onEarlier: () => void;
  /** The person is at the end and looking: everything up to here is read. */
  onRead: (upTo: number) => void;
  draw: (row: Row) => ReactNode;
  /** Said where the conversation begins. */
  beginning: ReactNode;
};

/** Newest moment anywhere in the conversation, answers included. */
function newestOf(entries: readonly Entry[]): number {
  let newest = 0;
  for (const entry of entries) {
    newest = Math.max(newest, entry.at);
    for (const answer of entry.answers) newest = Math.max(newest, answer.at);
  }
  return newest;
}

export function Timeline(props: TimelineProps) {
  const { entries, readTo, me, draw, earlier, loadingEarlier, onEarlier, onRead } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const end = useEnd(scroller, entries, me);
  const [anchor] = useState(() => entries[0]?.id);
  const old = useRef<readonly Block[]>([]);
  const blocks = useMemo(() => {
    const next = blocksOf(rowsOf(entries, readTo, me), anchor ?? entries[0]?.id, old.current);
    old.current = next;
    return next;
  }, [entries, readTo, me, anchor]);
  useReading(end.atEnd, newestOf(entries), onRead);

  return (
    <div className={classes.wrap}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be scrolled by keys as well */}
      <section className={classes.scroller} ref={scroller} aria-label="Conversation" tabIndex={0}>
        <div className={classes.content} role="log" aria-live="off">
          {earlier ? (
            <Earlier scroller={scroller} loading={loadingEarlier} onEarlier={onEarlier} />
          ) : (
            props.beginning
          )}
          {blocks.map(block => (
            <BlockView key={block.number} block={block} draw={draw} scroller={scroller} />
          ))}
        </div>
      </section>
      {end.missed > 0 ? (
        <Button
          className={classes.pill}
          size="xs"
          radius="xl"
          leftSection={<IconArrowDown size={14} />}
          onClick={end.toEnd}
        >
          {end.missed === 1 ? '1 new message' : `${end.missed} new messages`}
        </Button>
      ) : null}
    </div>
  );
}

/** Tells what was read: only while the end is in sight and the window has the focus. */
function useReading(atEnd: boolean, newest: number, onRead: (upTo: number) => void): void {
  const tell = useRef(onRead);
  useEffect(() => {
    tell.current = onRead;
  });
  useEffect(() => {
    if (!atEnd || newest === 0) return;
    const check = () => {
      if (document.visibilityState === 'visible' && document.hasFocus()) tell.current(newest);
    };
    check();
    window.addEventListener('focus', check);
    return () => window.removeEventListener('focus', check);
  }, [atEnd, newest]);
}

/** Loads what is above when it comes near, and says so. */
function Earlier({
  scroller,
  loading,
  onEarlier,
}: {
  scroller: RefObject<HTMLDivElement | null>;
  loading: boolean;
  onEarlier: () => void;
}) {
  const mark = useRef<HTMLDivElement>(null);
  const load = useRef(onEarlier);
  useEffect(() => {
    load.current = onEarlier;
  });
  useEffect(() => {
    if (!mark.current || loading) return;
    const watcher = new IntersectionObserver(
      seen => {
        if (seen.at(-1)?.isIntersecting) load.current();
      },
      { root: scroller.current, rootMargin: '600px 0px 0px 0px' },
    );
    watcher.observe(mark.current);
    return () => watcher.disconnect();
  }, [scroller, loading]);
  return (
    <div ref={mark} className={classes.earlier}>
      {loading ? (
        <Loader size="xs" type="dots" aria-label="Loading earlier messages" />
      ) : (
        <Button size="xs" variant="subtle" onClick={onEarlier}>
          Load earlier messages
        </Button>
      )}
    </div>
  );
}

type BlockViewProps = {
  block: Block;
  draw: (row: Row) => ReactNode;
  scroller: RefObject<HTMLDivElement | null>;
};

/** Forty rows, or an empty space of their height while they are far from what is looked at. */
const BlockView = memo(function BlockView({ block, draw, scroller }: BlockViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watcher = new IntersectionObserver(
      // The last of what was seen since is how it is now.
      seen => setHeight(seen.at(-1)?.isIntersecting ? undefined : element.offsetHeight),
      { root: scroller.current, rootMargin: '2000px 0px' },
    );
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [scroller]);
  return (
    <div ref={box} style={height === undefined ? undefined : { height }}>
      {height === undefined
        ? block.rows.map(row => <RowView key={row.entry.id} row={row} draw={draw} />)
        : null}
    </div>
  );
});

const RowView = memo(
  function RowView({ row, draw }: { row: Row; draw: (row: Row) => ReactNode }) {
    return (
      <>
        {row.day !== undefined ? <Day at={row.day} /> : null}
        {row.unread ? (
          <div className={classes.unread}>
            <span>New</span>
          </div>
        ) : null}
        {draw(row)}
      </>
    );
  },
  (a, b) =>
    a.draw === b.draw &&
    a.row.entry === b.row.entry &&
    a.row.joins === b.row.joins &&
    a.row.day === b.row.day &&
    a.row.unread === b.row.unread,
);

function Day({ at }: { at: number }) {
  const now = useNow();
  return (
    <div className={classes.day} title={exactTime(at)}>
      <span>{dayWord(at, now)}</span>
    </div>
  );
}
