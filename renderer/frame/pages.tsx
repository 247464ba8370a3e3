// Every page by the first part of its address. A page joins with one line here; the sidebar shows what is here.

import type { ReactNode } from 'react';
import { AgentPage } from '../agents/agent-page.tsx';
import { AgentsPage } from '../agents/agents-page.tsx';
import { EditGrantPage } from '../agents/edit-grant-page.tsx';
import { ElsewherePage } from '../agents/elsewhere-page.tsx';
import { NewAgentPage } from '../agents/new-agent-page.tsx';
import { ApprovalPage, ApprovalsPage } from '../approvals/approvals-page.tsx';
import { CallbacksPage } from '../callbacks/callbacks-page.tsx';
import { NewCallbackPage } from '../callbacks/new-callback-page.tsx';
import { HealthPage } from '../health/health-page.tsx';
import { JobsPage } from '../jobs/jobs-page.tsx';
import { RoomsPage } from '../rooms/rooms-page.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { WelcomePage } from '../welcome/welcome-page.tsx';
import type { Address } from './router.ts';

/** Draws a page from what stands after its name in the address. */
export type DrawPage = (rest: Address) => ReactNode;

export const pages: Record<string, DrawPage> = {
  rooms: ([room, root]) => <RoomsPage room={room} root={root} />,
  jobs: ([job]) => <JobsPage job={job} />,
  approvals: ([id]) => (id === undefined ? <ApprovalsPage /> : <ApprovalPage key={id} id={id} />),
  agents: ([key, more]) => {
    if (key === undefined) return <AgentsPage />;
    if (key === 'new') return more === 'elsewhere' ? <ElsewherePage /> : <NewAgentPage />;
    return more === 'edit' ? <EditGrantPage key={key} pubkey={key} /> : <AgentPage key={key} pubkey={key} />;
  },
  callbacks: ([id]) => (id === 'new' ? <NewCallbackPage /> : <CallbacksPage id={id} />),
  welcome: () => <WelcomePage />,
  settings: () => <SettingsPage />,
  health: () => <HealthPage />,
};
