// Rooms: the list of all, and the one at the address.

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { RoomSummary } from '../../main/contract/rooms.ts';
import { useCall } from '../bridge.ts';
import { address } from '../frame/router.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { PageColumn } from '../parts/page.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { When } from '../parts/when.tsx';
import { newRoom } from './room-form.tsx';
import { RoomView } from './room-view.tsx';
import classes from './rooms-page.module.css';

export type RoomsPageProps = { room: string | undefined; root: string | undefined };

export function RoomsPage({ room, root }: RoomsPageProps) {
  const rooms = useCall('rooms.list', {});
  if (room === undefined) return <RoomList />;
  const found = rooms.data?.find(one => one.id === room);
  if (found) return <RoomView key={found.id} room={found} root={root} />;
  return (
    <PageColumn title={room}>
      {rooms.isPending ? <RowSkeletons /> : null}
      {rooms.isError ? <FailureNote error={rooms.error} onRetry={() => void rooms.refetch()} /> : null}
      {rooms.isSuccess ? (
        <Empty
          sentence="There is no such room, or you are not in it."
          action={{ label: 'See all rooms', href: '#/rooms' }}
        />
      ) : null}
    </PageColumn>
  );
}

function RoomList() {
  const rooms = useCall('rooms.list', {});
  return (
    <PageColumn
      title="Rooms"
      actions={
        <Button size="xs" leftSection={<IconPlus size={16} />} onClick={newRoom}>
          New room
        </Button>
      }
    >
      {rooms.isPending ? <RowSkeletons /> : null}
      <FailureNote error={rooms.error} onRetry={() => void rooms.refetch()} />
      {rooms.data?.length === 0 ? (
        <Empty sentence="There are no rooms yet." action={{ label: 'Make a room', onClick: newRoom }} />
      ) : null}
      <ul className={classes.rooms}>
        {rooms.data?.map(room => (
          <RoomRow key={room.id} room={room} />
        ))}
      </ul>
    </PageColumn>
  );
}

function RoomRow({ room }: { room: RoomSummary }) {
  return (
    <li>
      <a className={classes.room} href={address('rooms', room.id)} data-unread={room.unread > 0 || undefined}>
        <span className={classes.name}>{room.name || room.id}</span>
        <span className={classes.about}>{room.about}</span>
        <span className={classes.dim}>
          {room.members} {room.members === 1 ? 'member' : 'members'}
          {room.access === 'members' ? ', by invitation' : ''}
        </span>
        <span className={classes.when}>
          {room.last_message_at > 0 ? <When seconds={room.last_message_at} /> : 'no messages'}
        </span>
        <span className={classes.unread}>{room.unread > 0 ? `${room.unread} new` : ''}</span>
      </a>
    </li>
  );
}
