// A thread beside the conversation: its root, every answer, and a composer that answers the root.

import { useMemo } from 'react';
import type { Party } from '../../main/contract/app.ts';
import { FailureNote } from '../parts/failure.tsx';
import { DetailPanel } from '../parts/page.tsx';
import { MessageSkeletons } from '../parts/skeletons.tsx';
import { Composer } from './composer.tsx';
import { conversationOf, useConversation } from './conversation-store.ts';
import { EntryView } from './entry-view.tsx';
import { useRoomHere } from './room-here.ts';
import classes from './thread-panel.module.css';

export type ThreadPanelProps = {
  root: string;
  parties: readonly Party[];
  writable: boolean;
  onClose: () => void;
};

export function ThreadPanel({ root, parties, writable, onClose }: ThreadPanelProps) {
  const here = useRoomHere();
  const { room } = here;
  const store = useMemo(() => conversationOf({ room, root }), [room, root]);
  const { conversation, state, error, earlier, loadingEarlier } = useConversation(store);
  const entries = conversation.entries();
  return (
    <DetailPanel title="Thread" onClose={onClose}>
      <div className={classes.thread}>
        <div className={classes.scroller}>
          <div>
            {state === 'loading' ? <MessageSkeletons messages={3} /> : null}
            {state === 'failed' ? <FailureNote error={error} onRetry={() => void store.load()} /> : null}
            {earlier ? (
              <button
                type="button"
                className={classes.earlier}
                disabled={loadingEarlier}
                onClick={() => void store.loadEarlier()}
              >
                Load earlier replies
              </button>
            ) : null}
            {entries.map(entry => (
              <EntryView key={entry.id} entry={entry} joins={false} place="thread" />
            ))}
          </div>
        </div>
        {writable ? (
          <Composer
            room={room}
            root={root}
            parties={parties}
            placeholder="Reply in the thread"
            onSent={event => {
              store.take(event);
              here.take(event);
            }}
          />
        ) : null}
      </div>
    </DetailPanel>
  );
}
