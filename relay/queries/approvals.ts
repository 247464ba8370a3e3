// browseapprovals and browseapproval: the requests that ask the caller, and one request with its answers (seed "Asking a
// person", spec/browse-queries.md section 4).

import { z } from 'zod';
import type { EventCursor, Reader, RelayContext } from '../context.ts';
import { type Answer, answer, type Caller, type MethodTable, refuse } from '../management/method.ts';
import {
  ANSWER_KINDS,
  type ApprovalRequest,
  type ApprovalState,
  approvalRequest,
  REQUEST_KINDS,
} from '../protocol/approval.ts';
import type { Filter, NostrEvent } from '../protocol/event.ts';
import { KIND } from '../protocol/kinds.ts';
import { type ApprovalItem, approvalItem } from './approval-item.ts';
import {
  couldRead,
  cursorOf,
  first,
  idParam,
  isAfter,
  limitParam,
  parseCursor,
  query,
  readerOf,
  referring,
} from './query.ts';

/** Events looked at for one list. */
const MAX_SCANNED = 1000;
const ALL_ANSWER_KINDS = [...ANSWER_KINDS, KIND.agentGrant];

const listParams = z.object({
  state: z
    .enum(['open', 'answered', 'expired', 'all'], {
      error: 'approval state must be open, answered, expired or all',
    })
    .default('all'),
  limit: limitParam,
  cursor: z.string().optional(),
});
const oneParams = z.object({ id: z.string().optional(), event: z.string().optional() });

export const approvalQueries: MethodTable = {
  browseapprovals: query('signed', listParams, browseApprovals),
  browseapproval: query('signed', oneParams, browseApproval),
};

function browseApprovals(context: RelayContext, caller: Caller, params: z.infer<typeof listParams>): Answer {
  const after = parseCursor(params.cursor);
  if (after === null) return refuse('invalid: approval cursor');
  const reader = readerOf(caller);
  const items = settled(context, reader, requestsFor(context, reader, caller.pubkey));
  const chosen = items.filter(({ state }) => params.state === 'all' || state === params.state);
  const open = items.filter(({ state }) => state === 'open');
  return answer({
    ...pageOf(chosen, after, params.limit),
    counts: { open: open.length, answered: count(items, 'answered'), expired: count(items, 'expired') },
    oldest_open: open.at(-1)?.created_at ?? 0,
    devices: [],
  });
}

function browseApproval(context: RelayContext, caller: Caller, params: z.infer<typeof oneParams>): Answer {
  const id = idParam(params);
  if (id === null) return refuse('invalid: approval id');
  const reader = readerOf(caller);
  const event = context.store.events.get(id);
  const request = event === null ? null : approvalRequest(event);
  if (event === null || request === null || !couldRead(context, reader, event)) {
    return refuse('not found: request');
  }
  if (event.pubkey !== caller.pubkey && !request.asked.includes(caller.pubkey)) {
    return refuse('restricted: only the asker and the people asked may read a request');
  }
  const answers = answersOf(context, reader, [request]).get(id) ?? [];
  const byAsked = answers.filter(found => request.asked.includes(found.pubkey));
  return answer({ item: approvalItem(context, request, answers), answers: byAsked });
}

/** Requests that ask the key, newest first. */
function requestsFor(context: RelayContext, reader: Reader, key: string): ApprovalRequest[] {
  const requests: ApprovalRequest[] = [];
  const filter = { kinds: [...REQUEST_KINDS], '#p': [key] };
  for (const event of first(lapsedToo(context, reader, filter), MAX_SCANNED)) {
    const request = approvalRequest(event);
    if (request?.asked.includes(key)) requests.push(request);
  }
  return requests;
}

/** What the reader may see or could have seen before its expiration passed: what lapsed is told too. */
function* lapsedToo(
  context: RelayContext,
  reader: Reader,
  filter: Filter,
): Generator<NostrEvent, void, void> {
  for (const event of context.store.events.scan(filter, undefined, { expired: true })) {
    if (couldRead(context, reader, event)) yield event;
  }
}

function settled(
  context: RelayContext,
  reader: Reader,
  requests: readonly ApprovalRequest[],
): ApprovalItem[] {
  const answers = answersOf(context, reader, requests);
  return requests.map(request => approvalItem(context, request, answers.get(request.event.id) ?? []));
}

function answersOf(
  context: RelayContext,
  reader: Reader,
  requests: readonly ApprovalRequest[],
): Map<string, NostrEvent[]> {
  const ids = requests.map(request => request.event.id);
  const answers = referring(context, reader, { kinds: ALL_ANSWER_KINDS, ids });
  for (const { event, type } of requests) {
    // The grant that answered may have been replaced since: what was signed then is the answer.
    const receipt = type === 'grant' ? context.store.receipts.get(event.id) : null;
    const found = answers.get(event.id) ?? [];
    if (receipt !== null && found.every(({ id }) => id !== receipt.id)) {
      answers.set(event.id, [...found, receipt].sort(newestFirst));
    }
  }
  return answers;
}

function pageOf(items: readonly ApprovalItem[], after: EventCursor | undefined, limit: number) {
  const rest = items.filter(item => isAfter(item.event, after));
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  const next_cursor = rest.length > limit && last !== undefined ? cursorOf(last.event) : '';
  return { items: shown, next_cursor };
}

function newestFirst(one: NostrEvent, other: NostrEvent): number {
  return other.created_at - one.created_at || (one.id < other.id ? -1 : 1);
}

function count(items: readonly ApprovalItem[], state: ApprovalState): number {
  return items.filter(item => item.state === state).length;
}
