// Agents: everyone the relay holds a grant for, and those among them that run here. Each button is one action that
// completes or says why not.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StatusLine } from '../relay/protocol/runner-status.ts';
import { AgentViews } from './agents/agent-views.ts';
import { createAgent } from './agents/create.ts';
import { type DraftSurroundings, previewGrant } from './agents/grant-draft.ts';
import type { GrantBook } from './agents/grants.ts';
import { type AgentKeys, LocalAgent } from './agents/local-agent.ts';
import { findPrograms, type Shipped } from './agents/programs.ts';
import { type AgentFolder, type AgentRecord, agentFolder, loadRecords } from './agents/record.ts';
import { RemovedAgents } from './agents/removed.ts';
import { CallFailure } from './bridge.ts';
import { coalesce } from './coalesce.ts';
import type { AgentView } from './contract/agents.ts';
import type { Handlers } from './contract/features.ts';
import type { RoomSummary } from './contract/rooms.ts';
import type { RelayLink } from './relay-link.ts';
import type { Push } from './rooms.ts';
import type { ChildParts } from './supervise/child.ts';

export type AgentsParts = ChildParts & {
  link: RelayLink;
  grants: GrantBook;
  keys: AgentKeys;
  push: Push;
  /** Folder `agents/` of the home, and `work/` where an agent's own folder may be made. */
  agentsFolder: string;
  workFolder: string;
  /** Rooms there are, for the form's checks. */
  rooms(): RoomSummary[];
  /** Module that understands `agent …`. */
  entry: string;
  demo: Shipped;
  failed(error: unknown): void;
};

export type Agents = {
  handlers: Handlers<'agents'>;
  list(): AgentView[];
  /** Told of every view that changed, as the dashboard is. */
  onChange(listener: (view: AgentView) => void): () => void;
  /** Told of every status line of a local runner. */
  onSaid(listener: (pubkey: string, line: StatusLine) => void): () => void;
  /** Starts the agents that the person left running. */
  begin(): Promise<void>;
  /** Stops every runner with its tree; they are started again by the next begin. */
  stopAll(): Promise<void>;
  /** The local agent that works on a job, or null. */
  serving(job: string): string | null;
};

