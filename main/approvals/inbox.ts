// Everything that asks the person, as the relay holds it and as it was settled: read at the start and after every
// reconnect, one by one when something about it happens.

import { z } from 'zod';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { tagValue, tagValues } from '../../relay/protocol/tags.ts';
import { CallFailure } from '../bridge.ts';
import { type Coalesced, coalesce } from '../coalesce.ts';
import type { ApprovalView } from '../contract/approvals.ts';
import { nostrEvent } from '../contract/contract.ts';
import type { Live } from '../live.ts';
import type { RelayLink } from '../relay-link.ts';
import { ApprovalStore } from './approval-store.ts';
import { relayItem, viewOf } from './approval-view.ts';

export type InboxParts = {
  link: RelayLink;
  live: Live;
  /** Where the history is kept. */
  file: string;
  nameOf(pubkey: string): string;
  /** Takes a question that was allowed beforehand; its answer is read once it is there. */
  allowedBeforehand(event: NostrEvent): boolean;
  /** Told of every change with the view before it; undefined for a new one. */
  changed(view: ApprovalView, before: ApprovalView | undefined): void;
  failed(error: unknown): void;
};

/** Where an answer was given; `rule` is what had allowed it beforehand, in words. */
export type Origin = { from: From; rule?: string };
export type From = 'dashboard' | 'banner' | 'tray' | 'rule';

const listAnswer = z.object({ items: z.array(relayItem), next_cursor: z.string() });
const oneAnswer = z.object({ item: relayItem, answers: z.array(nostrEvent) });
const PAGE = 100;
const MOST_PAGES = 10;
const REQUEST_KINDS: readonly number[] = [KIND.comment, KIND.chat, KIND.thread];
const ANSWER_KINDS: readonly number[] = [KIND.reaction, KIND.comment, KIND.agentGrant];
const DELETION_KINDS: readonly number[] = [KIND.deletion, KIND.deleteEvent];
const PROPOSAL_KINDS: readonly number[] = [KIND.wikiPage, KIND.wikiMerge];
const TOO_LATE = 'Nobody answered in time';

export class Inbox {
  readonly store: ApprovalStore;
  readonly #parts: InboxParts;
  readonly #reload: Coalesced;
  readonly #stops: (() => void)[];
  /** Where answers were given through this desktop, by the id of the answer. */
  readonly #origins = new Map<string, Origin>();

  constructor(parts: InboxParts) {
    const { live, file, changed, failed } = parts;
    this.#parts = parts;
    this.store = new ApprovalStore({ file, changed, failed, expired: id => this.#look(id) });
    this.#reload = coalesce(20, () => this.#readAll(), failed);
    this.#stops = [
      live.onLive(() => this.#reload.ask()),
      live.on(REQUEST_KINDS, event => this.#asked(event)),
      live.on(ANSWER_KINDS, event => this.#answered(event)),
      live.on(DELETION_KINDS, event => this.#deleted(event)),
      live.on(PROPOSAL_KINDS, () => this.#reload.ask()),
    ];
  }

  /** Reads one request from the relay; one that is gone there is settled by what is known of why. */
  async read(id: string): Promise<ApprovalView | undefined> {
    return (await this.readWhole(id))?.item;
  }

  /** The same with its answers. */
  async readWhole(id: string): Promise<{ item: ApprovalView; answers: NostrEvent[] } | undefined> {
    try {
      const { item, answers } = oneAnswer.parse(await this.#parts.link.call('browseapproval', { id }));
      return { item: this.#take(item), answers };
    } catch (error) {
      if (!(error instanceof CallFailure) || error.failure.kind !== 'not-found') throw error;
      const item = await this.#gone(id, undefined);
      return item && { item, answers: [] };
    }
  }

  /** Remembers where an answer was given; the view says so from its next reading on. */
  given(answer: string, origin: Origin): void {
    this.#origins.set(answer, origin);
  }

  /** Ends an open request without an answer; others stay as they are. */
  withdraw(id: string, reason: string): ApprovalView | undefined {
    const view = this.store.get(id);
    return view?.state === 'open' ? this.store.put({ ...view, state: 'withdrawn', reason }) : view;
  }

  async close(): Promise<void> {
    this.#reload.close();
    for (const stop of this.#stops) stop();
    await this.store.close();
  }

  #take(input: unknown): ApprovalView {
    const item = relayItem.parse(input);
    const view = viewOf(item, this.store.get(item.id));
    const origin = view.answer ? this.#origins.get(view.answer.id) : undefined;
    if (view.answer && origin) return this.store.put({ ...view, answer: { ...view.answer, ...origin } });
    if (view.state === 'open') this.#parts.allowedBeforehand(view.event);
    return this.store.put(view);
  }

  /** A request the relay no longer has: over, or taken back with a deletion that may say why (case D12). */
  async #gone(id: string, deletion: NostrEvent | undefined): Promise<ApprovalView | undefined> {
    const view = this.store.get(id);
    if (view?.state !== 'open') return view;
    if (view.expires !== undefined && view.expires * 1000 <= Date.now()) {
      return this.store.put({ ...view, state: 'expired', reason: TOO_LATE });
    }
    const filter = { kinds: [KIND.deletion], '#e': [id], limit: 1 };
    const found = deletion ?? (await this.#parts.link.query([filter]))[0];
    const words = found?.content.trim();
    const taken = `${this.#parts.nameOf(view.asker)} took it back: the work it was for has ended`;
    return this.withdraw(id, words ? words : taken);
  }

  async #readAll(): Promise<void> {
    const seen = new Set<string>();
    let cursor = '';
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const params = cursor === '' ? { limit: PAGE } : { limit: PAGE, cursor };
      const answer = listAnswer.parse(await this.#parts.link.call('browseapprovals', params));
      for (const item of answer.items) {
        seen.add(item.id);
        this.#take(item);
      }
      cursor = answer.next_cursor;
      if (cursor === '') break;
    }
    for (const view of this.store.open()) if (!seen.has(view.id)) await this.read(view.id);
  }

  #look(id: string): void {
    this.read(id).catch(this.#parts.failed);
  }

  #asked(event: NostrEvent): void {
    const { owner } = this.#parts.link;
    const asks = event.tags.some(tag => tag[0] === 'request') && tagValues(event, 'p').includes(owner);
    if (!asks || event.pubkey === owner) return;
    if (!this.#parts.allowedBeforehand(event)) this.#look(event.id);
  }

  #answered(event: NostrEvent): void {
    const named = [...tagValues(event, 'e'), tagValue(event, 'grant-request') ?? ''];
    for (const id of new Set(named)) if (this.store.get(id)) this.#look(id);
  }

  #deleted(event: NostrEvent): void {
    const deletion = event.kind === KIND.deletion ? event : undefined;
    for (const id of tagValues(event, 'e')) {
      if (this.store.get(id)) this.#gone(id, deletion).catch(this.#parts.failed);
    }
  }
}
