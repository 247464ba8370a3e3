// The events a run is told with: 43001 to 43006 (spec/jobs.md, spec/tinyagent-connector.md B5) and the kind 9 reply.

import type { EventTemplate, NostrEvent } from '../../relay/protocol/event.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { cut } from '../text.ts';
import type { ActiveRun, Work } from './journal.ts';

/**
 * How long after its deadline a request of ours stays on the relay (seconds). An answer to an expired request is
 * refused, so without it a run that timed out, or that a crash interrupted, could never be settled.
 */
const SETTLING_TIME = 24 * 3600;
const MAX_SUBJECT = 100;
const MAX_TASK = 1_000;
const MAX_LINE = 4_000;
const MAX_ERROR = 1_000;

const now = () => Math.floor(Date.now() / 1000);

/** Our own request for a batch of mentions. `deadline` in ms since 1970. */
export function jobRequest(items: Work[], root: string, pubkey: string, deadline: number): EventTemplate {
  const [first] = items;
  if (first === undefined) throw new Error('a request needs at least one mention');
  const tags = [
    ['h', first.room],
    ['p', pubkey],
    ['subject', subjectOf(items)],
    ['e', root, '', 'root'],
    // The mentions it was made for, so that nobody answers them a second time (case I6).
    ...items.map(item => ['e', item.event, '', 'mention']),
    ['expiration', String(Math.floor(deadline / 1000) + SETTLING_TIME)],
  ];
  const content = cut(items.map(item => item.prompt).join('\n\n'), MAX_TASK);
  return { kind: KIND.jobRequest, created_at: now(), tags, content };
}

/** A short title of a batch: the request's own, or the first line of what was said. */
export function subjectOf(items: Work[]): string {
  const [first] = items;
  const words = first?.subject?.trim() || first?.prompt.trim().split('\n')[0] || 'A task';
  return cut(words, MAX_SUBJECT);
}

type Answered = Pick<ActiveRun, 'run' | 'room' | 'requester'>;

export function jobAccepted(run: Answered): EventTemplate {
  return answer(KIND.jobAccepted, run, '');
}

/** `after` is the `created_at` this line must come behind, so that readers see it as the newer one. */
export function jobProgress(run: Answered, line: string, after: number): EventTemplate {
  const template = answer(KIND.jobProgress, run, cut(line, MAX_LINE));
  return { ...template, created_at: Math.max(template.created_at, after + 1) };
}

export function jobResult(run: Answered, output: string): EventTemplate {
  return answer(KIND.jobResult, run, output === '' ? 'Task completed.' : output);
}

export function jobError(run: Answered, message: string): EventTemplate {
  return answer(KIND.jobError, run, cut(message, MAX_ERROR));
}

/** Ends a request of our own. */
export function jobCancel({ run, room, requester }: Answered): EventTemplate {
  const tags = [
    ['e', run],
    ['h', room],
    ['p', requester],
  ];
  return { kind: KIND.jobCancel, created_at: now(), tags, content: '' };
}

/** The answer in the room, in the thread it was asked in, with everybody who asked. */
export function reply(run: Pick<ActiveRun, 'room' | 'root' | 'items'>, content: string): EventTemplate {
  const authors = [...new Set(run.items.map(item => item.author))];
  const tags = [['h', run.room], ['e', run.root, '', 'root'], ...authors.map(author => ['p', author])];
  return { kind: KIND.chat, created_at: now(), tags, content };
}

/** Takes back an event of our own (NIP-09), in the room where it was seen. */
export function withdrawal(event: Pick<NostrEvent, 'id' | 'kind'>, room: string, why: string): EventTemplate {
  const tags = [
    ['e', event.id],
    ['k', String(event.kind)],
    ['h', room],
  ];
  return { kind: KIND.deletion, created_at: now(), tags, content: why };
}

/** Ephemeral word on what the agent is doing (seed, Agent chat features). */
export function presence(room: string, content: 'working' | 'idle' | 'offline'): EventTemplate {
  return { kind: KIND.presence, created_at: now(), tags: [['h', room]], content };
}

function answer(kind: number, { run, room, requester }: Answered, content: string): EventTemplate {
  const tags = [
    ['e', run],
    ['h', room],
    ['p', requester],
  ];
  return { kind, created_at: now(), tags, content };
}
