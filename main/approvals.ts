// Approvals: one store of everything that waits for the person, and the one place an answer is given. The first
// press is final; whoever comes later is told by whom and when (cases D15 D21 E8 F-55).

import { z } from 'zod';
import type { NostrEvent } from '../relay/protocol/event.ts';
import { KIND } from '../relay/protocol/kinds.ts';
import type { StatusLine } from '../relay/protocol/runner-status.ts';
import { tagValue, tagValues } from '../relay/protocol/tags.ts';
import { cardAnswer, grantFor, reactionTo, replyTo } from './approvals/answer-drafts.ts';
import { ApprovalStore } from './approvals/approval-store.ts';
import { relayItem, viewOf } from './approvals/approval-view.ts';
import { CallFailure } from './bridge.ts';
import { coalesce } from './coalesce.ts';
import type { ApprovalView } from './contract/approvals.ts';
import { nostrEvent } from './contract/contract.ts';
import type { Handlers } from './contract/features.ts';
import type { Live } from './live.ts';
import type { Draft, RelayLink } from './relay-link.ts';
import type { Push } from './rooms.ts';

export type ApprovalsParts = {
  link: RelayLink;
  live: Live;
  push: Push;
  /** Where the history is kept. */
  file: string;
  nameOf(pubkey: string): string;
  failed(error: unknown): void;
};

export type Approvals = {
  handlers: Handlers<'approvals'>;
  /** Open ones, newest first. */
  open(): ApprovalView[];
  /** Told of every change with the view before it; undefined for a new one. */
  onChange(listener: (view: ApprovalView, before: ApprovalView | undefined) => void): () => void;
  /** A runner's word on one of its prompts: delivery and withdrawal are confirmed by it. */
  said(line: StatusLine): void;
  /** The agent's grant ended: what it asked waits for nothing any more. */
  withdrawAll(asker: string, reason: string): void;
  close(): Promise<void>;
};

type From = 'dashboard' | 'banner' | 'tray';

const listAnswer = z.object({ items: z.array(relayItem), next_cursor: z.string() });
const oneAnswer = z.object({ item: relayItem, answers: z.array(nostrEvent) });
const PAGE = 100;
const MOST_PAGES = 10;
const REQUEST_KINDS: readonly number[] = [KIND.comment, KIND.chat, KIND.thread];
const ANSWER_KINDS: readonly number[] = [KIND.reaction, KIND.comment, KIND.agentGrant];
const PROPOSAL_KINDS: readonly number[] = [KIND.wikiPage, KIND.wikiMerge];

const OUTCOMES = {
  allowed: 'The agent was told yes and went on',
  denied: 'The agent was told that a person said no',
  expired: 'The agent was told that nobody answered in time',
  withdrawn: 'The agent no longer waits for an answer',
  refused: 'The agent was refused by its rules',
} as const;

