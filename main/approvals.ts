// Approvals: everything that waits for the person, kept here and not in a view (case D8), and the one place an
// answer is given, whether it comes from the page, a banner or the tray.

import { toolWords } from '../relay/protocol/permission-rule.ts';
import type { StatusLine } from '../relay/protocol/runner-status.ts';
import type { AgentPermissions } from './agents/permissions.ts';
import { cardAnswer, replyTo } from './approvals/answer-drafts.ts';
import { Answering, decisionDraft } from './approvals/answering.ts';
import { askAgain } from './approvals/ask-again.ts';
import { Beforehand } from './approvals/beforehand.ts';
import { Inbox } from './approvals/inbox.ts';
import { CallFailure } from './bridge.ts';
import type { ApprovalView } from './contract/approvals.ts';
import type { Handlers } from './contract/features.ts';
import type { Live } from './live.ts';
import type { Push } from './push.ts';
import type { RelayLink } from './relay-link.ts';

export type ApprovalsParts = {
  link: RelayLink;
  live: Live;
  push: Push;
  /** Where the history is kept. */
  file: string;
  nameOf(pubkey: string): string;
  /** What an agent of this machine may do without asking; null for any other. */
  permissionsOf(pubkey: string): AgentPermissions | null;
  failed(error: unknown): void;
};

export type ApprovalListener = (view: ApprovalView, before: ApprovalView | undefined) => void;

export type Approvals = {
  handlers: Handlers<'approvals'>;
  /** Open ones, newest first. */
  open(): ApprovalView[];
  /** Told of every change with the view before it; undefined for a new one. */
  onChange(listener: ApprovalListener): () => void;
  /** A runner's word on one of its prompts: delivery and withdrawal are confirmed by it (case D15). */
  said(line: StatusLine): void;
  /**
   * What the agent asked waits for nothing any more: its grant ended. With `promptsOnly` its process did: what it
   * asked in the middle of a run is over, a question it left behind is not.
   */
  withdrawAll(asker: string, reason: string, promptsOnly?: boolean): void;
  /** Some grant changed: what asked for more under it may be out of date. */
  grantsChanged(): void;
  close(): Promise<void>;
};

const PAGE = 100;

const OUTCOMES = {
  allowed: 'The agent was told yes and went on',
  denied: 'The agent was told that a person said no',
  expired: 'The agent was told that nobody answered in time',
  withdrawn: 'The agent no longer waits for an answer',
  refused: 'The agent was refused by its rules',
} as const;

