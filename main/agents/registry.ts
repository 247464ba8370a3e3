// Every agent known here: those the relay holds a grant for, and those among them that run on this machine. What
// changes is told once for a burst of causes.

import { mkdirSync } from 'node:fs';
import type { StatusLine } from '../../relay/protocol/runner-status.ts';
import { CallFailure } from '../bridge.ts';
import { type Coalesced, coalesce } from '../coalesce.ts';
import type { AgentView } from '../contract/agents.ts';
import { type Live, ROOM_EVENT_KINDS } from '../live.ts';
import type { Push } from '../push.ts';
import type { RelayLink } from '../relay-link.ts';
import type { ChildParts } from '../supervise/child.ts';
import { AgentViews } from './agent-views.ts';
import type { GrantBook } from './grants.ts';
import { type AgentKeys, LocalAgent, type LocalAgentParts } from './local-agent.ts';
import { type AgentFolder, type AgentRecord, agentFolder, loadRecords } from './record.ts';
import { RemovedAgents } from './removed.ts';

export type RegistryParts = ChildParts & {
  link: RelayLink;
  live: Live;
  grants: GrantBook;
  keys: AgentKeys;
  push: Push;
  /** Folder `agents/` of the home. */
  agentsFolder: string;
  /** Module that understands `agent …`. */
  entry: string;
  failed(error: unknown): void;
};

export type ViewListener = (view: AgentView) => void;
export type LineListener = (pubkey: string, line: StatusLine) => void;

export class AgentRegistry {
  readonly locals = new Map<string, LocalAgent>();
  readonly removed: RemovedAgents;
  readonly onChange = new Set<ViewListener>();
  readonly onSaid = new Set<LineListener>();
  readonly #parts: RegistryParts;
  readonly #views = new AgentViews();
  readonly #touched = new Set<string>();
  readonly #tell: Coalesced;

  constructor(parts: RegistryParts) {
    const { agentsFolder, grants, live, failed } = parts;
    this.#parts = parts;
    mkdirSync(agentsFolder, { recursive: true, mode: 0o700 });
    this.removed = new RemovedAgents(agentsFolder);
    this.#tell = coalesce(60, () => this.#tellTouched(), failed);
    const { records, broken } = loadRecords(agentsFolder);
    for (const record of records) this.adopt(agentFolder(agentsFolder, record.pubkey), record);
    for (const pubkey of broken) {
      failed(new Error(`agents/${pubkey}/agent.json cannot be read; the agent is not started`));
    }
    grants.onChange(() => this.#followGrants());
    live.on(ROOM_EVENT_KINDS, ({ pubkey, created_at }) => {
      if (!this.locals.has(pubkey) && !grants.get(pubkey)) return;
      this.#views.published(pubkey, created_at);
      this.#changed(pubkey);
    });
  }

  list(): AgentView[] {
    const views = this.#pubkeys().map(pubkey => this.view(pubkey));
    return views.sort((a, b) => a.name.localeCompare(b.name));
  }

  /** The view of one agent. Throws CallFailure `not-found`. */
  view(pubkey: string): AgentView {
    const local = this.locals.get(pubkey);
    const grant = this.#parts.grants.get(pubkey);
    if (!local && !grant) throw new CallFailure('not-found', 'There is no such agent.');
    return this.#views.view(pubkey, local, grant);
  }

  /** The agent as one that runs here. Throws CallFailure. */
  local(pubkey: string): LocalAgent {
    const agent = this.locals.get(pubkey);
    if (agent) return agent;
    this.view(pubkey);
    throw new CallFailure('conflict', 'This agent does not run on this machine.');
  }

  /** Takes an agent of this machine up. */
  adopt(folder: AgentFolder, record: AgentRecord): LocalAgent {
    const { link, push } = this.#parts;
    const parts: LocalAgentParts = {
      ...this.#parts,
      relay: link.url,
      changed: ({ pubkey }) => this.#changed(pubkey),
      logged: ({ pubkey }, line) => push('agents.log', { pubkey, line }),
      said: ({ pubkey }, line) => {
        if (line.type === 'grant') this.#parts.grants.doubt();
        for (const listener of this.onSaid) listener(pubkey, line);
      },
    };
    const agent = new LocalAgent(parts, folder, record);
    this.locals.set(agent.pubkey, agent);
    return agent;
  }

  /** One after the other: a crowd that starts at once makes the first minute unusable (case B1). */
  async begin(): Promise<void> {
    for (const agent of [...this.locals.values()]) {
      const grant = this.#parts.grants.get(agent.pubkey);
      if (!grant || grant.revoked === 0) await agent.begin();
    }
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.locals.values()].map(agent => agent.stop(undefined, true)));
    this.#tell.close();
  }

  /** The local agent that works on a job, or null. */
  serving(job: string): string | null {
    for (const agent of this.locals.values()) {
      if (agent.runner.runs.some(run => run.run === job && run.phase !== 'ended')) return agent.pubkey;
    }
    return null;
  }

  #pubkeys(): string[] {
    const granted = this.#parts.grants.list().filter(grant => !this.removed.hides(grant));
    return [...new Set([...granted.map(grant => grant.pubkey), ...this.locals.keys()])];
  }

  /** Tells each runner whether its grant lets it work, and ends those whose grant was taken away (case F-22). */
  #followGrants(): void {
    const { grants, failed } = this.#parts;
    for (const agent of this.locals.values()) {
      const grant = grants.get(agent.pubkey);
      if (!grant) continue;
      agent.hold(grant.paused && grant.revoked === 0 ? 'Its grant is paused' : null);
      agent.setRooms(grant.scope.rooms);
      if (grant.revoked !== 0 && agent.alive) agent.stop('Its grant was revoked').catch(failed);
    }
    for (const pubkey of this.#pubkeys()) this.#changed(pubkey);
  }

  #changed(pubkey: string): void {
    this.#touched.add(pubkey);
    this.#tell.ask();
  }

  #tellTouched(): void {
    const known = new Set(this.#pubkeys());
    const touched = [...this.#touched].filter(pubkey => known.has(pubkey));
    this.#touched.clear();
    for (const pubkey of touched) {
      const view = this.view(pubkey);
      this.#parts.push('agents.changed', view);
      for (const listener of this.onChange) listener(view);
    }
  }
}
