// Agents: each button is one action that completes or says why not. Who there is stands in agents/registry.ts.

import type { StatusLine } from '../relay/protocol/runner-status.ts';
import { createAgent } from './agents/create.ts';
import { type DraftSurroundings, previewGrant } from './agents/grant-draft.ts';
import { type FormSurroundings, previewForm } from './agents/grant-form.ts';
import { grantElsewhere, readPublicKey, replaceGrant } from './agents/granting.ts';
import type { LocalAgent } from './agents/local-agent.ts';
import type { AgentPermissions } from './agents/permissions.ts';
import { findPrograms, type Shipped } from './agents/programs.ts';
import { AgentRegistry, type RegistryParts } from './agents/registry.ts';
import { CallFailure } from './bridge.ts';
import type { AgentDraft, AgentView } from './contract/agents.ts';
import type { Handlers } from './contract/features.ts';
import type { RoomSummary } from './contract/rooms.ts';

export type AgentsParts = RegistryParts & {
  /** Folder `work/` of the home, where an agent's own folder may be made. */
  workFolder: string;
  /** Rooms there are, for the form's checks. */
  rooms(): RoomSummary[];
  demo: Shipped;
  /** An agent was added for good. */
  added(): void;
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
  /** What an agent of this machine may do without asking; null for any other. */
  permissionsOf(pubkey: string): AgentPermissions | null;
};

/** Opens the feature; nothing is started before begin(). */
export function createAgents(parts: AgentsParts): Agents {
  const registry = new AgentRegistry(parts);
  return {
    handlers: { ...looking(parts, registry), ...making(parts, registry), ...running(parts, registry) },
    list: () => registry.list(),
    onChange(listener) {
      registry.onChange.add(listener);
      return () => registry.onChange.delete(listener);
    },
    onSaid(listener) {
      registry.onSaid.add(listener);
      return () => registry.onSaid.delete(listener);
    },
    begin: () => registry.begin(),
    stopAll: () => registry.stopAll(),
    serving: job => registry.serving(job),
    permissionsOf: pubkey => registry.locals.get(pubkey)?.permissions ?? null,
  };
}

type Looking = 'list' | 'get' | 'programs' | 'log' | 'events';

function looking({ link, demo }: AgentsParts, registry: AgentRegistry): Pick<Handlers<'agents'>, Looking> {
  return {
    list: () => registry.list(),
    get: ({ pubkey }) => registry.view(pubkey),
    programs: () => findPrograms(demo),
    log: ({ pubkey, limit }) => registry.locals.get(pubkey)?.log.tail(limit) ?? [],
    events: ({ pubkey }) => link.query([{ authors: [pubkey], limit: 20 }]),
  };
}

type Making = 'preview' | 'create' | 'remove' | 'previewGrant' | 'grant' | 'editGrant';

