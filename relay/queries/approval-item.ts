// One request in the shape of `browseapprovals` (spec/browse-queries.md section 4).

import type { RelayContext } from '../context.ts';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type ApprovalState,
  type RequestType,
  settleApproval,
} from '../protocol/approval.ts';
import type { NostrEvent } from '../protocol/event.ts';
import type { Interaction } from '../protocol/interaction.ts';
import { isHex64, tagValue } from '../protocol/tags.ts';
import { type GrantReview, reviewGrantRequest } from './grant-review.ts';

export type ApprovalItem = {
  id: string;
  kind: number;
  type: RequestType;
  asker: string;
  asked: string[];
  subject?: string;
  content: string;
  created_at: number;
  expires?: number;
  state: ApprovalState;
  room?: string;
  about?: { coordinate?: string; event?: string; kind?: string; url: string };
  answer?: ApprovalAnswer;
  event: NostrEvent;
  grant?: GrantReview;
  grant_error?: string;
  options?: { id: string; label: string }[];
  selection?: Interaction['selection'];
  freeform?: true;
  interaction?: Interaction['type'];
};

/** The request as an item; `answers` are visible events that name it, of any author. */
export function approvalItem(
  context: RelayContext,
  request: ApprovalRequest,
  answers: readonly NostrEvent[],
): ApprovalItem {
  const { event, type, asked, expires } = request;
  const { state, answer } = settleApproval(request, answers, context.now());
  const subject = tagValue(event, 'subject');
  const room = tagValue(event, 'h');
  const about = aboutOf(context, event);
  return {
    id: event.id,
    kind: event.kind,
    type,
    asker: event.pubkey,
    asked,
    ...(subject === undefined || subject === '' ? {} : { subject }),
    content: event.content,
    created_at: event.created_at,
    ...(expires === undefined ? {} : { expires }),
    state,
    ...(room === undefined || room === '' ? {} : { room }),
    ...(about === undefined ? {} : { about }),
    ...(answer === undefined ? {} : { answer }),
    event,
    ...cardOf(request.interaction),
    ...(type === 'grant' && state === 'open' ? reviewOf(context, event) : {}),
  };
}

function cardOf(card: Interaction | undefined): Partial<ApprovalItem> {
  if (card === undefined) return {};
  return {
    interaction: card.type,
    selection: card.selection,
    ...(card.options.length === 0 ? {} : { options: card.options }),
    ...(card.freeform ? { freeform: true } : {}),
  };
}

/** The grant before and after; a request that can no longer be granted reads expired, with the reason. */
function reviewOf(context: RelayContext, event: NostrEvent): Partial<ApprovalItem> {
  const review = reviewGrantRequest(context, event);
  if (!('refusal' in review)) return { grant: review.review };
  const stale = review.refusal.startsWith('conflict:');
  return { grant_error: review.refusal, ...(stale ? { state: 'expired' as const } : {}) };
}

/** What the request is about: an address, and an event with its kind. */
function aboutOf(context: RelayContext, event: NostrEvent): ApprovalItem['about'] {
  const coordinate = tagValue(event, 'a') ?? tagValue(event, 'A');
  const [about, kind] = isHex64(tagValue(event, 'E'))
    ? [tagValue(event, 'E'), tagValue(event, 'K')]
    : [tagValue(event, 'e'), tagValue(event, 'k')];
  const named = isHex64(about) ? about : undefined;
  if (named === undefined && coordinate === undefined) return undefined;
  const path = named === undefined ? `/a/${encodeURIComponent(coordinate ?? '')}` : `/e/${named}`;
  return {
    ...(coordinate === undefined ? {} : { coordinate }),
    ...(named === undefined ? {} : { event: named }),
    ...(named === undefined || kind === undefined ? {} : { kind }),
    url: `${context.urls.http.replace(/\/$/, '')}${path}`,
  };
}
