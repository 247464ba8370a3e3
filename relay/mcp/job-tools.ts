// Tools for long tasks, kinds 43001 to 43006 (seed "Long tasks", spec/jobs.md section 6).

import { z } from 'zod';
import type { Refusal, RelayContext } from '../context.ts';
import type { Caller } from '../management/method.ts';
import { JOBS_OFF } from '../protocol/job.ts';
import { JOB_KINDS, KIND } from '../protocol/kinds.ts';
import { isRoomId, tagValue } from '../protocol/tags.ts';
import { content, eventFacts, expiration, hex, room } from './fields.ts';
import { held } from './message-tools.ts';
import type { Tool } from './tool.ts';
import { writeTool } from './write-tool.ts';

const closed = (context: RelayContext) => (context.policy().features.jobs ? null : JOBS_OFF);
const membersOnly = true as const;
/** An answer is never dated further ahead than this, in seconds. */
const MAX_AHEAD = 60;

const requestJob = writeTool({
  name: 'request_job',
  title: 'Ask for a long task',
  description: 'Asks one or more agents for a long task in a room.',
  kinds: [KIND.jobRequest],
  ...{ closed, membersOnly },
  fields: z.strictObject({
    room,
    assignees: z
      .array(hex('an assignee'), { error: 'assignees must name at least one key' })
      .min(1, 'assignees must name at least one key')
      .max(16)
      .describe('Public keys of the agents asked'),
    subject: z.string().max(200).optional(),
    content: z.string().optional().describe('What is to be done'),
    root: hex('root').optional().describe('Id of the message that opens the thread it belongs to'),
    expiration,
  }),
  tags: ['h', 'p'],
  build(
    context,
    _caller,
    { room: id, assignees, subject = '', content: text = '', root, expiration: expires },
  ) {
    if (`${subject}${text}`.trim() === '') return { refusal: 'invalid: content or subject is required' };
    if (expires !== undefined && expires <= context.now()) {
      return { refusal: 'invalid: expiration is in the past' };
    }
    return {
      kind: KIND.jobRequest,
      tags: [
        ['h', id],
        ...[...new Set(assignees)].map(key => ['p', key]),
        ...(subject === '' ? [] : [['subject', subject]]),
        ...(root === undefined ? [] : [['e', root, '', 'root']]),
        ...(expires === undefined ? [] : [['expiration', String(expires)]]),
      ],
      content: text,
    };
  },
});

const naming = {
  request: z
    .union([hex('request'), z.record(z.string(), z.unknown())])
    .optional()
    .describe('The job request: its id or the whole event; otherwise e, p and room'),
  e: hex('e').optional().describe('Id of the job request'),
  room: room.optional(),
};
const answering = { ...naming, p: hex('p').optional().describe('Public key of the requester') };
type Named = z.infer<z.ZodObject<typeof naming>> & { p?: string | undefined };

/** The request an answer names, from the event given, from the relay, or from plain fields. */
function requestOf(
  context: RelayContext,
  caller: Caller,
  given: Named,
): { id: string; requester: string; room: string } | { refusal: Refusal } {
  const { request, e, p, room: id } = given;
  const wanted = typeof request === 'string' ? request : e;
  const event = typeof request === 'object' ? eventFacts(request) : held(context, caller, wanted ?? '');
  if (event === null) {
    if (typeof request === 'object') return { refusal: 'invalid: request must be the job request event' };
    if (typeof request === 'string') return { refusal: 'not found: job request' };
  }
  const told = event === null ? { id: e, requester: p, room: id } : factsOf(event);
  for (const [name, value, own] of [
    ['e', e, told.id],
    ['p', p, told.requester],
    ['room', id, told.room],
  ] as const) {
    if (value !== undefined && value !== own) return { refusal: `invalid: ${name} must match the request` };
  }
  if (told.id === undefined || told.room === undefined) {
    return { refusal: 'invalid: request is required, or e, p and room' };
  }
  return { id: told.id, requester: told.requester ?? '', room: told.room };
}

