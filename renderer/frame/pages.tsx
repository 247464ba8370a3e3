// Every page by the first part of its address. A page joins with one line here; the sidebar shows what is here.

import type { ReactNode } from 'react';
import { AgentPage } from '../agents/agent-page.tsx';
import { AgentsPage } from '../agents/agents-page.tsx';
import { NewAgentPage } from '../agents/new-agent-page.tsx';
import { ApprovalPage, ApprovalsPage } from '../approvals/approvals-page.tsx';
import { HealthPage } from '../health/health-page.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { UnlockPage } from '../unlock/unlock-page.tsx';
import { WelcomePage } from '../welcome/welcome-page.tsx';
import type { Address } from './router.ts';

/** Draws a page from what stands after its name in the address. */
export type DrawPage = (rest: Address) => ReactNode;

export const pages: Record<string, DrawPage> = {
  welcome: () => <WelcomePage />,
  approvals: ([id]) => (id === undefined ? <ApprovalsPage /> : <ApprovalPage id={id} key={id} />),
  agents: ([pubkey]) => {
    if (pubkey === undefined) return <AgentsPage />;
    return pubkey === 'new' ? <NewAgentPage /> : <AgentPage pubkey={pubkey} key={pubkey} />;
  },
  settings: () => <SettingsPage />,
  health: () => <HealthPage />,
};

/** What replaces the whole frame while the vault is not open. */
export const unlock: (() => ReactNode) | undefined = () => <UnlockPage />;