/** Opens the feature; nothing is started before begin(). */
export function createAgents(parts: AgentsParts): Agents {
  const { link, grants, keys, push } = parts;
  mkdirSync(parts.agentsFolder, { recursive: true, mode: 0o700 });
  const locals = new Map<string, LocalAgent>();
  const removed = new RemovedAgents(parts.agentsFolder);
  const views = new AgentViews();
  const changeListeners = new Set<(view: AgentView) => void>();
  const saidListeners = new Set<(pubkey: string, line: StatusLine) => void>();
  const touched = new Set<string>();

  const view = (pubkey: string) => views.view(pubkey, locals.get(pubkey), grants.get(pubkey));
  const pubkeys = () => {
    const granted = grants.list().filter(grant => !removed.hides(grant));
    return [...new Set([...granted.map(grant => grant.pubkey), ...locals.keys()])];
  };
  const list = () =>
    pubkeys()
      .map(view)
      .sort((a, b) => a.name.localeCompare(b.name));
  const tell = coalesce(
    60,
    () => {
      const known = new Set(pubkeys());
      for (const pubkey of [...touched]) {
        touched.delete(pubkey);
        if (!known.has(pubkey)) continue;
        const now = view(pubkey);
        push('agents.changed', now);
        for (const listener of changeListeners) listener(now);
      }
    },
    parts.failed,
  );
  const changed = (pubkey: string) => {
    touched.add(pubkey);
    tell.ask();
  };

  function adopt(folder: AgentFolder, record: AgentRecord): LocalAgent {
    const { ledger, spawner, entry, failed } = parts;
    const agent = new LocalAgent(
      {
        ledger,
        spawner,
        entry,
        failed,
        keys,
        relay: link.url,
        changed: ({ pubkey }) => changed(pubkey),
        logged: ({ pubkey }, line) => push('agents.log', { pubkey, line }),
        said({ pubkey }, line) {
          for (const listener of saidListeners) listener(pubkey, line);
        },
      },
      folder,
      record,
    );
    locals.set(agent.pubkey, agent);
    return agent;
  }
  const { records, broken } = loadRecords(parts.agentsFolder);
  for (const record of records) adopt(agentFolder(parts.agentsFolder, record.pubkey), record);
  for (const pubkey of broken) {
    parts.failed(new Error(`agents/${pubkey}/agent.json cannot be read; the agent is not started`));
  }

  /** Tells each runner whether its grant lets it work. */
  function followGrants(): void {
    for (const agent of locals.values()) {
      const grant = grants.get(agent.pubkey);
      if (!grant) continue;
      agent.hold(grant.paused && grant.revoked === 0 ? 'Its grant is paused' : null);
      if (grant.revoked !== 0 && agent.alive) {
        agent.stop('Its grant was revoked').catch(parts.failed);
      }
    }
    for (const pubkey of pubkeys()) changed(pubkey);
  }
  grants.onChange(followGrants);

  const around = (): DraftSurroundings => ({
    owner: link.owner,
    rooms: parts.rooms(),
    names: list().flatMap(each => (each.state === 'revoked' ? [] : each.name)),
    workFolder: parts.workFolder,
  });
  const local = (pubkey: string): LocalAgent => {
    const agent = locals.get(pubkey);
    if (agent) return agent;
    if (!grants.get(pubkey)) throw new CallFailure('not-found', 'There is no such agent.');
    throw new CallFailure('conflict', 'This agent does not run on this machine.');
  };
  const manage = async (method: string, pubkey: string) => {
    await link.call(method, pubkey);
    await grants.refresh();
  };

  const handlers: Handlers<'agents'> = {
    list,
    get({ pubkey }) {
      if (!locals.has(pubkey) && !grants.get(pubkey))
        throw new CallFailure('not-found', 'There is no such agent.');
      return view(pubkey);
    },
    programs: () => findPrograms(parts.demo),
    preview: draft => previewGrant(draft, around()),
    async create(draft) {
      const agent = await createAgent(
        {
          link,
          keys,
          agents: parts.agentsFolder,
          around: around(),
          adopt,
          abandon: ({ pubkey }) => locals.delete(pubkey),
          discard: pubkey => removed.add(pubkey),
        },
        draft,
      );
      await grants.refresh();
      return view(agent.pubkey);
    },
    async start({ pubkey }) {
      const agent = local(pubkey);
      const grant = grants.get(pubkey);
      if (grant && grant.revoked !== 0) {
        throw new CallFailure('conflict', 'Its grant was revoked. Add the agent anew to let it work again.');
      }
      await agent.start();
      return view(pubkey);
    },
    async stop({ pubkey }) {
      await local(pubkey).stop('You stopped it');
      return view(pubkey);
    },
    async pause({ pubkey }) {
      await manage('pauseagent', pubkey);
      return view(pubkey);
    },
    async resume({ pubkey }) {
      await manage('resumeagent', pubkey);
      return view(pubkey);
    },
    async revoke({ pubkey }) {
      await manage('revokeagent', pubkey);
      await locals.get(pubkey)?.stop('Its grant was revoked');
      return view(pubkey);
    },
    async cancel({ pubkey, run }) {
      await local(pubkey).cancel(run);
      return {};
    },
    async remove({ pubkey }) {
      const agent = locals.get(pubkey);
      await agent?.stop('You removed it');
      const grant = grants.get(pubkey);
      if (grant && grant.revoked === 0) await link.call('revokeagent', pubkey);
      removed.add(pubkey);
      locals.delete(pubkey);
      agent?.remove();
      keys.remove(pubkey);
      await grants.refresh();
      push('agents.removed', { pubkey });
      return {};
    },
    log: ({ pubkey, limit }) => locals.get(pubkey)?.log.tail(limit) ?? [],
    events: ({ pubkey }) => link.query([{ authors: [pubkey], limit: 20 }]),
    pauseAll: () => all('pauseallagents'),
    resumeAll: () => all('resumeallagents'),
  };
  async function all(method: string): Promise<{ changed: number }> {
    const answer = await link.call<{ changed: number }>(method);
    await grants.refresh();
    return { changed: answer.changed };
  }

  return {
    handlers,
    list,
    onChange(listener) {
      changeListeners.add(listener);
      return () => changeListeners.delete(listener);
    },
    onSaid(listener) {
      saidListeners.add(listener);
      return () => saidListeners.delete(listener);
    },
    async begin() {
      // One after the other: a crowd that starts at once makes the first minute unusable (case B1).
      for (const agent of locals.values()) {
        if (grants.get(agent.pubkey)?.revoked) continue;
        await agent.begin();
      }
    },
    async stopAll() {
      await Promise.all([...locals.values()].map(agent => agent.stop(undefined, true)));
      tell.close();
    },
    serving(job) {
      for (const agent of locals.values()) {
        if (agent.runner.runs.some(run => run.run === job && run.phase !== 'ended')) return agent.pubkey;
      }
      return null;
    },
  };
}

/** Where a home keeps what agents need. */
export function agentFolders(home: string): { agentsFolder: string; workFolder: string } {
  return { agentsFolder: join(home, 'agents'), workFolder: join(home, 'work') };
}