function factsOf(event: { id: string; pubkey: string; tags: string[][] }) {
  const id = tagValue(event, 'h');
  return { id: event.id, requester: event.pubkey, room: isRoomId(id) ? id : undefined };
}

const artifact = z.strictObject(
  { type: z.enum(['e', 'a', 'r']), value: z.string().min(1) },
  { error: 'each artifact must be {type: e, a or r, value}' },
);
type Artifact = z.infer<typeof artifact>;

type AnswerTool = {
  name: string;
  title: string;
  description: string;
  kind: number;
  extra: { content: z.ZodType<string | undefined>; artifacts?: z.ZodType<Artifact[] | undefined> };
};

function answerTool({ name, title, description, kind, extra }: AnswerTool): Tool {
  const fields = z.strictObject({ ...answering, ...extra });
  return writeTool<z.infer<typeof fields>>({
    ...{ name, title, description, kinds: [kind], closed, membersOnly, fields },
    tags: ['h', 'e', 'p'],
    build(context, caller, given) {
      const request = requestOf(context, caller, given);
      if ('refusal' in request) return request;
      if (request.requester === '') return { refusal: 'invalid: p must name the requester' };
      const { content: text = '', artifacts = [] } = given as { content?: string; artifacts?: Artifact[] };
      const wrong = artifacts.find(entry => !isArtifact(entry));
      if (wrong !== undefined) {
        return {
          refusal: `invalid: each artifact must be an event id, an address or a web link, not ${wrong.value}`,
        };
      }
      const pointers = artifacts.map(({ type, value }) => [type, value]);
      const tags = [['h', request.room], ['e', request.id], ['p', request.requester], ...pointers];
      return { kind, tags, content: text, after: lastAnswer(context, caller, request.id) };
    },
  });
}

/** When the newest answer to a job is dated; 0 without one. Two steps in one second would be in no order. */
function lastAnswer(context: RelayContext, caller: Caller, job: string): number {
  const filter = { kinds: [...JOB_KINDS], '#e': [job], authors: [caller.pubkey] };
  for (const event of context.store.events.scan(filter))
    return Math.min(event.created_at, context.now() + MAX_AHEAD);
  return 0;
}

function isArtifact({ type, value }: Artifact): boolean {
  if (type === 'e') return /^[0-9a-f]{64}$/.test(value);
  if (type === 'a') return /^\d{1,5}:[0-9a-f]{64}:.*$/s.test(value);
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

const cancelFields = z.strictObject({
  ...naming,
  p: hex('p').optional().describe('One of the keys asked; the whole task without it'),
  content: z.string().optional(),
});

const cancelJob = writeTool({
  name: 'cancel_job',
  title: 'Cancel a long task',
  description: 'Withdraws a long task you asked for.',
  kinds: [KIND.jobCancel],
  ...{ closed, membersOnly, fields: cancelFields },
  tags: ['h', 'e'],
  build(context, caller, { p, content: text = '', ...named }) {
    const request = requestOf(context, caller, named);
    if ('refusal' in request) return request;
    const tags = [['h', request.room], ['e', request.id], ...(p === undefined ? [] : [['p', p]])];
    return { kind: KIND.jobCancel, tags, content: text };
  },
});

export const jobTools: readonly Tool[] = [
  requestJob,
  answerTool({
    name: 'accept_job',
    title: 'Accept a long task',
    description: 'Says that you have taken up a long task that asks you.',
    kind: KIND.jobAccepted,
    extra: { content: z.string().optional() },
  }),
  answerTool({
    name: 'job_progress',
    title: 'Tell progress',
    description: 'A line of progress on a long task.',
    kind: KIND.jobProgress,
    extra: { content },
  }),
  answerTool({
    name: 'job_result',
    title: 'Give the result',
    description: 'Ends a long task with its result.',
    kind: KIND.jobResult,
    extra: { content, artifacts: z.array(artifact).max(64).optional() },
  }),
  answerTool({
    name: 'job_error',
    title: 'Give up a long task',
    description: 'Ends a long task that failed, with the reason.',
    kind: KIND.jobError,
    extra: { content },
  }),
  cancelJob,
];