/** Opens the feature; what the relay holds is read as soon as it answers. */
export function createApprovals(parts: ApprovalsParts): Approvals {
  const { push } = parts;
  const listeners = new Set<ApprovalListener>();
  const beforehand = new Beforehand({
    ...parts,
    words: (asker, rule) => parts.permissionsOf(asker)?.words(rule) ?? null,
    answered(request, { id, words }) {
      inbox.given(id, { from: 'rule', rule: words });
      // Nobody waited for it, so the runner's word of it may have come before the question itself.
      const withOutcome = (view: ApprovalView | undefined) => {
        if (view && beforehand.isConfirmed(request)) inbox.store.put({ outcome: OUTCOMES.allowed, ...view });
      };
      inbox.read(request).then(withOutcome).catch(parts.failed);
    },
  });
  const inbox: Inbox = new Inbox({
    ...parts,
    allowedBeforehand: event => beforehand.take(event),
    changed(view, before) {
      push('approvals.changed', view);
      if ((before?.state === 'open') !== (view.state === 'open')) {
        push('approvals.counts', { open: inbox.store.counts().open });
      }
      for (const listener of listeners) listener(view, before);
    },
  });
  return {
    handlers: handlersOf(parts, inbox, new Answering({ ...parts, inbox })),
    open: () => inbox.store.open(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    said(line) {
      if (line.type === 'permission' && line.rule !== undefined) {
        beforehand.confirmed(line.request);
        const seen = inbox.store.get(line.request);
        if (seen?.state === 'open') beforehand.take(seen.event);
      }
      takeWord(inbox, line);
    },
    withdrawAll(asker, reason, promptsOnly = false) {
      const theirs = inbox.store.open().filter(view => view.asker === asker);
      for (const view of theirs) if (!promptsOnly || view.action) inbox.withdraw(view.id, reason);
    },
    grantsChanged() {
      const asked = inbox.store.open().filter(view => view.type === 'grant');
      for (const { id } of asked) inbox.read(id).catch(parts.failed);
    },
    close: () => inbox.close(),
  };
}

function handlersOf(parts: ApprovalsParts, inbox: Inbox, answering: Answering): Handlers<'approvals'> {
  const { link } = parts;
  const again = new Map<string, Promise<ApprovalView>>();
  return {
    list: ({ state, cursor }) => ({ ...inbox.store.page(state, cursor, PAGE), counts: inbox.store.counts() }),
    async get({ id }) {
      const found = await inbox.readWhole(id);
      if (!found) throw new CallFailure('not-found', 'There is no such request. It may have been removed.');
      return found;
    },
    async decide({ id, decision, from, remember }) {
      const what = remember === undefined ? decision : `${decision} ${remember}`;
      let takeBack = () => {};
      const draft = (view: ApprovalView) => {
        const event = decisionDraft(view, decision);
        // Before the answer: the agent may ask the next thing the moment it has it.
        if (decision === 'approve' && remember !== undefined) takeBack = remembered(parts, view, remember);
        return event;
      };
      try {
        return await answering.answer(id, { what, decides: true, from, draft });
      } catch (error) {
        takeBack();
        throw error;
      }
    },
    askAgain({ id }) {
      const underWay = again.get(id) ?? repeat(link, inbox, id).finally(() => again.delete(id));
      again.set(id, underWay);
      return underWay;
    },
    reply({ id, content }) {
      const press = { what: `reply ${content}`, from: 'dashboard' as const };
      return answering.answer(id, { ...press, draft: view => replyTo(view, content) });
    },
    answer({ id, choices, text }) {
      const press = { what: `answer ${JSON.stringify([choices, text])}`, from: 'dashboard' as const };
      return answering.answer(id, {
        ...press,
        draft(view) {
          const draft = cardAnswer(view, choices, text);
          if (!draft) throw new CallFailure('invalid', 'This answer does not fit what was asked.');
          return draft;
        },
      });
    },
  };
}

/** Remembers this yes; answers what takes it back. Throws CallFailure `invalid` where it has no plain meaning. */
function remembered(
  { permissionsOf, link }: ApprovalsParts,
  view: ApprovalView,
  scope: 'job' | 'always',
): () => void {
  const permissions = permissionsOf(view.asker);
  const tool = view.action?.tool;
  if (!permissions || tool === undefined || toolWords(tool) === null) {
    throw new CallFailure(
      'invalid',
      'This can only be approved once: what else it would allow cannot be said.',
    );
  }
  const { job } = view;
  if (scope === 'job' && job === undefined) {
    throw new CallFailure('invalid', 'This request does not say which job it is for.');
  }
  const rule = { by: link.owner, tool, ...(scope === 'job' && job !== undefined ? { job } : {}) };
  const id = permissions.remember(rule);
  return () => {
    if (id !== null) permissions.forget(id);
  };
}

/** A request is asked again once; the one that comes of it may be asked again in its turn. */
async function repeat(link: RelayLink, inbox: Inbox, id: string): Promise<ApprovalView> {
  const view = await inbox.read(id);
  if (!view) throw new CallFailure('not-found', 'There is no such request. It may have been removed.');
  if (view.again) throw new CallFailure('conflict', 'It was asked again already.');
  return inbox.store.put({ ...view, again: await askAgain(link, view) });
}

function takeWord(inbox: Inbox, line: StatusLine): void {
  if (line.type !== 'permission' || line.ending === undefined) return;
  const outcome = OUTCOMES[line.ending];
  const view =
    line.ending === 'withdrawn' ? inbox.withdraw(line.request, outcome) : inbox.store.get(line.request);
  if (view) inbox.store.put({ ...view, outcome });
}
