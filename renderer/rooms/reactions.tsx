// Reactions under a message; a press gives the same one or takes one's own back.

import { IconThumbDown, IconThumbUp } from '@tabler/icons-react';
import { useAct } from '../bridge.ts';
import { tellFailure } from '../parts/failure.tsx';
import { partyOf, usePeople } from '../parts/live.ts';
import type { Message, Reaction } from './conversation.ts';
import classes from './message-row.module.css';
import { useRoomHere } from './room-here.ts';

/** `+` and `-` are what other clients show as thumbs; anything else is shown as it is. */
export function ReactionSign({ content }: { content: string }) {
  if (content === '+' || content === '') return <IconThumbUp size={14} />;
  if (content === '-') return <IconThumbDown size={14} />;
  return <span>{content.slice(0, 16)}</span>;
}

function wordFor(content: string): string {
  if (content === '+' || content === '') return 'thumbs up';
  return content === '-' ? 'thumbs down' : content;
}

/** Gives a reaction to a message, or takes one's own of that content back. */
export function useReact(message: Message): (content: string) => void {
  const { room, me, take } = useRoomHere();
  const react = useAct('rooms.react');
  const remove = useAct('rooms.remove');
  return content => {
    const { event } = message;
    const own = message.reactions
      .find(other => other.content === content)
      ?.by.find(giver => giver.pubkey === me);
    const onError = (error: Error) => tellFailure(error);
    if (own) remove.mutate({ id: room, event: own.id, author: me }, { onError });
    else
      react.mutate(
        { id: room, event: event.id, author: event.pubkey, content },
        { onSuccess: take, onError },
      );
  };
}

export function Reactions({ message }: { message: Message }) {
  if (message.reactions.length === 0) return null;
  return <Given message={message} />;
}

function Given({ message }: { message: Message }) {
  const { me } = useRoomHere();
  const people = usePeople();
  const react = useReact(message);
  const names = (reaction: Reaction) =>
    reaction.by.map(giver => (giver.pubkey === me ? 'you' : partyOf(people, giver.pubkey).name)).join(', ');
  return (
    <div className={classes.reactions}>
      {message.reactions
        .filter(reaction => reaction.by.length > 0)
        .map(reaction => (
          <button
            key={reaction.content}
            type="button"
            className={classes.reaction}
            data-mine={reaction.by.some(giver => giver.pubkey === me) || undefined}
            title={names(reaction)}
            aria-label={`${wordFor(reaction.content)} ${reaction.by.length}, from ${names(reaction)}`}
            onClick={() => react(reaction.content)}
          >
            <ReactionSign content={reaction.content} />
            <span>{reaction.by.length}</span>
          </button>
        ))}
    </div>
  );
}
