// Who is in a room, how they are, and what an admin may change about it.

import { ActionIcon, Button, Menu, Select, Stack, TextInput } from '@mantine/core';
import { IconDots, IconUserPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import type { RoomMember, RoomSummary } from '../../main/contract/rooms.ts';
import { useAct } from '../bridge.ts';
import { typedKey } from '../jobs/ask-agent.tsx';
import { FailureNote, tellFailure } from '../parts/failure.tsx';
import { useAgents, usePeople } from '../parts/live.ts';
import { DetailPanel, Section } from '../parts/page.tsx';
import { Person } from '../parts/person.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import classes from './members-panel.module.css';
import { usePresence } from './presence.ts';
import { RoomFacts } from './room-facts.tsx';
import { useRoomHere } from './room-here.ts';

export type MembersPanelProps = { room: RoomSummary; onChanged: () => void; onClose: () => void };

export function MembersPanel({ room, onChanged, onClose }: MembersPanelProps) {
  const { members, admin } = useRoomHere();
  return (
    <DetailPanel title={room.name || room.id} onClose={onClose}>
      <RoomFacts room={room} />
      <Section title={`Members (${members.length})`}>
        {admin ? <AddMember room={room} onChanged={onChanged} /> : null}
        <ul className={classes.members}>
          {members.map(member => (
            <MemberRow key={member.pubkey} member={member} room={room} onChanged={onChanged} />
          ))}
        </ul>
      </Section>
    </DetailPanel>
  );
}

/** What is known of how a member is: an agent of this machine by its process, others by what they said. */
function Standing({ pubkey }: { pubkey: string }) {
  const agent = useAgents().find(one => one.pubkey === pubkey);
  const said = usePresence(pubkey);
  if (agent && agent.state !== 'elsewhere') {
    return <StateMark as="icon" state={agent.state} reason={agent.reason} />;
  }
  return said ? <span className={classes.said}>{said}</span> : null;
}

type MemberRowProps = { member: RoomMember; room: RoomSummary; onChanged: () => void };

function MemberRow({ member, room, onChanged }: MemberRowProps) {
  const { me, admin } = useRoomHere();
  return (
    <li className={classes.member}>
      <Person pubkey={member.pubkey} size={24} />
      <span className={classes.end}>
        <Standing pubkey={member.pubkey} />
        {member.role === 'member' ? null : <span className={classes.said}>{member.role}</span>}
        {admin && member.pubkey !== me ? (
          <MemberMenu member={member} room={room} onChanged={onChanged} />
        ) : null}
      </span>
    </li>
  );
}

function MemberMenu({ member, room, onChanged }: MemberRowProps) {
  const put = useAct('rooms.addMember');
  const remove = useAct('rooms.removeMember');
  const done = { onSuccess: onChanged, onError: (error: Error) => tellFailure(error) };
  const { pubkey, role } = member;
  const make = (next: RoomMember['role'], label: string) =>
    role === next ? null : (
      <Menu.Item onClick={() => put.mutate({ id: room.id, pubkey, role: next }, done)}>{label}</Menu.Item>
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={28} aria-label="Change this member">
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {make('admin', 'Make admin')}
        {make('member', 'Make member')}
        {room.role === 'owner' ? make('owner', 'Make owner') : null}
        <Menu.Item c="var(--state-failed)" onClick={() => remove.mutate({ id: room.id, pubkey }, done)}>
          Remove from the room
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Adds somebody known, or whoever owns a pasted key. */
function AddMember({ room, onChanged }: { room: RoomSummary; onChanged: () => void }) {
  const { members } = useRoomHere();
  const people = usePeople();
  const add = useAct('rooms.addMember');
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const [pasted, setPasted] = useState('');
  const outside = people.filter(party => !members.some(member => member.pubkey === party.pubkey));
  const pubkey = chosen ?? typedKey(pasted);

  if (!open) {
    return (
      <Button
        fullWidth
        size="xs"
        variant="default"
        mb="sm"
        leftSection={<IconUserPlus size={16} />}
        onClick={() => setOpen(true)}
      >
        Add somebody
      </Button>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (pubkey === undefined) return;
    add.mutate(
      { id: room.id, pubkey, role: 'member' },
      {
        onSuccess: () => {
          setOpen(false);
          setChosen(null);
          setPasted('');
          onChanged();
        },
      },
    );
  };
  return (
    <form onSubmit={submit} className={classes.add}>
      <Stack gap="sm">
        {outside.length > 0 ? (
          <Select
            label="Who"
            placeholder="Choose, or paste a key below"
            searchable
            clearable
            data={outside.map(party => ({ value: party.pubkey, label: party.name }))}
            value={chosen}
            onChange={setChosen}
          />
        ) : null}
        {chosen === null ? (
          <TextInput
            label="Public key"
            placeholder="npub1…"
            value={pasted}
            onChange={event => setPasted(event.currentTarget.value)}
            error={pasted !== '' && pubkey === undefined ? 'This is not a public key' : undefined}
          />
        ) : null}
        <FailureNote error={add.error} />
        <Button type="submit" size="xs" disabled={pubkey === undefined} loading={add.isPending}>
          Add to the room
        </Button>
      </Stack>
    </form>
  );
}
