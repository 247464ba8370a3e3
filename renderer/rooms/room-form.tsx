// Making a room and changing one: the same form.

import { Button, Group, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type FormEvent, useState } from 'react';
import type { RoomSummary } from '../../main/contract/rooms.ts';
import { failureOf, useAct } from '../bridge.ts';
import { address, go } from '../frame/router.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useRooms } from '../parts/live.ts';
import { roomIdFrom } from './room-id.ts';

const MODAL = 'room-form';

/** Opens the form for a new room. */
export function newRoom(): void {
  modals.open({ modalId: MODAL, title: 'New room', children: <RoomForm /> });
}

/** Opens the form for a room that is there. */
export function changeRoom(room: RoomSummary): void {
  modals.open({ modalId: MODAL, title: 'Edit room', children: <RoomForm room={room} /> });
}

const close = () => modals.close(MODAL);

function RoomForm({ room }: { room?: RoomSummary }) {
  const rooms = useRooms();
  const [name, setName] = useState(room?.name ?? '');
  const [typedId, setTypedId] = useState<string>();
  const [about, setAbout] = useState(room?.about ?? '');
  const [access, setAccess] = useState<RoomSummary['access']>(room?.access ?? 'open');
  const create = useAct('rooms.create');
  const change = useAct('rooms.change');
  const saving = room ? change : create;
  const id = room?.id ?? typedId ?? roomIdFrom(name);
  const idProblem = room ? undefined : problemWith(id, rooms);
  const fields = saving.error ? failureOf(saving.error).fields : undefined;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (idProblem !== undefined) return;
    saving.mutate(
      { id, name: name.trim(), about: about.trim(), access },
      {
        onSuccess: made => {
          close();
          if (!room) go(address('rooms', made.id));
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          data-autofocus
          required
          maxLength={200}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          error={fields?.name}
        />
        {room ? null : (
          <TextInput
            label="Id"
            description="Small letters, digits, - and _. It cannot be changed later."
            value={id}
            onChange={event => setTypedId(event.currentTarget.value)}
            error={name !== '' || typedId !== undefined ? (idProblem ?? fields?.id) : undefined}
          />
        )}
        <Textarea
          label="About"
          autosize
          minRows={2}
          maxRows={6}
          maxLength={2000}
          value={about}
          onChange={event => setAbout(event.currentTarget.value)}
        />
        <Radio.Group
          label="Open to"
          value={access}
          onChange={value => setAccess(value === 'members' ? 'members' : 'open')}
        >
          <Stack gap="sm" mt="xs">
            <Radio value="open" label="Everyone on this relay" />
            <Radio value="members" label="Only those who are added" />
          </Stack>
        </Radio.Group>
        <FailureNote error={saving.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending} disabled={name.trim() === ''}>
            {room ? 'Save' : 'Make room'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function problemWith(id: string, rooms: readonly RoomSummary[]): string | undefined {
  if (!/^[a-z0-9_-]{1,64}$/.test(id)) return 'Give it an id of small letters, digits, - and _';
  return rooms.some(room => room.id === id) ? 'There is a room with this id already' : undefined;
}
