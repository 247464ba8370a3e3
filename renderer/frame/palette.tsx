// Ctrl or Cmd K: every place and the things most often done, by their first letters.

import { Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconKeyboard, IconMessages, IconPlus, IconSearch } from '@tabler/icons-react';
import { askAgent } from '../jobs/ask-agent.tsx';
import { useAgents, useRooms } from '../parts/live.ts';
import { Picture } from '../parts/picture.tsx';
import { stateWord } from '../parts/state-mark.tsx';
import { newRoom } from '../rooms/room-form.tsx';
import { showShortcuts } from './frame-state.ts';
import { pages } from './pages.tsx';
import classes from './palette.module.css';
import { places } from './places.tsx';
import { address, go } from './router.ts';

const deeds = [
  { id: 'ask', page: 'jobs', label: 'Ask an agent', act: () => askAgent() },
  { id: 'new-agent', page: 'agents', label: 'Add an agent', act: () => go('#/agents/new') },
  { id: 'new-room', page: 'rooms', label: 'New room', act: newRoom },
  { id: 'new-callback', page: 'callbacks', label: 'New callback', act: () => go('#/callbacks/new') },
];

function useActions(): SpotlightActionGroupData[] {
  const rooms = useRooms();
  const agents = useAgents();
  return [
    {
      group: 'Rooms',
      actions: rooms.map(room => ({
        id: `room ${room.id}`,
        label: room.name || room.id,
        description: room.about,
        leftSection: <IconMessages size={18} />,
        onClick: () => go(address('rooms', room.id)),
      })),
    },
    {
      group: 'Agents',
      actions: agents.map(agent => ({
        id: `agent ${agent.pubkey}`,
        label: agent.name,
        description: stateWord(agent.state),
        leftSection: <Picture pubkey={agent.pubkey} agent size={20} />,
        onClick: () => go(address('agents', agent.pubkey)),
      })),
    },
    {
      group: 'Do',
      actions: [
        ...deeds
          .filter(deed => deed.page in pages)
          .map(deed => ({
            id: deed.id,
            label: deed.label,
            leftSection: <IconPlus size={18} />,
            onClick: deed.act,
          })),
        {
          id: 'shortcuts',
          label: 'Show shortcuts',
          leftSection: <IconKeyboard size={18} />,
          onClick: () => showShortcuts(true),
        },
      ],
    },
    {
      group: 'Go to',
      actions: Object.entries(places)
        .filter(([name]) => name in pages)
        .map(([name, { label, icon: Icon }]) => ({
          id: `place ${name}`,
          label,
          leftSection: <Icon size={18} />,
          onClick: () => go(address(name)),
        })),
    },
  ].filter(group => group.actions.length > 0);
}

export function Palette() {
  return (
    <Spotlight
      actions={useActions()}
      shortcut="mod + K"
      tagsToIgnore={[]}
      triggerOnContentEditable
      nothingFound="Nothing by that name."
      scrollable
      title="Find anything"
      classNames={{ header: classes.head }}
      maxHeight={420}
      limit={40}
      overlayProps={{ blur: 0 }}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: 'Find a room, an agent, a page',
        'aria-label': 'Find anything',
      }}
    />
  );
}
