// The places of the dashboard by the first part of their address: what each is called and its sign.

import {
  IconChecklist,
  IconHeartbeat,
  IconMessages,
  IconRobot,
  IconSettings,
  IconSubtask,
  IconWebhook,
} from '@tabler/icons-react';

export const places = {
  approvals: { label: 'Approvals', icon: IconChecklist },
  rooms: { label: 'Rooms', icon: IconMessages },
  agents: { label: 'Agents', icon: IconRobot },
  jobs: { label: 'Jobs', icon: IconSubtask },
  callbacks: { label: 'Callbacks', icon: IconWebhook },
  health: { label: 'Health', icon: IconHeartbeat },
  settings: { label: 'Settings', icon: IconSettings },
} as const;

export type PlaceName = keyof typeof places;