/** Opens the feature; what the relay holds is read as soon as it answers. */
export function createApprovals(parts: ApprovalsParts): Approvals {
  const { link, live, push, nameOf } = parts;
  const listeners = new Set<(view: ApprovalView, before: ApprovalView | undefined) => void>();
  const origins = new Map<string, From>();
  /** Answers on their way, by request: a second press joins or loses, it never becomes a second event. */
  const underWay = new Map<string, { what: string; done: Promise<ApprovalView> }>();

  const store = new ApprovalStore({
    file: parts.file,
    failed: parts.failed,
    expired: id => void refreshOne(id).catch(parts.failed),
    changed(view, before) {
      push('approvals.changed', view);
      if ((before?.state === 'open') !== (view.state === 'open')) {
        push('approvals.counts', { open: store.counts().open });
      }
      for (const listener of listeners) listener(view, before);
    },
  });

  function take(input: unknown): ApprovalView {
    const item = relayItem.parse(input);
    const view = viewOf(item, store.get(item.id));
    const from = view.answer ? origins.get(view.answer.id) : undefined;
    return store.put(view.answer && from ? { ...view, answer: { ...view.answer, from } } : view);
  }
  /** Reads one request from the relay; one that is gone there is settled by what is known of why. */
  async function refreshOne(id: string): Promise<ApprovalView | undefined> {
    try {
      return take(oneAnswer.parse(await link.call('browseapproval', { id })).item);
    } catch (error) {
      if (!(error instanceof CallFailure) || error.failure.kind !== 'not-found') throw error;
      return gone(id, undefined);
    }
  }
  async function gone(id: string, deletion: NostrEvent | undefined): Promise<ApprovalView | undefined> {
    const view = store.get(id);
    if (view?.state !== 'open') return view;
    if (view.expires !== undefined && view.expires * 1000 <= Date.now()) {
      return store.put({ ...view, state: 'expired', reason: 'Nobody answered in time' });
    }
    const found = deletion ?? (await link.query([{ kinds: [KIND.deletion], '#e': [id], limit: 1 }]))[0];
    const words = found?.content.trim();
    const reason = words ? words : `${nameOf(view.asker)} took it back: the work it was for has ended`;
    return withdraw(id, reason);
  }
  function withdraw(id: string, reason: string): ApprovalView | undefined {
    const view = store.get(id);
    return view?.state === 'open' ? store.put({ ...view, state: 'withdrawn', reason }) : view;
  }
  async function refreshAll(): Promise<void> {
    const seen = new Set<string>();
    let cursor = '';
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const params = cursor === '' ? { limit: PAGE } : { limit: PAGE, cursor };
      const answer = listAnswer.parse(await link.call('browseapprovals', params));
      for (const item of answer.items) {
        seen.add(item.id);
        take(item);
      }
      cursor = answer.next_cursor;
      if (cursor === '') break;
    }
    for (const view of store.open()) if (!seen.has(view.id)) await refreshOne(view.id);
  }
  const reload = coalesce(20, refreshAll, parts.failed);
  const look = (id: string) => void refreshOne(id).catch(parts.failed);

  const stops = [
    live.onLive(() => reload.ask()),
    live.on(REQUEST_KINDS, event => {
      const asks = event.tags.some(tag => tag[0] === 'request') && tagValues(event, 'p').includes(link.owner);
      if (asks && event.pubkey !== link.owner) look(event.id);
    }),
    live.on(ANSWER_KINDS, event => {
      const named = [...tagValues(event, 'e'), tagValue(event, 'grant-request') ?? ''];
      for (const id of new Set(named)) if (store.get(id)) look(id);
    }),
    live.on([KIND.deletion, KIND.deleteEvent], event => {
      for (const id of tagValues(event, 'e')) {
        const deletion = event.kind === KIND.deletion ? event : undefined;
        if (store.get(id)) gone(id, deletion).catch(parts.failed);
      }
    }),
    live.on(PROPOSAL_KINDS, () => reload.ask()),
  ];

  /** The request as it is now, when it can still be answered. Throws CallFailure with who was first otherwise. */
  async function answerable(id: string): Promise<ApprovalView> {
    const view = await refreshOne(id);
    if (!view) throw new CallFailure('not-found', 'There is no such request. It may have been removed.');
    if (view.state === 'open') return view;
    throw new CallFailure('conflict', settledWords(view, link.owner, nameOf));
  }
  function answer(
    id: string,
    what: string,
    from: From,
    draft: (view: ApprovalView) => Draft,
  ): Promise<ApprovalView> {
    const earlier = underWay.get(id);
    if (earlier?.what === what) return earlier.done;
    const done = (async () => {
      // A different press while the first is on its way: the first is final, and by then it is there to be named.
      await earlier?.done.catch(() => {});
      const view = await answerable(id);
      const event = await link.publish(draft(view));
      origins.set(event.id, from);
      const now = await refreshOne(id);
      if (!now) throw new CallFailure('not-found', 'The request went away while it was being answered.');
      return now;
    })();
    const entry = { what, done };
    underWay.set(id, entry);
    const clear = () => {
      if (underWay.get(id) === entry) underWay.delete(id);
    };
    done.then(clear, clear);
    return done;
  }

  const handlers: Handlers<'approvals'> = {
    list({ state, cursor }) {
      return { ...store.page(state, cursor, PAGE), counts: store.counts() };
    },
    async get({ id }) {
      try {
        const detail = oneAnswer.parse(await link.call('browseapproval', { id }));
        return { item: take(detail.item), answers: detail.answers };
      } catch (error) {
        const known = error instanceof CallFailure ? await gone(id, undefined) : undefined;
        if (!known) throw error;
        return { item: known, answers: [] };
      }
    },
    decide: ({ id, decision, from }) => answer(id, decision, from, view => decisionDraft(view, decision)),
    reply: ({ id, content }) => answer(id, `reply ${content}`, 'dashboard', view => replyTo(view, content)),
    answer({ id, choices, text }) {
      return answer(id, `answer ${choices.join(' ')} ${text}`, 'dashboard', view => {
        const draft = cardAnswer(view, choices, text);
        if (!draft) throw new CallFailure('invalid', 'This answer does not fit what was asked.');
        return draft;
      });
    },
  };

  return {
    handlers,
    open: () => store.open(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    said(line) {
      if (line.type !== 'permission' || line.ending === undefined) return;
      const view = store.get(line.request);
      if (!view) return;
      const outcome = OUTCOMES[line.ending];
      if (line.ending === 'withdrawn' && view.state === 'open') withdraw(view.id, outcome);
      const now = store.get(view.id) ?? view;
      store.put({ ...now, outcome });
    },
    withdrawAll(asker, reason) {
      for (const view of store.open()) if (view.asker === asker) withdraw(view.id, reason);
    },
    async close() {
      reload.close();
      for (const stop of stops) stop();
      await store.close();
    },
  };
}

function decisionDraft(view: ApprovalView, decision: 'approve' | 'deny'): Draft {
  if (view.selection !== undefined) {
    throw new CallFailure('invalid', 'This card is answered by choosing one of its options.');
  }
  if (view.type === 'question') throw new CallFailure('invalid', 'A question is answered in words.');
  if (decision === 'deny') return reactionTo(view, 'deny');
  if (!view.complete) {
    throw new CallFailure('invalid', 'The whole action is not here to be read, so it cannot be approved.');
  }
  if (view.type !== 'grant') return reactionTo(view, 'approve');
  const grant = grantFor(view);
  if (!grant) throw new CallFailure('conflict', view.grantError ?? 'There is no reviewed grant to sign.');
  return grant;
}

/** Why it can no longer be answered: who was first and when, or what became of it. */
function settledWords(view: ApprovalView, owner: string, nameOf: (pubkey: string) => string): string {
  if (view.answer) {
    const { author, decision, created_at, from } = view.answer;
    const who = author === owner ? 'you' : nameOf(author);
    const where = from === undefined ? '' : ` from the ${from}`;
    const verb = decision === 'replied' ? 'Answered' : decision === 'approved' ? 'Approved' : 'Denied';
    return `${verb} by ${who} at ${clock(created_at)}${where}.`;
  }
  const reason = view.reason ?? 'its time is over';
  return view.state === 'expired' ? `It expired: ${reason}.` : `It was withdrawn: ${reason}.`;
}

function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB');
}
