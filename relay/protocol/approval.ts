// Asking a person (seed "Asking a person", spec/interactions-and-approvals.md sections 1, 3 to 5, spec/decisions.md 1
// and 2): which events are requests, whom they ask, and what the answers make of them.

import type { NostrEvent } from './event.ts';
import { isGrantRequest, parseGrantRequest } from './grant-request.ts';
import { answersRequest, type Interaction, isNative, parseAnswer, parseInteraction } from './interaction.ts';
import { KIND } from './kinds.ts';
import { expirationOf, isHex64, tagsNamed, tagValue, tagValues } from './tags.ts';

export type RequestType = 'approve' | 'decide' | 'question' | 'grant';
export type ApprovalDecision = 'approved' | 'denied' | 'replied';
export type ApprovalState = 'open' | 'answered' | 'expired';

export type ApprovalRequest = {
  event: NostrEvent;
  type: RequestType;
  /** The keys asked, in tag order; at least one. */
  asked: string[];
  /** Unix seconds. */
  expires?: number;
  /** The native card, when it is one. */
  interaction?: Interaction;
};

export type ApprovalAnswer = {
  id: string;
  kind: number;
  author: string;
  decision: ApprovalDecision;
  content: string;
  created_at: number;
};

export const REQUEST_KINDS: readonly number[] = [KIND.comment, KIND.chat, KIND.thread];
/** Kinds that can answer an ordinary or native request; a grant request is also answered by a grant. */
export const ANSWER_KINDS: readonly number[] = [KIND.reaction, KIND.comment];
const MAX_ASKED = 16;

/** The keys a request asks: every `p` other than the author, each once, at most 16. */
export function askedKeys(event: Pick<NostrEvent, 'tags' | 'pubkey'>): string[] {
  const keys = tagValues(event, 'p').filter(key => isHex64(key) && key !== event.pubkey);
  return [...new Set(keys)].slice(0, MAX_ASKED);
}

/** The event as a request; null when it is an ordinary message or comment. */
export function approvalRequest(event: NostrEvent): ApprovalRequest | null {
  if (!REQUEST_KINDS.includes(event.kind)) return null;
  const type = requestType(event);
  const asked = askedKeys(event);
  if (type === null || asked.length === 0) return null;
  const expires = expirationOf(event);
  const request = { event, type, asked, ...(validTime(expires) ? { expires } : {}) };
  if (!isNative(event)) return request;
  const card = parseInteraction(event);
  return card.ok ? { ...request, interaction: card.value } : null;
}

function requestType(event: NostrEvent): RequestType | null {
  if (isGrantRequest(event)) return parseGrantRequest(event).ok ? 'grant' : null;
  const word = tagValue(event, 'request')?.trim().toLowerCase();
  return word === 'approve' || word === 'decide' || word === 'question' ? word : null;
}

/**
 * Where a request stands. `answers` may hold anything: only what counts for this request is looked at. `now` in Unix
 * seconds.
 */
export function settleApproval(
  request: ApprovalRequest,
  answers: readonly NostrEvent[],
  now: number,
): { state: ApprovalState; answer?: ApprovalAnswer } {
  const answer = answerOf(request, [...answers].sort(newestFirst));
  if (answer !== null) return { state: 'answered', answer };
  return { state: request.expires !== undefined && request.expires <= now ? 'expired' : 'open' };
}

function answerOf(request: ApprovalRequest, newest: readonly NostrEvent[]): ApprovalAnswer | null {
  if (request.type === 'grant') return grantAnswer(request, newest);
  if (request.interaction !== undefined) return nativeAnswer(request, request.interaction, newest);
  const candidates = newest.filter(event => request.asked.includes(event.pubkey) && names(event, request));
  const decided = candidates.find(event => reactionDecision(event) !== null);
  if (decided !== undefined) return asAnswer(decided, reactionDecision(decided) ?? 'replied');
  const reply = candidates.find(event => event.kind === KIND.comment && approvalRequest(event) === null);
  return reply === undefined ? null : asAnswer(reply, 'replied');
}

/** What a reaction decides: only `+` and `-` do (spec/decisions.md 2). */
export function reactionDecision(event: Pick<NostrEvent, 'kind' | 'content'>): 'approved' | 'denied' | null {
  if (event.kind !== KIND.reaction) return null;
  const content = event.content.trim();
  return content === '+' ? 'approved' : content === '-' ? 'denied' : null;
}

function nativeAnswer(
  request: ApprovalRequest,
  card: Interaction,
  newest: readonly NostrEvent[],
): ApprovalAnswer | null {
  const valid = newest.find(
    event =>
      request.asked.includes(event.pubkey) &&
      answersRequest(request.event, event) &&
      approvalRequest(event) === null &&
      parseAnswer(card, event.content) !== null,
  );
  return valid === undefined ? null : asAnswer(valid, 'replied');
}

/** Approved only by the operator's replacement grant, denied only by the operator's `-`; the grant came first if both. */
function grantAnswer(request: ApprovalRequest, newest: readonly NostrEvent[]): ApprovalAnswer | null {
  const byAsked = newest.filter(event => request.asked.includes(event.pubkey));
  const grant = byAsked.find(event => isGrantFor(event, request.event.id));
  if (grant !== undefined) return asAnswer(grant, 'approved');
  const denial = byAsked.find(event => reactionDecision(event) === 'denied' && names(event, request));
  return denial === undefined ? null : asAnswer(denial, 'denied');
}

function isGrantFor(event: NostrEvent, request: string): boolean {
  return (
    event.kind === KIND.agentGrant &&
    tagValue(event, 'grant-request') === request &&
    tagsNamed(event, 'e').some(tag => tag[1] === request && tag[3] === 'grant-request')
  );
}

function names(event: NostrEvent, request: ApprovalRequest): boolean {
  return tagValues(event, 'e').includes(request.event.id);
}

function asAnswer(event: NostrEvent, decision: ApprovalDecision): ApprovalAnswer {
  const { id, kind, pubkey, content, created_at } = event;
  return { id, kind, author: pubkey, decision, content, created_at };
}

function validTime(time: number | undefined): time is number {
  return time !== undefined && !Number.isNaN(time);
}

function newestFirst(a: NostrEvent, b: NostrEvent): number {
  return b.created_at - a.created_at || (a.id < b.id ? -1 : 1);
}