function making(parts: AgentsParts, registry: AgentRegistry): Pick<Handlers<'agents'>, Making> {
  const { link, grants, keys, agentsFolder, workFolder, push } = parts;
  const around = (): DraftSurroundings => ({
    owner: link.owner,
    rooms: parts.rooms(),
    names: registry.list().flatMap(each => (each.state === 'revoked' ? [] : each.name)),
    workFolder,
  });
  /** What the grant form is judged by; the agent's own name is no clash. */
  const formAround = (agent: string | null): FormSurroundings => ({
    owner: link.owner,
    rooms: parts.rooms().map(room => room.id),
    names: registry
      .list()
      .flatMap(each => (each.pubkey === agent || each.state === 'revoked' ? [] : each.name)),
  });
  const keyOf = (text: string): string => {
    const key = readPublicKey(text);
    if (key !== null) return key;
    const message = text.trim().startsWith('nsec')
      ? 'This is a secret key. Paste the public one, which begins with npub.'
      : 'This is no public key: paste an npub, or 64 hex digits.';
    throw new CallFailure('invalid', message, { fields: { pubkey: message } });
  };
  const create = (draft: AgentDraft, discarded: (pubkey: string) => void): Promise<LocalAgent> =>
    createAgent(
      {
        link,
        keys,
        agents: agentsFolder,
        around: around(),
        adopt: (folder, record) => registry.adopt(folder, record),
        abandon: ({ pubkey }) => registry.locals.delete(pubkey),
        discard(pubkey) {
          registry.removed.add(pubkey);
          discarded(pubkey);
        },
      },
      draft,
    );
  return {
    preview: draft => previewGrant(draft, around()),
    async create(draft) {
      const discarded: string[] = [];
      try {
        const { pubkey } = await create(draft, key => discarded.push(key));
        parts.added();
        return registry.view(pubkey);
      } finally {
        // Also when it was all taken back: neither the book nor a page may go on showing what was.
        await grants.refresh();
        for (const pubkey of discarded) push('agents.removed', { pubkey });
      }
    },
    previewGrant({ grant, pubkey, base }) {
      const key = pubkey.trim() === '' ? null : keyOf(pubkey);
      const before = base === undefined || key === null ? [] : (grants.get(key)?.scope.rooms ?? []);
      return previewForm(grant, key, { ...formAround(key), before });
    },
    async grant({ grant, pubkey }) {
      const key = pubkey === null ? null : keyOf(pubkey);
      const known = key === null ? undefined : grants.get(key);
      if (known && known.revoked === 0) {
        const message = `${known.name || 'An agent'} has this key already. Edit its grant instead.`;
        throw new CallFailure('conflict', message, { fields: { pubkey: message } });
      }
      const made = await grantElsewhere({ link, around: formAround(key) }, grant, key);
      // The list may be read late; the secret in the answer may not be lost for that.
      await grants.refresh().catch(parts.failed);
      parts.added();
      return made;
    },
    async editGrant({ pubkey, grant, base }) {
      const current = grants.get(pubkey);
      if (current?.event_id !== base) {
        throw new CallFailure('conflict', 'The grant has changed since this form was opened. Open it anew.');
      }
      try {
        await replaceGrant({ link, around: formAround(pubkey) }, current, grant);
      } finally {
        await grants.refresh();
      }
      return registry.view(pubkey);
    },
    async remove({ pubkey }) {
      const agent = registry.locals.get(pubkey);
      await agent?.stop('You removed it');
      if (grants.get(pubkey)?.revoked === 0) await link.call('revokeagent', pubkey);
      registry.removed.add(pubkey);
      registry.locals.delete(pubkey);
      agent?.remove();
      keys.remove(pubkey);
      await grants.refresh();
      push('agents.removed', { pubkey });
      return {};
    },
  };
}

type Running =
  | 'setLimits'
  | 'forget'
  | 'bypass'
  | 'start'
  | 'stop'
  | 'pause'
  | 'resume'
  | 'revoke'
  | 'cancel'
  | 'pauseAll'
  | 'resumeAll';

function running({ link, grants }: AgentsParts, registry: AgentRegistry): Pick<Handlers<'agents'>, Running> {
  async function manage(method: string, pubkey: string): Promise<AgentView> {
    await link.call(method, pubkey);
    await grants.refresh();
    return registry.view(pubkey);
  }
  async function manageAll(method: string): Promise<{ changed: number }> {
    const { changed } = await link.call<{ changed: number }>(method);
    await grants.refresh();
    return { changed };
  }
  return {
    setLimits({ pubkey, limits }) {
      registry.local(pubkey).setLimits(limits);
      return registry.view(pubkey);
    },
    forget({ pubkey, rule }) {
      registry.local(pubkey).permissions.forget(rule);
      return registry.view(pubkey);
    },
    bypass({ pubkey, minutes }) {
      registry.local(pubkey).permissions.bypass(link.owner, minutes);
      return registry.view(pubkey);
    },
    async start({ pubkey }) {
      const agent = registry.local(pubkey);
      const revoked = grants.get(pubkey)?.revoked ?? 0;
      if (revoked !== 0) {
        throw new CallFailure('conflict', 'Its grant was revoked. Add the agent anew to let it work again.');
      }
      await agent.start();
      return registry.view(pubkey);
    },
    async stop({ pubkey }) {
      await registry.local(pubkey).stop('You stopped it');
      return registry.view(pubkey);
    },
    pause: ({ pubkey }) => manage('pauseagent', pubkey),
    resume: ({ pubkey }) => manage('resumeagent', pubkey),
    async revoke({ pubkey }) {
      await manage('revokeagent', pubkey);
      await registry.locals.get(pubkey)?.stop('Its grant was revoked');
      return registry.view(pubkey);
    },
    async cancel({ pubkey, run }) {
      await registry.local(pubkey).cancel(run);
      return {};
    },
    pauseAll: () => manageAll('pauseallagents'),
    resumeAll: () => manageAll('resumeallagents'),
  };
}
