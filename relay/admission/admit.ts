// Judging and storing one verified event inside a transaction: the second list of rules, the event itself, and what
// it changes. What is to be said about it is said after the commit.

import type { Outcome } from '../context.ts';
import type { Newsroom } from '../news.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { KIND, kindClass } from '../protocol/kinds.ts';
import type { SaveResult } from '../store/events.ts';
import type { VerifiedEvent } from '../verify/verified-event.ts';
import { EFFECTS } from './effects/effects.ts';
import { joinByWriting } from './effects/room-members.ts';
import { rulesInTransaction } from './order.ts';
import type { Candidate, Desk, Rule } from './rule.ts';

/** An event live readers are to hear of, with its JSON. */
export type News = { event: NostrEvent; json: string };

export type Listeners = {
  done: (outcome: Outcome) => void;
  news: Newsroom;
};

export const ALREADY_HELD: Outcome = { accepted: true, message: 'duplicate: already have this event' };
const NOT_STORED: Record<Exclude<SaveResult['status'], 'stored'>, Outcome> = {
  duplicate: ALREADY_HELD,
  superseded: { accepted: true, message: 'duplicate: have a newer version' },
  deleted: { accepted: false, message: 'blocked: this event was deleted' },
};
/** Ephemeral by number, but addressed to the relay: an invite code is nobody else's. */
const TO_THE_RELAY = new Set<number>([KIND.joinClaim, KIND.leaveRelay]);

/** Call inside a transaction: after its commit the sender hears of it first, then the readers. */
export function admit(verified: VerifiedEvent, candidate: Candidate, desk: Desk, listeners: Listeners): void {
  const { event } = candidate;
  let outcome = judge(candidate, desk) ?? keep(verified, desk);
  desk.store.afterCommit(() => listeners.done(outcome ?? { accepted: true, message: '' }));
  if (outcome !== null) return;
  const isNews = !TO_THE_RELAY.has(event.kind);
  if (isNews) desk.store.afterCommit(() => listeners.news.announce(verified));
  const message = EFFECTS[event.kind]?.apply?.(candidate, desk);
  if (message !== undefined) outcome = { accepted: true, message };
  if (kindClass(event.kind) !== 'ephemeral') joinByWriting(candidate, desk);
  if (isNews) listeners.news.taken(verified);
}

/** The answer of the rules or of an effect that has nothing to do; null lets the event in. */
function judge(candidate: Candidate, desk: Desk): Outcome | null {
  const refusal = firstRefusal(rulesInTransaction(candidate.event.kind), candidate, desk);
  if (refusal !== null) return { accepted: false, message: refusal };
  const message = EFFECTS[candidate.event.kind]?.nothingToDo?.(candidate, desk) ?? null;
  return message === null ? null : { accepted: true, message };
}

/** Stores the event unless it is ephemeral; an outcome when it was not kept. */
function keep(verified: VerifiedEvent, { store }: Desk): Outcome | null {
  if (kindClass(verified.event.kind) === 'ephemeral') return null;
  const { status } = store.events.save(verified);
  return status === 'stored' ? null : NOT_STORED[status];
}

/** The first refusal of a list of rules, or null. */
export function firstRefusal(rules: readonly Rule[], candidate: Candidate, desk: Desk): string | null {
  for (const rule of rules) {
    const refusal = rule(candidate, desk);
    if (refusal !== null) return refusal;
  }
  return null;
}
