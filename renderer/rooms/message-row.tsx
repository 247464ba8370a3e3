// One message: who, when, what it says now, what others made of it, and what its reader may do with it.

import { Button, Group, Textarea } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { tagValue, tagValues } from '../../relay/protocol/tags.ts';
import { useAct } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useParty } from '../parts/live.ts';
import { Markdown } from '../parts/markdown.tsx';
import { Person } from '../parts/person.tsx';
import { Picture } from '../parts/picture.tsx';
import { clockTime, exactTime } from '../parts/time-words.ts';
import { When } from '../parts/when.tsx';
import { type Message, textOf } from './conversation.ts';
import { MentionStanding } from './mention-standing.tsx';
import { MessageActions } from './message-actions.tsx';
import classes from './message-row.module.css';
import { Reactions } from './reactions.tsx';
import { useRoomHere } from './room-here.ts';

export type MessageRowProps = {
  message: Message;
  /** Follows a message of the same author closely: no head of its own. */
  joins?: boolean;
  /** An answer beneath its root: smaller, and answered through the root. */
  answer?: boolean;
  /** Nothing came of it yet: say where it stands with the agents it names. */
  unanswered?: boolean;
  children?: ReactNode;
};

export const MessageRow = memo(function MessageRow({
  message,
  joins = false,
  answer = false,
  unanswered = false,
  children,
}: MessageRowProps) {
  const { event } = message;
  const { editing, onEdit } = useRoomHere();
  const author = useParty(event.pubkey);
  const mentions = useMemo(() => tagValues(event, 'p'), [event]);
  const subject = tagValue(event, 'subject');
  const size = answer ? 20 : 32;
  return (
    <article
      className={classes.row}
      data-joins={joins || undefined}
      data-answer={answer || undefined}
      data-id={event.id}
    >
      <div className={classes.side}>
        {joins ? (
          <time className={classes.clock} title={exactTime(event.created_at * 1000)}>
            {clockTime(event.created_at * 1000)}
          </time>
        ) : (
          <Picture pubkey={event.pubkey} agent={author.agent} size={size} />
        )}
      </div>
      <div className={classes.body}>
        {joins ? null : (
          <header className={classes.head}>
            <Person pubkey={event.pubkey} size={0} />
            <span className={classes.when}>
              <When seconds={event.created_at} />
            </span>
          </header>
        )}
        {subject ? <div className={classes.subject}>{subject}</div> : null}
        {editing === event.id ? (
          <EditMessage message={message} onDone={() => onEdit(undefined)} />
        ) : (
          <>
            <Markdown text={textOf(message)} mentions={mentions} />
            {message.edit ? (
              <span className={classes.edited}>
                edited <When seconds={message.edit.created_at} />
              </span>
            ) : null}
          </>
        )}
        {unanswered && mentions.length > 0 ? <MentionStanding event={event.id} named={mentions} /> : null}
        <Reactions message={message} />
        {children}
      </div>
      {editing === event.id ? null : <MessageActions message={message} answer={answer} />}
    </article>
  );
});

/** The message as a text to change. Enter saves, Escape leaves it as it was. */
function EditMessage({ message, onDone }: { message: Message; onDone: () => void }) {
  const { room, take } = useRoomHere();
  const [text, setText] = useState(textOf(message));
  const edit = useAct('rooms.edit');
  const save = () => {
    if (text.trim() === '' || text === textOf(message)) {
      onDone();
      return;
    }
    edit.mutate(
      { id: room, event: message.event.id, content: text },
      {
        onSuccess: event => {
          take(event);
          onDone();
        },
      },
    );
  };
  return (
    <div className={classes.edit}>
      <Textarea
        autosize
        autoFocus
        minRows={1}
        maxRows={12}
        aria-label="Edit message"
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        onKeyDown={getHotkeyHandler([
          ['Enter', save],
          ['Escape', onDone],
        ])}
      />
      <FailureNote error={edit.error} />
      <Group gap="sm">
        <Button size="xs" onClick={save} loading={edit.isPending}>
          Save
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          Keep as it was
        </Button>
      </Group>
    </div>
  );
}
