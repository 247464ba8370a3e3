// "Ask an agent": a job request (43001) from a room or a thread.

import { Button, Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { decode } from 'nostr-tools/nip19';
import { type FormEvent, useState } from 'react';
import { useAct, useCall } from '../bridge.ts';
import { address, go } from '../frame/router.ts';
import { FailureNote } from '../parts/failure.tsx';
import { partyOf, usePeople, useRooms } from '../parts/live.ts';

export type AskFrom = { room?: string; root?: string };

const MODAL = 'ask-agent';

/** Opens the form. `root` attaches the job to that thread. */
export function askAgent(from: AskFrom = {}): void {
  modals.open({
    modalId: MODAL,
    title: from.root === undefined ? 'Ask an agent' : 'Ask an agent in this thread',
    size: 'lg',
    children: <AskAgent {...from} onDone={() => modals.close(MODAL)} />,
  });
}

/** A public key from what was typed: hex or npub; undefined for anything else. */
export function typedKey(text: string): string | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/.test(trimmed)) return trimmed;
  try {
    const found = decode(trimmed.replace(/^nostr:/, ''));
    if (found.type === 'npub') return found.data;
    return found.type === 'nprofile' ? found.data.pubkey : undefined;
  } catch {
    // Not a key: the form says so.
    return undefined;
  }
}

/** Agents that are members of a room. */
function useRoomAgents(room: string | null): { value: string; label: string }[] {
  const people = usePeople();
  const page = useCall('rooms.open', { id: room ?? 'none', limit: 1 }, { enabled: room !== null }).data;
  const members = page?.members ?? [];
  return members
    .map(member => ({ member, party: partyOf(people, member.pubkey) }))
    .filter(({ member, party }) => member.agent === true || party.agent)
    .map(({ party }) => ({ value: party.pubkey, label: party.name }));
}

type Asked = { room: string | null; agent: string | null; pasted: string; subject: string; text: string };

function AskAgent({ room, root, onDone }: AskFrom & { onDone: () => void }) {
  const rooms = useRooms();
  const [form, setForm] = useState<Asked>({
    room: room ?? rooms[0]?.id ?? null,
    agent: null,
    pasted: '',
    subject: '',
    text: '',
  });
  const [checked, setChecked] = useState(false);
  const set = (next: Partial<Asked>) => setForm(old => ({ ...old, ...next }));
  const agents = useRoomAgents(form.room);
  const chosen = form.agent ?? (agents.length === 1 ? (agents[0]?.value ?? null) : null);
  const assignee = agents.length > 0 ? (chosen ?? undefined) : typedKey(form.pasted);
  const ask = useAct('jobs.request');
  const missing = form.text.trim() === '' && form.subject.trim() === '';

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (form.room === null || assignee === undefined || missing) return;
    const thread = root === undefined ? {} : { root };
    ask.mutate(
      {
        room: form.room,
        assignees: [assignee],
        subject: form.subject.trim(),
        content: form.text.trim(),
        ...thread,
      },
      {
        onSuccess: job => {
          onDone();
          if (room === undefined) go(address('jobs', job.id));
        },
      },
    );
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {room === undefined ? (
          <Select
            label="Room"
            data={rooms.map(one => ({ value: one.id, label: one.name || one.id }))}
            value={form.room}
            onChange={value => set({ room: value, agent: null })}
            allowDeselect={false}
          />
        ) : null}
        {agents.length > 0 ? (
          <Select
            label="Agent"
            placeholder="Choose an agent"
            data={agents}
            value={chosen}
            onChange={value => set({ agent: value })}
            allowDeselect={false}
            error={checked && assignee === undefined ? 'Choose an agent' : undefined}
          />
        ) : (
          <TextInput
            label="Agent's key"
            description="This room lists no agent. Paste the public key of one, as npub or hex."
            value={form.pasted}
            onChange={event => set({ pasted: event.currentTarget.value })}
            error={checked && assignee === undefined ? 'This is not a public key' : undefined}
          />
        )}
        <TextInput
          label="Subject"
          description="Optional: a short title for the card"
          maxLength={200}
          value={form.subject}
          onChange={event => set({ subject: event.currentTarget.value })}
        />
        <Textarea
          label="What is to be done"
          autosize
          minRows={4}
          maxRows={14}
          data-autofocus
          value={form.text}
          onChange={event => set({ text: event.currentTarget.value })}
          error={checked && missing ? 'Write what is to be done, or at least a subject' : undefined}
        />
        <FailureNote error={ask.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={ask.isPending}>
            Ask
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
