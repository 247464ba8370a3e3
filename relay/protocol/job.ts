// Long tasks, kinds 43001 to 43006 (seed "Long tasks", spec/jobs.md): the checks at publish and the state readers
// derive. Whether the request is held, unexpired and readable is the caller's knowledge and comes in as an argument.

import type { NostrEvent } from './event.ts';
import { JOB_KINDS, KIND } from './kinds.ts';
import { expirationOf, isHex64, isRoomId, tagsNamed, tagValue, tagValues } from './tags.ts';

export type JobState = 'open' | 'done' | 'failed' | 'cancelled';
export type JobStatus = 'queued' | 'accepted' | 'running' | 'done' | 'failed' | 'cancelled';

export type JobArtifact = { type: 'e' | 'a' | 'r'; value: string };
export type JobAnswer = {
  id: string;
  kind: number;
  provider: string;
  content: string;
  created_at: number;
  artifacts?: JobArtifact[];
};

/** One request with what its answers say; the shape of `browsejobs`. Times in Unix seconds. */
export type Job = {
  id: string;
  room: string;
  requester: string;
  assignees: string[];
  subject?: string;
  content: string;
  created_at: number;
  expires?: number;
  root?: string;
  state: JobState;
  status: JobStatus;
  progress?: JobAnswer;
  result?: JobAnswer;
  error?: JobAnswer;
  cancelled_at?: number;
  event: NostrEvent;
};

const NAMES: Record<number, string> = {
  [KIND.jobRequest]: 'job request',
  [KIND.jobAccepted]: 'job accepted',
  [KIND.jobProgress]: 'job progress',
  [KIND.jobResult]: 'job result',
  [KIND.jobCancel]: 'job cancel',
  [KIND.jobError]: 'job error',
};

export const JOBS_OFF = 'restricted: long tasks are switched off on this relay';
export const JOBS_OUTSIDER = 'restricted: long tasks are accepted from members and agents';

export function isJobKind(kind: number): boolean {
  return JOB_KINDS.includes(kind);
}

/** True for the kinds that answer or cancel a request. */
export function isJobReply(kind: number): boolean {
  return isJobKind(kind) && kind !== KIND.jobRequest;
}

/** The request an answer or cancel names: its first `e`. */
export function jobRequestId(event: Pick<NostrEvent, 'tags'>): string | undefined {
  return tagValue(event, 'e');
}

/** The keys a request asks, each once, in tag order. */
export function jobAssignees(request: Pick<NostrEvent, 'tags'>): string[] {
  return [...new Set(tagValues(request, 'p'))];
}

/** Why a job event's own tags are wrong (`invalid:`), or null. Other kinds pass. */
export function jobShapeRefusal(event: NostrEvent): string | null {
  if (event.kind === KIND.jobRequest) return requestShapeRefusal(event);
  if (event.kind === KIND.jobCancel) return cancelShapeRefusal(event);
  return isJobKind(event.kind) ? answerShapeRefusal(event) : null;
}

/**
 * Why an answer or cancel does not fit the request it names, or null. `request` is the held, unexpired 43001 its author
 * may read; null when there is none. Other kinds pass.
 */
export function jobReplyRefusal(event: NostrEvent, request: NostrEvent | null): string | null {
  if (!isJobReply(event.kind)) return null;
  const name = NAMES[event.kind];
  if (request === null || request.kind !== KIND.jobRequest) {
    return `restricted: ${name} must name a request this relay holds`;
  }
  if (tagValue(event, 'h') !== tagValue(request, 'h')) {
    return `invalid: ${name} must keep the request's room h tag`;
  }
  if (event.kind === KIND.jobCancel) {
    return event.pubkey === request.pubkey ? null : 'restricted: only the requester may cancel a long task';
  }
  if (tagValue(event, 'p') !== request.pubkey) return `invalid: ${name} p tag must name the requester`;
  return jobAssignees(request).includes(event.pubkey)
    ? null
    : `restricted: ${name} must come from a key the request asked`;
}

function requestShapeRefusal(event: NostrEvent): string | null {
  if (!isRoomId(tagValue(event, 'h'))) return 'invalid: job request must name a room in an h tag';
  if (!tagsNamed(event, 'p').every(tag => isHex64(tag[1]))) {
    return 'invalid: job request p tags must be hex public keys';
  }
  if (!tagsNamed(event, 'e').every(tag => isHex64(tag[1]))) {
    return 'invalid: job request e tag must name the thread root event id';
  }
  return tagsNamed(event, 'p').length > 0
    ? null
    : 'invalid: job request must name at least one asked key in a p tag';
}

