// browsejobs and browsejob: long tasks the caller may see, with the state their answers give them (seed "Long tasks",
// spec/jobs.md section 5).

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import { type Answer, answer, type Caller, type MethodTable, refuse } from '../management/method.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { deriveJob, isJobReply, JOBS_OFF, type Job, jobAnswer, jobRequestId } from '../protocol/job.ts';
import { JOB_KINDS, KIND } from '../protocol/kinds.ts';
import { expirationOf } from '../protocol/tags.ts';
import {
  cursorOf,
  first,
  idParam,
  limitParam,
  parseCursor,
  query,
  readerOf,
  referring,
  visible,
} from './query.ts';

/** Requests looked at for one page. */
const MAX_SCANNED = 1000;
const REPLY_KINDS = JOB_KINDS.filter(isJobReply);

const listParams = z.object({
  state: z
    .enum(['open', 'done', 'failed', 'cancelled', 'all'], {
      error: 'job state must be open, done, failed, cancelled or all',
    })
    .default('all'),
  mine: z.boolean().default(false),
  limit: limitParam,
  cursor: z.string().optional(),
});
const oneParams = z.object({ id: z.string().optional(), event: z.string().optional() });

export const jobQueries: MethodTable = {
  browsejobs: query('reader', listParams, browseJobs),
  browsejob: query('reader', oneParams, browseJob),
};

function browseJobs(context: RelayContext, caller: Caller, params: z.infer<typeof listParams>): Answer {
  if (!context.policy().features.jobs) return refuse(JOBS_OFF);
  if (params.mine && caller.pubkey === '') return refuse('auth-required: sign the request to list your own');
  const after = parseCursor(params.cursor);
  if (after === null) return refuse('invalid: job cursor');
  const reader = readerOf(caller);
  const filter = { kinds: [KIND.jobRequest], ...(params.mine ? { authors: [caller.pubkey] } : {}) };
  const scanned = first(visible(context, reader, filter, after), MAX_SCANNED + 1);
  const requests = scanned.slice(0, MAX_SCANNED);
  const items: Job[] = [];
  // In slices: a page is full long before most answers are read.
  for (let start = 0; start < requests.length && items.length <= params.limit; start += params.limit) {
    const slice = requests.slice(start, start + params.limit);
    const answers = referring(context, reader, { kinds: REPLY_KINDS, ids: slice.map(({ id }) => id) });
    const jobs = slice.map(request => deriveJob(request, answers.get(request.id) ?? []));
    items.push(...jobs.filter(({ state }) => params.state === 'all' || state === params.state));
  }
  const shown = items.slice(0, params.limit);
  return answer({ items: shown, next_cursor: nextCursor(items, shown, scanned) });
}

/** After a full page its last item; after a scan that was cut short, where it stopped. */
function nextCursor(items: readonly Job[], shown: readonly Job[], scanned: readonly NostrEvent[]): string {
  const last = shown.at(-1);
  if (items.length > shown.length && last !== undefined) return cursorOf(last.event);
  const stopped = scanned.length > MAX_SCANNED ? scanned[MAX_SCANNED - 1] : undefined;
  return stopped === undefined ? '' : cursorOf(stopped);
}

function browseJob(context: RelayContext, caller: Caller, params: z.infer<typeof oneParams>): Answer {
  if (!context.policy().features.jobs) return refuse(JOBS_OFF);
  const id = idParam(params);
  if (id === null) return refuse('invalid: job id');
  const reader = readerOf(caller);
  const request = context.store.events.get(id);
  if (request === null || !isServed(context, request) || !context.visibility.canRead(reader, request)) {
    return refuse('not found: job request');
  }
  const found = referring(context, reader, { kinds: REPLY_KINDS, ids: [id] }).get(id) ?? [];
  const answers = found.filter(event => jobRequestId(event) === id);
  const oldestFirst = [...answers].reverse().map(jobAnswer);
  return answer({ item: deriveJob(request, answers), answers: oldestFirst });
}

/** A request and not lapsed: the store still holds lapsed ones for a while. */
function isServed(context: RelayContext, event: NostrEvent): boolean {
  const expires = expirationOf(event);
  return event.kind === KIND.jobRequest && (expires === undefined || expires > context.now());
}
