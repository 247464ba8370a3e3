// One room: its conversation, the composer, and beside them a thread or the members.

import { ActionIcon, Button } from '@mantine/core';
import { IconLayoutSidebarRight, IconSubtask } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import type { RoomSummary } from '../../main/contract/rooms.ts';
import { call, queries } from '../bridge.ts';
import { address, go } from '../frame/router.ts';
import { askAgent } from '../jobs/ask-agent.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { partyOf, useAgents, useAppState, usePeople } from '../parts/live.ts';
import { PageColumn, useNarrow } from '../parts/page.tsx';
import { MessageSkeletons } from '../parts/skeletons.tsx';
import { Composer } from './composer.tsx';
import {
  type ConversationStore,
  conversationOf,
  type Snapshot,
  useConversation,
} from './conversation-store.ts';
import { EntryView } from './entry-view.tsx';
import { MembersPanel } from './members-panel.tsx';
import { type RoomHere, RoomHereContext } from './room-here.ts';
import classes from './room-view.module.css';
import type { Row } from './rows.ts';
import { ThreadPanel } from './thread-panel.tsx';
import { Timeline } from './timeline.tsx';
import { TypingLine } from './typing-line.tsx';

export type RoomViewProps = { room: RoomSummary; root: string | undefined };

const draw = (row: Row) => <EntryView entry={row.entry} joins={row.joins} place="room" />;

export function RoomView({ room, root }: RoomViewProps) {
  const store = useMemo(() => conversationOf({ room: room.id }), [room.id]);
  const snapshot = useConversation(store);
  const [panel, setPanel] = useState(false);
  const me = useAppState()?.owner?.pubkey ?? '';
  const here = useHere(room, me, snapshot, store);
  const parties = useParties(snapshot, me);
  const writable = room.access === 'open' || room.role !== '';
  const closeThread = () => go(address('rooms', room.id));

  return (
    <RoomHereContext value={here}>
      <PageColumn
        title={room.name || room.id}
        scroll="own"
        lead={<About text={room.about} />}
        actions={<Actions room={room} panel={panel} onPanel={() => setPanel(!panel)} />}
        panel={
          root !== undefined ? (
            <ThreadPanel key={root} root={root} parties={parties} writable={writable} onClose={closeThread} />
          ) : panel ? (
            <MembersPanel room={room} onChanged={() => void store.load()} onClose={() => setPanel(false)} />
          ) : null
        }
      >
        <Conversation room={room} snapshot={snapshot} me={me} store={store} />
        <TypingLine room={room.id} me={me} />
        <Composer
          room={room.id}
          parties={parties}
          placeholder={`Write in ${room.name || room.id}`}
          onSent={event => store.take(event)}
          onEditLast={() => here.onEdit(snapshot.conversation.newestBy(me)?.id)}
          closed={writable ? undefined : 'Only members of this room may write in it.'}
        />
      </PageColumn>
    </RoomHereContext>
  );
}

function About({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <span className={classes.about} title={text}>
      {text}
    </span>
  );
}

function Actions({ room, panel, onPanel }: { room: RoomSummary; panel: boolean; onPanel: () => void }) {
  const narrow = useNarrow();
  const ask = () => askAgent({ room: room.id });
  return (
    <>
      {narrow ? (
        <ActionIcon size={36} aria-label="Ask an agent" title="Ask an agent" onClick={ask}>
          <IconSubtask size={18} />
        </ActionIcon>
      ) : (
        <Button size="xs" variant="default" leftSection={<IconSubtask size={16} />} onClick={ask}>
          Ask an agent
        </Button>
      )}
      <ActionIcon size={36} aria-label="Members" title="Members" aria-pressed={panel} onClick={onPanel}>
        <IconLayoutSidebarRight size={18} />
      </ActionIcon>
    </>
  );
}

/** What the parts of the room share; the same object until something of it changes. */
function useHere(room: RoomSummary, me: string, snapshot: Snapshot, store: ConversationStore): RoomHere {
  const [editing, setEditing] = useState<string>();
  const onThread = useCallback((root: string) => go(address('rooms', room.id, root)), [room.id]);
  const take = useCallback<RoomHere['take']>(event => store.take(event), [store]);
  const admin = room.role === 'owner' || room.role === 'admin';
  return useMemo(
    () => ({
      room: room.id,
      me,
      admin,
      members: snapshot.members,
      editing,
      onEdit: setEditing,
      onThread,
      take,
    }),
    [room.id, me, admin, snapshot.members, editing, onThread, take],
  );
}

/** Everyone who can be named here: the members, and in an open room whoever is known besides. */
function useParties(snapshot: Snapshot, me: string) {
  const people = usePeople();
  return useMemo(() => {
    const members = snapshot.members.map(member => {
      const party = partyOf(people, member.pubkey);
      return member.agent === true && !party.agent ? { ...party, agent: true } : party;
    });
    return members.filter(party => party.pubkey !== me);
  }, [people, snapshot.members, me]);
}

function EmptyRoom({ room }: { room: RoomSummary }) {
  const agents = useAgents();
  const name = room.name || room.id;
  return agents.length === 0 ? (
    <Empty
      sentence={`Nothing was said in ${name} yet. Write below, or add an agent that answers here.`}
      action={{ label: 'Add an agent', href: '#/agents/new' }}
    />
  ) : (
    <Empty
      sentence={`Nothing was said in ${name} yet. Write below, or name an agent with @ to give it work.`}
      action={{ label: 'Ask an agent', onClick: () => askAgent({ room: room.id }) }}
    />
  );
}

type ConversationProps = {
  room: RoomSummary;
  snapshot: Snapshot;
  me: string;
  store: ConversationStore;
};

function Conversation({ room, snapshot, me, store }: ConversationProps) {
  // Where the person had read when coming here; the mark stays put while they read on.
  const [readTo] = useState(room.readTo);
  const entries = snapshot.conversation.entries();
  const onRead = useCallback(
    (to: number) => {
      const known = queries.getQueryData<RoomSummary[]>(['rooms.list', {}])?.find(one => one.id === room.id);
      if (known && known.unread === 0 && known.readTo >= to) return;
      // Read marks are kept by main; one that is lost is told again with the next message.
      call('rooms.read', { id: room.id, to }).catch(() => undefined);
    },
    [room.id],
  );
  if (snapshot.state === 'loading') {
    return (
      <div className={classes.waiting}>
        <MessageSkeletons />
      </div>
    );
  }
  if (snapshot.state === 'failed') {
    return (
      <div className={classes.waiting}>
        <FailureNote error={snapshot.error} onRetry={() => void store.load()} />
      </div>
    );
  }
  return (
    <Timeline
      key={room.id}
      entries={entries}
      readTo={readTo}
      me={me}
      earlier={snapshot.earlier}
      loadingEarlier={snapshot.loadingEarlier}
      onEarlier={() => void store.loadEarlier()}
      onRead={onRead}
      draw={draw}
      beginning={
        entries.length === 0 ? (
          <EmptyRoom room={room} />
        ) : (
          <p className={classes.beginning}>This is where {room.name || room.id} begins.</p>
        )
      }
    />
  );
}