function answerShapeRefusal(event: NostrEvent): string | null {
  const name = NAMES[event.kind];
  if (!isHex64(jobRequestId(event))) return `invalid: ${name} must name the job request in an e tag`;
  if (!isHex64(tagValue(event, 'p'))) return `invalid: ${name} must name the requester in a p tag`;
  return isRoomId(tagValue(event, 'h')) ? null : `invalid: ${name} must keep the request's room in an h tag`;
}

function cancelShapeRefusal(event: NostrEvent): string | null {
  if (!isHex64(jobRequestId(event))) return 'invalid: job cancel must name the job request in an e tag';
  if (!isRoomId(tagValue(event, 'h'))) return "invalid: job cancel must keep the request's room in an h tag";
  return tagsNamed(event, 'p').every(tag => isHex64(tag[1]))
    ? null
    : 'invalid: job cancel p tag must be a hex public key';
}

/** The request with the state its answers give it. Answers in any order; those naming another request are passed over. */
export function deriveJob(request: NostrEvent, answers: readonly NostrEvent[]): Job {
  const newest = answers
    .filter(answer => isJobReply(answer.kind) && jobRequestId(answer) === request.id)
    .sort(newestFirst);
  const first = (...kinds: number[]) => newest.find(answer => kinds.includes(answer.kind));
  const ending = first(KIND.jobResult, KIND.jobCancel, KIND.jobError);
  const progress = first(KIND.jobAccepted, KIND.jobProgress);
  const result = first(KIND.jobResult);
  const error = first(KIND.jobError);
  const cancel = first(KIND.jobCancel);
  const subject = tagValue(request, 'subject');
  const expires = expirationOf(request);
  const root = tagsNamed(request, 'e').find(tag => tag[3] === 'root')?.[1];
  return {
    id: request.id,
    room: tagValue(request, 'h') ?? '',
    requester: request.pubkey,
    assignees: jobAssignees(request),
    ...(subject === undefined || subject === '' ? {} : { subject }),
    content: request.content,
    created_at: request.created_at,
    ...(expires === undefined || Number.isNaN(expires) ? {} : { expires }),
    ...(isHex64(root) ? { root } : {}),
    ...standing(ending, progress),
    ...(progress === undefined ? {} : { progress: jobAnswer(progress) }),
    ...(result === undefined ? {} : { result: jobAnswer(result) }),
    ...(error === undefined ? {} : { error: jobAnswer(error) }),
    ...(cancel === undefined ? {} : { cancelled_at: cancel.created_at }),
    event: request,
  };
}

/** One answer in the shape of `browsejob`; artifacts only on a result. */
export function jobAnswer(event: NostrEvent): JobAnswer {
  const { id, kind, pubkey, content, created_at } = event;
  const artifacts = kind === KIND.jobResult ? artifactsOf(event) : [];
  const answer = { id, kind, provider: pubkey, content, created_at };
  return artifacts.length === 0 ? answer : { ...answer, artifacts };
}

function standing(
  ending: NostrEvent | undefined,
  progress: NostrEvent | undefined,
): { state: JobState; status: JobStatus } {
  if (ending?.kind === KIND.jobResult) return { state: 'done', status: 'done' };
  if (ending?.kind === KIND.jobCancel) return { state: 'cancelled', status: 'cancelled' };
  if (ending?.kind === KIND.jobError) return { state: 'failed', status: 'failed' };
  if (progress === undefined) return { state: 'open', status: 'queued' };
  return { state: 'open', status: progress.kind === KIND.jobAccepted ? 'accepted' : 'running' };
}

/** Everything a result points at: every `e` after the first (that is the request), every `a` and `r`. */
function artifactsOf(event: NostrEvent): JobArtifact[] {
  const artifacts: JobArtifact[] = [];
  let requestSeen = false;
  for (const [type, value] of event.tags) {
    if (type !== 'e' && type !== 'a' && type !== 'r') continue;
    if (type === 'e' && !requestSeen) {
      requestSeen = true;
      continue;
    }
    if (value !== undefined && value !== '') artifacts.push({ type, value });
  }
  return artifacts;
}

function newestFirst(a: NostrEvent, b: NostrEvent): number {
  return b.created_at - a.created_at || (a.id < b.id ? -1 : 1);
}
