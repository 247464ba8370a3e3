// What a reader may do with a message: react, answer in a thread, copy, edit, delete, ask an agent from it.

import { ActionIcon, Group, Menu, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import {
  IconCopy,
  IconDots,
  IconMessageReply,
  IconMoodSmile,
  IconPencil,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useAct } from '../bridge.ts';
import { askAgent } from '../jobs/ask-agent.tsx';
import { tellFailure } from '../parts/failure.tsx';
import { type Message, rootOf, textOf } from './conversation.ts';
import classes from './message-row.module.css';
import { ReactionSign, useReact } from './reactions.tsx';
import { useRoomHere } from './room-here.ts';

const offered = ['+', '-', '❤️', '😄', '🎉', '👀'];

export function MessageActions({ message, answer }: { message: Message; answer: boolean }) {
  const { onThread } = useRoomHere();
  const react = useReact(message);
  return (
    <div className={classes.actions}>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon size={28} aria-label="React" title="React">
            <IconMoodSmile size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Group gap={0} wrap="nowrap">
            {offered.map(content => (
              <Menu.Item key={content} onClick={() => react(content)} aria-label={`React with ${content}`}>
                <ReactionSign content={content} />
              </Menu.Item>
            ))}
          </Group>
        </Menu.Dropdown>
      </Menu>
      {answer ? null : (
        <ActionIcon
          size={28}
          aria-label="Reply in a thread"
          title="Reply in a thread"
          onClick={() => onThread(message.event.id)}
        >
          <IconMessageReply size={16} />
        </ActionIcon>
      )}
      <More message={message} />
    </div>
  );
}

function More({ message }: { message: Message }) {
  const { room, me, admin, onEdit, onThread } = useRoomHere();
  const remove = useRemove(message);
  const mine = message.event.pubkey === me;
  const root = rootOf(message.event) ?? message.event.id;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon size={28} aria-label="More" title="More">
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mine ? (
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onEdit(message.event.id)}>
            Edit
          </Menu.Item>
        ) : null}
        <Menu.Item leftSection={<IconMessageReply size={16} />} onClick={() => onThread(root)}>
          Open the thread
        </Menu.Item>
        <Menu.Item leftSection={<IconSend size={16} />} onClick={() => askAgent({ room, root })}>
          Ask an agent about this
        </Menu.Item>
        <Menu.Item
          leftSection={<IconCopy size={16} />}
          onClick={() => void navigator.clipboard.writeText(textOf(message))}
        >
          Copy text
        </Menu.Item>
        {mine || admin ? (
          <Menu.Item leftSection={<IconTrash size={16} />} c="var(--state-failed)" onClick={remove}>
            Delete
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}

function useRemove(message: Message): () => void {
  const { room } = useRoomHere();
  const remove = useAct('rooms.remove');
  const { event } = message;
  return () =>
    modals.openConfirmModal({
      title: 'Delete this message?',
      children: <Text lineClamp={4}>{textOf(message)}</Text>,
      labels: { confirm: 'Delete', cancel: 'Keep' },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        remove.mutate(
          { id: room, event: event.id, author: event.pubkey },
          { onError: error => tellFailure(error) },
        ),
    });
}
