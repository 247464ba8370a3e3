// The features on top of the relay, composed: opened when it answers for the first time, closed in the reverse order.

import type { Signer } from '../relay/client/signer.ts';
import { MESSAGE_KINDS } from '../relay/protocol/kinds.ts';
import { moveRooms } from './agents/granting.ts';
import { openGrants } from './agents/grants.ts';
import type { AgentKeys } from './agents/local-agent.ts';
import type { Shipped } from './agents/programs.ts';
import { type Agents, createAgents } from './agents.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { agentBanner, approvalBanner, jobBanner, messageBanner, relayBanner } from './banners.ts';
import type { FeatureHandlers } from './bridge.ts';
import { createCallbacks } from './callbacks.ts';
import type { AppState, Party } from './contract/app.ts';
import type { Banner } from './contract/notices.ts';
import { createHealth } from './health.ts';
import type { Home } from './home.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { type Live, openLive } from './live.ts';
import type { Logs } from './logs.ts';
import { createPeople } from './people.ts';
import type { Push } from './push.ts';
import { openRelayLink, type RelayLink } from './relay-link.ts';
import { createRooms } from './rooms.ts';
import type { TrayModel } from './shell/shell.ts';
import type { ChildParts } from './supervise/child.ts';
import type { Leftover } from './supervise/ledger.ts';
import type { RelayProcess } from './supervise/relay-process.ts';
import { trayModel } from './tray-model.ts';

export type FeatureParts = ChildParts & {
  home: Home;
  owner: Signer;
  /** Address of the running relay. */
  url: string;
  relay: Pick<RelayProcess, 'state'>;
  keys: AgentKeys;
  /** Module that understands `agent …`, and how the demo agent is started. */
  runner: string;
  demo: Shipped;
  readTo: { get(room: string): number; set(room: string, to: number): void };
  leftovers: Leftover[];
  vault(): AppState['vault'];
  logs: Logs;
  push: Push;
  notices: { raise(banner: Banner): Promise<unknown>; settled(approval: string): void };
  /** An agent was added for good. */
  agentAdded(): void;
  /** Connection, what waits, or what agents do changed. */
  changed(): void;
};

export type Features = {
  handlers: FeatureHandlers;
  connection(): AppState['connection'];
  people(): Party[];
  /** Open approvals. */
  waiting(): number;
  tray(): TrayModel;
  /** Makes the first room when there is none, then starts the agents that were left running. */
  begin(): Promise<void>;
  close(): Promise<void>;
};

/** Opens the features; nothing of the person's is started before begin(). */
export function openFeatures(parts: FeatureParts): Features {
  const { home, owner, push, changed, ledger, spawner } = parts;
  const log = parts.logs.source('features');
  const failed = (error: unknown) => log.warn({ err: error }, 'a background step failed');
  const common = { push, failed };

  const link = openRelayLink(parts.url, owner);
  const live = openLive(link);
  const grants = openGrants(link, live, failed);
  const people = createPeople({ link, live, grants, failed });
  const rooms = createRooms({ ...common, link, live, readTo: parts.readTo });
  const agents = createAgents({
    ...common,
    link,
    live,
    grants,
    ledger,
    spawner,
    keys: parts.keys,
    entry: parts.runner,
    demo: parts.demo,
    agentsFolder: home.at('agents'),
    workFolder: home.at('work'),
    rooms: () => rooms.list(),
    added: parts.agentAdded,
  });
  const approvals = createApprovals({
    ...common,
    link,
    live,
    file: home.at('approvals.json'),
    nameOf: people.nameOf,
    permissionsOf: agents.permissionsOf,
  });
  const jobs = createJobs({ ...common, link, live, agents });
  const callbacks = createCallbacks({ ...common, link, live, agents });
  const health = createHealth({ ...parts, home: home.path, link, agents });

  link.onState(changed);
  people.onChange(list => push('app.people', list));
  raiseBanners({
    parts,
    link,
    live,
    agents,
    approvals,
    jobs,
    names: { owner: owner.pubkey, nameOf: people.nameOf },
    failed,
  });
  agents.onSaid((_, line) => approvals.said(line));
  agents.onChange(view => {
    if (view.state === 'revoked') approvals.withdrawAll(view.pubkey, "The agent's grant was revoked");
    const off = view.process?.state === 'stopped' || view.process?.state === 'suspended';
    if (off) approvals.withdrawAll(view.pubkey, 'The agent is no longer running', true);
    changed();
  });
  approvals.onChange(changed);
  grants.onChange(() => approvals.grantsChanged());
  approvals.onChange((view, before) => {
    const granted = view.type === 'grant' && view.answer?.decision === 'approved' && view.answer.from;
    if (!granted || before?.state !== 'open' || !view.grant) return;
    const { before: old, after } = view.grant;
    const rooms = [...old.scope.rooms, ...after.scope.rooms];
    moveRooms(link, view.asker, old.scope.rooms, rooms).catch(failed);
  });

  return {
    handlers: {
      agents: agents.handlers,
      approvals: approvals.handlers,
      callbacks: callbacks.handlers,
      health: health.handlers,
      jobs: jobs.handlers,
      rooms: rooms.handlers,
    },
    connection: () => link.state,
    people: () => people.list(),
    waiting: () => approvals.open().length,
    tray: () => trayModel(approvals.open(), agents.list()),
    async begin() {
      await rooms.ensureGeneral();
      await grants.refresh();
      await agents.begin();
    },
    async close() {
      await agents.stopAll();
      jobs.close();
      callbacks.close();
      await approvals.close();
      rooms.close();
      people.close();
      grants.close();
      live.close();
      await link.close();
    },
  };
}

type BannerSources = {
  parts: FeatureParts;
  link: RelayLink;
  live: Live;
  agents: Agents;
  approvals: Approvals;
  jobs: Jobs;
  names: { owner: string; nameOf(pubkey: string): string };
  failed(error: unknown): void;
};

function raiseBanners({ parts, link, live, agents, approvals, jobs, names, failed }: BannerSources): void {
  const raise = (banner: Banner | null) => {
    if (banner) parts.notices.raise(banner).catch(failed);
  };
  const mine = new Set<string>();
  live.on(MESSAGE_KINDS, event => {
    if (event.pubkey === names.owner) {
      mine.add(event.id);
      if (mine.size > 2_000) for (const oldest of mine) if (mine.delete(oldest)) break;
    }
    raise(messageBanner(event, names, id => mine.has(id)));
  });
  approvals.onChange((view, before) => {
    if (view.state === 'open' && before === undefined) raise(approvalBanner(view, names));
    if (view.state !== 'open') parts.notices.settled(view.id);
  });
  jobs.onChange((job, event) => raise(jobBanner(job, event, names)));
  // Once for each time something is given up on, however often it is looked at meanwhile (case F-52).
  const given = new Set<string>();
  const giveUp = (what: string, banner: Banner | null) => {
    if (banner === null) given.delete(what);
    else if (!given.has(what)) {
      given.add(what);
      raise(banner);
    }
  };
  agents.onChange(view => giveUp(view.pubkey, agentBanner(view)));
  link.onState(() => giveUp('relay', relayBanner(parts.relay.state)));
}
