// What a room is: its facts, and changing, leaving or deleting it.

import { Button, Group, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { RoomSummary } from '../../main/contract/rooms.ts';
import { useAct } from '../bridge.ts';
import { go } from '../frame/router.ts';
import { tellFailure } from '../parts/failure.tsx';
import { Facts, Section } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { changeRoom } from './room-form.tsx';
import { useRoomHere } from './room-here.ts';

/** Who may read and write in it, in words. */
export function accessWord(access: RoomSummary['access']): string {
  return access === 'open' ? 'Everyone on this relay' : 'Members of the room';
}

export function RoomFacts({ room }: { room: RoomSummary }) {
  const { admin } = useRoomHere();
  const isMember = room.role !== '';
  return (
    <Section
      title="Room"
      actions={
        admin ? (
          <Button size="compact-xs" variant="default" onClick={() => changeRoom(room)}>
            Edit
          </Button>
        ) : null
      }
    >
      {room.about ? <Text mb="sm">{room.about}</Text> : null}
      <Facts
        rows={[
          ['Open to', accessWord(room.access)],
          ['Made', room.created_at > 0 ? <When key="made" seconds={room.created_at} /> : 'with the relay'],
          ['Id', <code key="id">{room.id}</code>],
        ]}
      />
      <Group gap="sm" mt="sm">
        {isMember && room.role !== 'owner' ? <Leave room={room} /> : null}
        {room.role === 'owner' ? <Delete room={room} /> : null}
      </Group>
    </Section>
  );
}

function Leave({ room }: { room: RoomSummary }) {
  const leave = useAct('rooms.leave');
  const ask = () =>
    modals.openConfirmModal({
      title: `Leave ${room.name || room.id}?`,
      children: (
        <Text>
          {room.access === 'members'
            ? 'You can come back only when somebody in it adds you.'
            : 'You can come back at any time by writing in it.'}
        </Text>
      ),
      labels: { confirm: 'Leave', cancel: 'Stay' },
      onConfirm: () =>
        leave.mutate(
          { id: room.id },
          { onSuccess: () => go('#/rooms'), onError: error => tellFailure(error) },
        ),
    });
  return (
    <Button size="xs" variant="default" onClick={ask} loading={leave.isPending}>
      Leave room
    </Button>
  );
}

function Delete({ room }: { room: RoomSummary }) {
  const remove = useAct('rooms.delete');
  const ask = () =>
    modals.openConfirmModal({
      title: `Delete ${room.name || room.id}?`,
      children: (
        <Text>Its messages and members are removed from the relay for everyone. This cannot be undone.</Text>
      ),
      labels: { confirm: 'Delete room', cancel: 'Keep it' },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        remove.mutate(
          { id: room.id },
          { onSuccess: () => go('#/rooms'), onError: error => tellFailure(error) },
        ),
    });
  return (
    <Button size="xs" variant="default" color="red" onClick={ask} loading={remove.isPending}>
      Delete room
    </Button>
  );
}
